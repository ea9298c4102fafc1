/** Turns a recorded call into a case for `bascule test`: its arguments, its answers and its outcome (SPEC B8). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { createSandbox } from "../../sandbox/mod.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import type { Platform } from "../platform/platform.ts";
import { faultToError } from "../routes/fault-to-error.ts";
import { partsOutcome, plainOutcome } from "../routes/output.ts";
import { type CaseAnswer, collapseWorkspace, createCaseAnswers, toCaseAnswer } from "./case-answers.ts";
import { readCases } from "./cases.ts";
import type { Recording, RecordedOutcome } from "../call/recording.ts";
import { asJson, findTool } from "./replay.ts";

interface ExportOptions {
  readonly recording: Recording;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly platform: Pick<Platform, "files" | "workers">;
  /** Absolute path of a file of cases. It is created, or the case is appended. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly onDefect: (message: string) => void;
}

/** The case's name, and notes for the user. */
interface ExportedCase {
  readonly name: string;
  readonly notes: readonly string[];
}

/** The call cannot become a case, or the file cannot hold one. The message says why. */
export class ExportError extends Error {
  override readonly name = "ExportError";
}

/**
 * @throws {ExportError} if the call cannot become a case
 * @throws {FileError} if the file cannot be written
 */
export async function exportCase(options: ExportOptions): Promise<ExportedCase> {
  const { recording, platform, path } = options;
  if (recording.tape.stop !== undefined) throw new ExportError("A call that was stopped by a timeout or by the user cannot become a case");
  const before = await readList(path, platform);
  const { workspace, permissions } = contextOf(recording);
  const answers = recording.operations.flatMap(({ name, args, sent, answer }) =>
    answer === undefined || isTold(name) ? [] : [toCaseAnswer({ name, args }, sent?.sha256, answer)],
  );
  const outcome = await runWith(answers, workspace, options);
  const name = `as recorded ${new Date(recording.recordedMs).toISOString()} (${recording.callId})`;
  const made = {
    name,
    tool: recording.tool.slice(recording.plugin.length + 1),
    args: recording.args,
    seed: recording.seed,
    time: new Date(startOf(recording)).toISOString(),
    grants: permissions,
    answers: answers as unknown as JsonValue,
    expect: toExpectation(outcome),
  };
  await platform.files.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/");
  await platform.files.writeAtomic(path, `${JSON.stringify([...before, collapseWorkspace(made, workspace)], undefined, 2)}\n`);
  const asBefore = equalJson(asJson(outcome), asJson(recording.outcome));
  const differs = "The case expects another outcome than the recording: in a case, time passes only by what the tool does";
  return { name, notes: asBefore ? [] : [differs] };
}

function startOf({ timeMs, tape }: Recording): number {
  return timeMs ?? tape.startMs;
}

/** Runs the call as `bascule test` will: with its own clock, and answers in the order of asking. */
async function runWith(answers: readonly CaseAnswer[], workspace: string, options: ExportOptions): Promise<RecordedOutcome> {
  const { recording, platform, signal } = options;
  const found = findTool(recording, options.files);
  if (typeof found === "string") throw new ExportError(found);
  const sandbox = createSandbox(platform.workers, { maximumWorkers: 1, onDefect: options.onDefect });
  try {
    const loaded = await sandbox.load(found.source);
    if (!loaded.ok) throw new ExportError(`The plugin does not load: ${loaded.fault.message}`);
    const { tool, manifest } = found;
    const bench = createCaseAnswers(answers, workspace);
    const ended = await sandbox.invoke({
      callId: recording.callId,
      digest: recording.digest,
      module: tool.module ?? manifest.main,
      export: tool.export ?? tool.name,
      args: recording.args,
      contextText: recording.contextText,
      limits: recording.limits,
      conditions: { seed: recording.seed, timeMs: startOf(recording) },
      hostCall: (operation) => (isTold(operation.name) ? Promise.resolve({ ok: true, value: null }) : bench.answer(operation)),
      onLogs: () => {},
      signal,
    });
    const [missing] = bench.missing();
    if (missing !== undefined) throw new ExportError(`The outcome depends on timing, which a case cannot express: it asks for ${missing}`);
    if (ended.ok && ended.parts !== undefined)
      throw new ExportError("The output is larger than 64 KB: the recording has only its hash, and a case cannot expect a hash");
    return ended.ok ? { ok: true, output: ended.output } : { ok: false, fault: ended.fault };
  } finally {
    await sandbox.close();
  }
}

function contextOf({ contextText }: Recording): { readonly workspace: string; readonly permissions: JsonValue } {
  // `readRecording()` has checked that the text is an object.
  const { workspacePath = "", permissions = {} } = JSON.parse(contextText) as JsonObject;
  return { workspace: typeof workspacePath === "string" ? workspacePath : "", permissions };
}

function toExpectation(outcome: RecordedOutcome): JsonObject {
  if (!outcome.ok) {
    const { code, message } = faultToError(outcome.fault);
    return { ok: false, error: { code, message } };
  }
  const { output } = outcome;
  const facts = { used: { wallMs: 0 }, filesModified: [] };
  const { t: parts, o: answer = null }: JsonObject = isJsonObject(output) ? output : {};
  const told = isJsonObject(parts) ? partsOutcome(parts, facts) : plainOutcome(answer, facts);
  return told.ok ? { ok: true, output: told.output } : { ok: false, error: { code: told.error.code, message: told.error.message } };
}

/** Reads the cases of the file. A file with anything else is left alone. */
async function readList(path: string, { files }: Pick<Platform, "files">): Promise<readonly JsonValue[]> {
  if ((await files.stat(path)) === undefined) return [];
  const text = await files.readText(path);
  const read = readCases(text);
  if (!read.ok) throw new ExportError(`Cannot add to the file: ${read.message}`);
  const list = JSON.parse(text) as JsonValue;
  return isJsonArray(list) ? list : [];
}

/** Whether an operation tells the caller something, and asks for nothing. */
function isTold(operation: string): boolean {
  return operation === "progress" || operation === "yield";
}
