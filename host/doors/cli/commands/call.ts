/** `bascule call`: calls one tool. */

import type { RecordingSummary } from "../../../call/recording.ts";
import type { ConfirmPrompt, ToolResult } from "../../../call/call.ts";
import type { CallGrant } from "../../../call/grant.ts";
import type { Committed } from "../../../effects/overlay/dry-runs.ts";
import type { JsonValue, Permissions } from "../../../../manifests/mod.ts";
import { usageError } from "../cli-error.ts";
import type { ClientCommand, ClientContext } from "../command.ts";
import type { Attempt } from "../ask-grant.ts";
import { EXIT, exitCodeFor } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { CONTEXT_OPTIONS, requestContext, SESSION_OPTION } from "../request-context.ts";
import { createLiveRegion } from "../live-region.ts";
import { progressText } from "../progress-text.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { grantedLine } from "../grant-advice.ts";
import { failureLines, successText } from "../result-text.ts";
import { tableOf } from "../table.ts";
import { printable } from "../../../primitives/text.ts";
import { absolutePath } from "../paths.ts";
import { fileOf, imageProtocol, imageSequence, saveBlock } from "../result-file.ts";
import { showYielded } from "../yielded.ts";
import { listAdvice, namesMeant } from "../names-meant.ts";
import { PROFILE_OPTIONS } from "../profile-options.ts";
import { thrownLines } from "../thrown-frame.ts";
import { incompleteText, truncatedText, wholeResult } from "../whole-result.ts";
import { ARGS_OPTION, readToolArguments } from "../tool-arguments.ts";

export const callCommand: ClientCommand = {
  name: "call",
  summary: "Call a tool",
  usage: "call <tool> [key=value … | json | -]",
  words: ["tool", []],
  details: [
    "Arguments are key=value words, one JSON object, or - for JSON on stdin. Write key:=json to pass JSON regardless of the tool's schema.",
    "The result goes to stdout, everything else to stderr. If stdout is not a terminal, the result is written in full.",
    "What a tool yields is written as it comes.",
    "Images are shown in terminals that can (kitty, iTerm2, WezTerm, Ghostty), else saved to the temporary folder.",
    "Permission flags apply to this run only.",
    "If a permission is missing, asks on a terminal whether to grant it: once is for this call only, always is stored as `grant` does. --no-input never asks.",
    "With --dry-run nothing is changed: shows the changes, and on a terminal asks whether to apply them.",
  ],
  examples: [
    "call word_count path=README.md",
    `call grep '{"pattern": "TODO", "path": "docs"}'`,
    "call grep --args arguments.json",
    "call word_count path=README.md --allow-read=.",
    "call tidy folder=notes --dry-run",
    "call next_page --session reading",
    "call chart --args data.json --out chart.png",
    "call roll sides=6 --seed one --time 2026-01-31T12:00:00Z",
  ],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [
    ARGS_OPTION,
    { name: "timeout", value: "ms", about: "Abort the call after this many milliseconds" },
    { name: "seed", value: "text", about: "Seed for the tool's random numbers: the same seed gives the same numbers" },
    { name: "time", value: "time", about: "The time that the tool sees: 2026-01-31T12:00:00Z, or milliseconds since 1970" },
    { name: "out", value: "file", about: "Write the result to a file: its image, sound or bytes, else its text, else its JSON" },
    { name: "full", about: "Show the full result on a terminal too, even above 1 MiB" },
    { name: "record", about: "Record the call for `replay` and `trace`" },
    { name: "trace", about: "Record the call, and show its operations with times and lines" },
    { name: "profile", about: "Record the call, and show the time of each function" },
    ...PROFILE_OPTIONS,
    { name: "dry-run", about: "Show what would change without changing anything" },
    {
      name: "apply",
      about: "Commit the dry run without asking, unless policy requires a confirmation; a non-zero exit code means not committed",
    },
    ...CONTEXT_OPTIONS,
    SESSION_OPTION,
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
    FROZEN_OPTION,
  ],
  run: async (context) => {
    const { options, platform } = context;
    const hasPermissions = RUN_OPTIONS.some(({ name }) => options.has(name));
    const oneRun = hasPermissions ? await (await import("../permission-set.ts")).permissionsOfRun(options, platform) : {};
    const [onlyTool = ""] = context.positionals;
    return await withHost(context, (host) => call(context, host), { oneRun, onlyTool });
  },
};

