/** `bascule call`: calls one tool. */

import type { RecordingSummary } from "../../../call/recording.ts";
import type { JsonValue } from "../../../../manifests/mod.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { commitDryRun } from "../commit-dry-run.ts";
import { terminalPrompt } from "../confirm.ts";
import { EXIT, exitCodeFor } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { CONTEXT_OPTIONS, requestContext } from "../request-context.ts";
import { permissionsOfRun, RUN_OPTIONS } from "../permission-set.ts";
import { failureLines, successText } from "../result-text.ts";
import { printable } from "../../../primitives/text.ts";
import { namesMeant } from "../names-meant.ts";
import { thrownLines } from "../thrown-frame.ts";
import { incompleteText, truncatedText, wholeResult } from "../whole-result.ts";
import { ARGS_OPTION, readToolArguments } from "../tool-arguments.ts";

export const callCommand: Command = {
  name: "call",
  summary: "Call a tool",
  usage: "call <tool> [key=value … | json | -]",
  words: ["tool", []],
  details: [
    "Arguments are key=value words, one JSON object, or - for JSON on stdin. Write key:=json to pass JSON regardless of the tool's schema.",
    "The result goes to stdout, everything else to stderr. If stdout is not a terminal, the result is written in full.",
    "Permission flags apply to this run only.",
    "With --dry-run nothing is changed: shows the changes, and on a terminal asks whether to apply them.",
  ],
  examples: [
    "call word_count path=README.md",
    `call grep '{"pattern": "TODO", "path": "docs"}'`,
    "call grep --args arguments.json",
    "call word_count path=README.md --allow-read=.",
    "call tidy folder=notes --dry-run",
    "call roll sides=6 --seed one --time 2026-01-31T12:00:00Z",
  ],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [
    ARGS_OPTION,
    { name: "timeout", value: "ms", about: "Abort the call after this many milliseconds" },
    { name: "seed", value: "text", about: "Seed for the tool's random numbers: the same seed gives the same numbers" },
    { name: "time", value: "time", about: "The time that the tool sees: 2026-01-31T12:00:00Z, or milliseconds since 1970" },
    { name: "full", about: "Show the full result on a terminal too, even above 1 MiB" },
    { name: "record", about: "Record the call for `replay`" },
    { name: "dry-run", about: "Show what would change without changing anything" },
    {
      name: "apply",
      about: "Commit the dry run without asking, unless policy requires a confirmation; a non-zero exit code means not committed",
    },
    ...CONTEXT_OPTIONS,
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
    FROZEN_OPTION,
  ],
  run: async (context) => {
    const oneRun = await permissionsOfRun(context.options, context.platform);
    const [onlyTool = ""] = context.positionals;
    return await withHost(context, (host) => call(context, host), { oneRun, onlyTool });
  },
};

async function call(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options, signal } = context;
  const [tool = "", ...words] = positionals;
  const args = await readToolArguments(tool, words, context, host);
  const confirm = terminalPrompt(platform, output);
  const timeoutMs = readTimeout(options.value("timeout"));

  const seed = options.value("seed");
  const timeMs = readTime(options.value("time"));

  const answered = await host.operations.call(
    {
      tool,
      args,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(seed === undefined ? {} : { seed }),
      ...(timeMs === undefined ? {} : { timeMs }),
      ...(options.has("record") ? { record: true } : {}),
      ...(options.has("dry-run") || options.has("apply") ? { dryRun: true } : {}),
      ...requestContext(options),
    },
    {
      signal,
      onProgress: (progress: JsonValue) =>
        output.note(output.style.dim(`… ${printable(typeof progress === "string" ? progress : JSON.stringify(progress))}`)),
      ...(confirm ? { confirm } : {}),
    },
  );
  // A file or a program cannot tell a truncated result from a complete one.
  const wantsAll = options.has("full") || !platform.terminal.outIsTerminal;
  const result = wantsAll ? await wholeResult(answered, host.operations) : answered;
  const { truncated } = result;
  if (truncated !== undefined && (wantsAll || !result.ok)) output.note(incompleteText(truncated));
  else if (truncated !== undefined) output.note(output.style.dim(truncatedText(truncated, output.program)));
  if (result.recording !== undefined) output.note(output.style.dim(recordingLine(result.callId, result.recording, output.program)));
  if (result.ok) {
    output.line(successText(result));
    const committed = await commitDryRun(context, host, result);
    const isDone = committed === undefined || committed.ok;
    output.document(committed === undefined ? result : { ...result, ok: isDone, committed });
    if (!isDone) return committed.code === "refused" ? EXIT.denied : EXIT.failed;
    return wantsAll && truncated !== undefined ? EXIT.limit : EXIT.ok;
  }
  const { cwd } = platform.environment;
  const { workspace } = await host.operations.status();
  for (const line of failureLines(result, output, { cwd, workspace })) output.note(line);
  for (const line of await thrownLines(result, { operations: host.operations, files: platform.files, output, cwd }))
    output.note(`  ${line}`);
  for (const line of await namesMeant(result, args, host.operations)) output.note(`  ${line}`);
  await commitDryRun(context, host, result);
  output.document(result);
  return exitCodeFor(result.error);
}

function recordingLine(callId: string, recording: RecordingSummary, program: string): string {
  return recording.kept ? `(recorded: ${program} replay ${printable(callId)})` : `(not recorded: ${recording.reason})`;
}

/** Parses `--time`. A time without a zone is refused because it depends on the machine. */
function readTime(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const timeMs = /^-?\d+$/.test(written) ? Number(written) : ZONED_TIME.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw usageError(`Option "--time" must be a time such as 2026-01-31T12:00:00Z, or milliseconds, not "${written}"`);
  return timeMs;
}

const ZONED_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

function readTimeout(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const timeoutMs = Number(written);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw usageError(`Option "--timeout" must be a positive integer (milliseconds), not "${written}"`);
  return timeoutMs;
}
