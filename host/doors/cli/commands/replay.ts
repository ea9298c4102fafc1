/** `bascule replay`: runs a recorded call again with the recorded answers, and compares the results. */

import { exportCase } from "../../../testing/export-case.ts";
import type { Recording } from "../../../call/recording.ts";
import { readRecording } from "../../../effects/recordings/recording-file.ts";
import { machineDifferences, machineOf } from "../../../effects/recordings/machine.ts";
import { replay } from "../../../testing/replay.ts";
import { createRecordingStore, type RecordingStore } from "../../../effects/recordings/store.ts";
import { digestFiles } from "../../../primitives/digest.ts";
import { readBytes } from "../../../testing/test-copy.ts";
import { CliError, notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins } from "../find-plugins.ts";
import { absolutePath } from "../paths.ts";
import { differenceLines, outcomeText } from "../replay-text.ts";
import { printable } from "../../../primitives/text.ts";

export const replayCommand: Command = {
  name: "replay",
  summary: "Replay a recorded call without side effects and compare",
  usage: "replay <call>",
  details: [
    'Record a call with `call --record`, or all calls with { "audit": { "record": "failures" } } or "all" in bascule.json.',
    "Runs the recorded version of the plugin, not the current code, with the recorded answers, time and random numbers.",
    "Reads and writes nothing. To test the current code, export a case and run `test`.",
    "Exits with code 0 if the replay matches, and with 1 if it differs. Differences are shown in the order in which they occurred.",
  ],
  examples: [
    "replay 019a0000-0000-7000-8000-000000000000",
    "replay 019a0000-0000-7000-8000-000000000000 --export-case plugins/words/cases/bug.json",
  ],
  positionals: { min: 1, max: 1 },
  options: [
    { name: "export-case", value: "file", about: "Write the call as a case for `test`, to a new file or at the end of an existing one" },
  ],
  run: run,
};

async function run(context: CommandContext): Promise<number> {
  const { platform, options, output, positionals, project, signal } = context;
  const [callId = ""] = positionals;
  const store = createRecordingStore(platform, project.stateDirectory);
  const recording = await findRecording(callId, store, output.program);
  const files = await findFiles(recording, store, context);
  for (const difference of machineDifferences(recording.machine, machineOf(platform)))
    output.note(`Recorded on another system: ${printable(difference)}`);
  if (recording.isRedacted) output.note("Secrets were removed from the recording, so the call sees other values than before");
  const onDefect = (message: string): void => platform.log.write("error", message);
  const replayed = await replay({ recording, files, platform, signal, onDefect });
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

/** Explains which code ran. The plugin's folder is not read, because a replay touches nothing. */
function recordedCode({ digest, callId }: Recording, program: string): string {
  return [
    `Replayed the recorded code ${digest.slice(0, 12)}, not the current code`,
    `  ${program} replay ${callId} --export-case <file> writes a case, which ${program} test runs on the current code`,
  ].join("\n");
}

async function findRecording(callId: string, store: RecordingStore, program: string): Promise<Recording> {
  const text = await store.read(callId);
  if (text === undefined)
    throw notFoundError(`Recording of call "${callId}" not found`, [
      `${program} call <tool> --record records a call and prints its id`,
      "Only the latest recordings are kept",
    ]);
  const read = await readRecording(text);
  if (!read.ok) throw new CliError("recording", read.message, { hints: [`The recording is in ${store.folder}`] });
  if (read.recording.callId !== callId)
    throw new CliError("recording", `Cannot use the recording: it belongs to the call "${read.recording.callId}"`);
  return read.recording;
}

/** Returns the plugin's files as kept with the recording, or from its folder if that still has the same digest. */
async function findFiles(
  { plugin, digest }: Recording,
  store: RecordingStore,
  context: CommandContext,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const kept = await store.readPlugin(digest);
  if (kept !== undefined) return kept;
  const [found] = await findPlugins(context, [plugin]).catch((error: unknown) => {
    if (error instanceof CliError) return [];
    throw error;
  });
  const files = found && (await readBytes(context.platform, found.directory));
  const now = files && (await digestFiles(files));
  if (files !== undefined && now === digest) return files;
  const state = now === undefined ? `plugin "${plugin}" no longer exists` : `its folder now has digest ${now.slice(0, 12)}`;
  throw new CliError(
    "unavailable",
    `Version ${digest.slice(0, 12)} of "${plugin}" is not available: its files were not kept, and ${state}`,
    {
      exitCode: EXIT.unavailable,
      hints: ["Check out that version of the files, then run this again"],
    },
  );
}