async function call(context: ClientContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options, signal } = context;
  const [tool = "", ...words] = positionals;
  const { cwd } = platform.environment;
  const args = await readToolArguments(tool, words, context, host);
  // The status lists all plugins, so only calls that show paths of the workspace ask for it.
  const placeOf = async (): Promise<ReaderPlace> => ({ cwd, workspace: (await host.operations.status()).workspace });
  const progress = createLiveRegion(context, () => {});
  const granted: { readonly plugin: string; readonly permissions: Permissions }[] = [];
  const grant = (plugin: string, permissions: Permissions): void => void granted.push({ plugin, permissions });
  const confirm: ConfirmPrompt = async (request, asked) => {
    progress.ended(CALL);
    // Loaded by who is asked: most calls need no confirmation.
    const { terminalPrompt } = await import("../confirm.ts");
    return await terminalPrompt(platform, output, { place: await placeOf(), grant })?.(request, asked);
  };
  if (options.value(SESSION_OPTION.name) !== undefined && !host.running)
    output.note(`(no host is running here, so the session ends with this call: start "${output.program} dev" or "serve" first)`);
  const timeoutMs = readTimeout(options.value("timeout"));

  const seed = options.value("seed");
  const timeMs = readTime(options.value("time"));

  let yielded = showYielded(output, () => platform.terminal.drained(signal));
  const attempt = async (callGrant?: CallGrant): Promise<Attempt> => {
    yielded = showYielded(output, () => platform.terminal.drained(signal));
    const request = {
      tool,
      args,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(seed === undefined ? {} : { seed }),
      ...(timeMs === undefined ? {} : { timeMs }),
      ...(options.has("record") || isObserved(options) ? { record: true } : {}),
      ...(options.has("dry-run") || options.has("apply") ? { dryRun: true } : {}),
      ...requestContext(options),
      ...(callGrant && { callGrant }),
    };
    const called = await host.operations.call(request, {
      signal,
      onProgress: (value: JsonValue) => {
        if (output.live === undefined) output.note(output.style.dim(`… ${progressText(value)}`));
        else progress.progress(CALL, tool, value);
      },
      onYield: yielded.onYield,
      ...(platform.terminal.interactive && { confirm }),
    });
    progress.ended(CALL);
    for (const { plugin, permissions } of granted.splice(0)) {
      await host.operations.grant(plugin, permissions);
      output.note(grantedLine(plugin, permissions, { ...(await placeOf()), program: output.program }));
    }
    return { result: called, isWritten: yielded.isWritten() };
  };
  const first = await attempt();
  const isAsked = !first.result.ok && platform.terminal.interactive && !output.json;
  const answered = isAsked
    ? await (await import("../ask-grant.ts")).askAndCall(context, host, await placeOf(), { first, call: attempt })
    : first.result;
  // The bar is on stderr, and the result must not appear above it.
  if (output.live !== undefined) await platform.terminal.flush();
  // A file or a program cannot tell a truncated result from a complete one.
  const out = options.value("out");
  const wantsAll = options.has("full") || out !== undefined || !platform.terminal.outIsTerminal;
  const result = wantsAll ? await wholeResult(answered, host.operations) : answered;
  const isShown = yielded.end(result);
  const { truncated } = result;
  if (truncated !== undefined && (wantsAll || !result.ok)) output.note(incompleteText(truncated));
  else if (truncated !== undefined) output.note(output.style.dim(truncatedText(truncated, output.program)));
  if (result.recording !== undefined) output.note(output.style.dim(recordingLine(result.callId, result.recording, output.program)));
  if (result.ok) {
    if (out !== undefined) await writeOut(out, result, context);
    else if (!isShown) await showResult(result, context);
    const observed = await showTrace(context, result);
    const committed = await commitShown(context, host, result);
    const isDone = committed === undefined || committed.ok;
    const document = { ...result, ...observed };
    output.document(committed === undefined ? document : { ...document, ok: isDone, committed });
    if (!isDone) return committed.code === "refused" ? EXIT.denied : EXIT.failed;
    return wantsAll && truncated !== undefined ? EXIT.limit : EXIT.ok;
  }
  for (const line of failureLines(result, output, await placeOf())) output.note(line);
  for (const line of await thrownLines(result, { operations: host.operations, files: platform.files, output, cwd }))
    output.note(`  ${line}`);
  const meant = await namesMeant(result, args, host.operations, output.program);
  for (const line of meant) output.note(`  ${line}`);
  if (result.error.code === "tool_not_found" && meant.length === 0) {
    const { shippedMeant } = await import("../shipped-plugins.ts");
    const shipped = await shippedMeant(platform, tool, output.program);
    for (const line of shipped.length > 0 ? shipped : [listAdvice(output.program)]) output.note(`  ${line}`);
  }
  const observed = await showTrace(context, result);
  await commitShown(context, host, result);
  output.document({ ...result, ...observed });
  return exitCodeFor(result.error);
}

