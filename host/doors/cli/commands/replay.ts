/** `bascule replay`: runs a recorded call again with the recorded answers, and compares the results. */

import { exportCase } from "../../../testing/export-case.ts";
import type { Recording } from "../../../call/recording.ts";
import { machineDifferences, machineOf } from "../../../effects/recordings/machine.ts";
import { replay } from "../../../testing/replay.ts";
import { createRecordingStore, type RecordingStore } from "../../../effects/recordings/store.ts";
import { replayWithCurrent } from "../../../testing/replay-current.ts";
import { CliError, notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { currentFiles, findFiles, findRecording } from "../find-recording.ts";
import { withProgress } from "../long-work.ts";
import { absolutePath } from "../paths.ts";
import { comparisonLines, differenceLines, outcomeText } from "../../replay-text.ts";
import { printable } from "../../../primitives/text.ts";

export const replayCommand: Command = {
  name: "replay",
  summary: "Replay a recorded call without side effects and compare",
  usage: "replay <call> [--with current]",
  details: [
    'Record a call with `call --record`, or all calls with { "audit": { "record": "failures" } } or "all" in bascule.json.',
    "Runs the recorded version of the plugin, not the current code, with the recorded answers, time and random numbers.",
    "Reads and writes nothing. <call> is an id, the beginning of one, or last.",
    "With --with current, both versions run with the recorded arguments, answers, seed and start time, and the differences are shown: of the result, and of the operations with their lines. An operation that is not in the recording is reported and not run.",
    "Exits with code 0 if the replay matches, and with 1 if it differs. Differences are shown in the order in which they occurred.",
  ],
  examples: [
    "replay 019a0000-0000-7000-8000-000000000000",
    "replay last --with current",
    "replay 019a0000-0000-7000-8000-000000000000 --export-case plugins/words/cases/bug.json",
  ],
  positionals: { min: 1, max: 1 },
  options: [
    { name: "with", value: "version", about: "current: run the code as it is now, and compare it with the recorded code" },
    { name: "export-case", value: "file", about: "Write the call as a case for `test`, to a new file or at the end of an existing one" },
  ],
  run: run,
};

async function run(context: CommandContext): Promise<number> {
  const { platform, options, output, positionals, project, signal } = context;
  const [wanted = ""] = positionals;
  const store = createRecordingStore(platform, project.stateDirectory);
  const recording = await findRecording(wanted, store, output.program);
  const { callId } = recording;
  const version = options.value("with");
  if (version !== undefined && version !== "current") throw usageError(`Option "--with" takes current, not "${version}"`);
  for (const difference of machineDifferences(recording.machine, machineOf(platform)))
    output.note(`Recorded on another system: ${printable(difference)}`);
  if (recording.isRedacted) output.note("Secrets were removed from the recording, so the call sees other values than before");
  const onDefect = (message: string): void => platform.log.write("error", message);
  if (version === "current") return await compareWithCurrent(recording, context, { store, onDefect });
  const files = await findFiles(recording, store, context);
  const replayed = await withProgress(context, "Replaying", () => replay({ recording, files, platform, signal, onDefect }));
  if (signal.aborted) return EXIT.interrupted;
  if (replayed.kind === "impossible") throw new CliError("unavailable", replayed.reason, { exitCode: EXIT.unavailable });

  const { tool, digest } = recording;
  const isSame = replayed.kind === "same";
  if (replayed.kind === "same") {
    output.line(`${output.style.green("same")} ${printable(tool)} ${output.style.dim(digest.slice(0, 12))}`);
    output.line(outcomeText(replayed.outcome));
  } else for (const line of differenceLines(recording, replayed.differences, output.style)) output.line(line);
  output.note(recordedCode(recording, output.program));
  output.document({ ok: isSame, callId, tool, digest, ...replayed });

  const file = options.value("export-case");
  if (file === undefined) return isSame ? EXIT.ok : EXIT.failed;
  const path = absolutePath(file, platform.environment.cwd);
  const exported = await exportCase({ recording, files, platform, path, signal, onDefect });
  for (const note of exported.notes) output.note(note);
  output.note(`Wrote the case ${JSON.stringify(exported.name)} to ${printable(file)}`);
  return isSame ? EXIT.ok : EXIT.failed;
}

interface Comparing {
  readonly store: RecordingStore;
  readonly onDefect: (message: string) => void;
}

async function compareWithCurrent(recording: Recording, context: CommandContext, { store, onDefect }: Comparing): Promise<number> {
  const { platform, output, signal } = context;
  const { callId, tool, plugin, digest } = recording;
  const now = await currentFiles(plugin, context);
  if (now === undefined) throw notFoundError(`Plugin "${plugin}" does not exist any more`, [`${output.program} list shows the plugins`]);
  const before = await store.readPlugin(digest);
  if (before === undefined)
    output.note("The recorded files were not kept, so the recorded operations have no lines, and the clock differs");
  const compared = await withProgress(context, "Replaying", () =>
    replayWithCurrent({ recording, before, now, platform, signal, onDefect }),
  );
  if (signal.aborted) return EXIT.interrupted;
  if (typeof compared === "string") throw new CliError("unavailable", compared, { exitCode: EXIT.unavailable });
  for (const line of comparisonLines(recording, compared, output.style)) output.line(line);
  const { digest: current, ...rest } = compared;
  output.document({ ok: compared.kind === "same", callId, tool, digest, current, ...rest });
  return compared.kind === "same" ? EXIT.ok : EXIT.failed;
}

/** Explains which code ran. The plugin's folder is not read, because a replay touches nothing. */
function recordedCode({ digest, callId }: Recording, program: string): string {
  return [
    `Replayed the recorded code ${digest.slice(0, 12)}, not the current code`,
    `  ${program} replay ${callId} --export-case <file> writes a case, which ${program} test runs on the current code`,
  ].join("\n");
}