/** Name of the only call in its progress. */
const CALL = "call";

function isObserved(options: ClientContext["options"]): boolean {
  return ["trace", "profile", "profile-out"].some((name) => options.has(name));
}

/** Shows what `--trace` and `--profile` ask for, beside the result. */
async function showTrace(context: ClientContext, { callId, recording }: ToolResult): Promise<object> {
  const { options, output } = context;
  // The line above says why a call was not recorded.
  if (!isObserved(options) || recording?.kept !== true) return {};
  const { showObserved } = await import("../show-observed.ts");
  const { trace, profile } = await showObserved(
    callId,
    { ...context, platform: await context.whole() },
    {
      trace: options.has("trace"),
      profile: options.has("profile") || options.has("profile-out"),
      write: (line) => output.note(line),
    },
  );
  return { ...(trace && { trace }), ...(profile && { profile }) };
}

/** Shows the changes of a dry run, and commits them if the user agrees. */
async function commitShown(context: ClientContext, host: HostAccess, result: ToolResult): Promise<Committed | undefined> {
  return result.dryRun && (await (await import("../commit-dry-run.ts")).commitDryRun(context, host, result));
}

async function writeOut(out: string, result: ToolResult, { output, platform }: ClientContext): Promise<void> {
  const { about, contents } = fileOf(result);
  const path = absolutePath(out, platform.environment.cwd);
  await platform.files.writeAtomic(path, contents);
  const bytes = typeof contents === "string" ? new TextEncoder().encode(contents).length : contents.length;
  output.note(`Wrote ${printable(path)} (${about}, ${bytes} bytes)`);
}

/** Shows the result. On a terminal images are shown or saved, and a list of flat objects is a table; a file or a program gets text. */
async function showResult(result: ToolResult, { output, platform }: ClientContext): Promise<void> {
  const { terminal, environment } = platform;
  if (!terminal.outIsTerminal || output.json) {
    output.line(successText(result));
    if (result.content.some((block) => "data" in block || "blob" in block))
      output.note(output.style.dim("(--out=<file> writes the bytes)"));
    return;
  }
  const protocol = imageProtocol(environment);
  let isLeft = false;
  for (const [index, block] of result.content.entries()) {
    const sequence = protocol && imageSequence(block, protocol);
    const saved = sequence === undefined ? await saveBlock(block, `bascule-${result.callId}-${index + 1}`, platform) : undefined;
    if (sequence !== undefined) terminal.out(sequence);
    else if (saved !== undefined) output.note(`Saved ${printable(saved)}`);
    else isLeft = true;
  }
  const lines = result.content.length === 0 ? tableOf(result.output, output) : undefined;
  if (lines !== undefined) for (const line of lines) output.line(line);
  else if (isLeft || result.content.length === 0) output.line(successText(result));
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
