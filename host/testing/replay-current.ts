/**
 * Runs a recorded call on the code as it is now, and on the recorded code, under the same conditions: the recorded arguments, answers, seed
 * and start time. So every difference comes from the code.
 *
 * A recording fixes the order of answers and each read of the clock for one version only. Here the clock stands at the recorded start and
 * advances with what the call does, and answers enter in the order of their requests.
 */

import { createSandbox, type Sandbox } from "../../sandbox/mod.ts";
import type { Recording, RecordedOutcome } from "../call/recording.ts";
import { createMatchedAnswers, keyOf, type MatchedOperation, type ShownOperation } from "../effects/recordings/answers.ts";
import { digestFiles } from "../primitives/digest.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import { asJson, findTool, patient, recordedOutcome, type ReplayOptions } from "./replay.ts";

interface CurrentOptions extends Omit<ReplayOptions, "files" | "observes"> {
  /** The recorded files. Undefined if they were not kept; then the recording stands for them. */
  readonly before: ReadonlyMap<string, Uint8Array> | undefined;
  readonly now: ReadonlyMap<string, Uint8Array>;
}

/** An operation, with the author's line that sent it if that is known. */
export interface LinedOperation extends ShownOperation {
  readonly at?: string;
}

/** The first operation that differs. `before` or `now` is absent if that version sends fewer. */
interface FirstDifference {
  /** From 1. */
  readonly place: number;
  readonly before?: LinedOperation;
  readonly now?: LinedOperation;
}

export interface CodeComparison {
  readonly kind: "same" | "different";
  readonly digest: string;
  readonly before: RecordedOutcome;
  readonly now: RecordedOutcome;
  readonly isSameResult: boolean;
  readonly first?: FirstDifference;
  /** Operations of the new code that the recording does not answer. They were not run. */
  readonly notRecorded: readonly LinedOperation[];
  /** Recorded operations that the new code does not send. */
  readonly gone: readonly LinedOperation[];
}

/** Returns why the comparison is impossible instead, if it is. */
export async function replayWithCurrent(options: CurrentOptions): Promise<CodeComparison | string> {
  const { recording, before, now, platform } = options;
  const sandbox = createSandbox(platform.workers, { maximumWorkers: 1, onDefect: options.onDefect });
  try {
    const digest = await digestFiles(now);
    const old = before === undefined ? recordedRun(recording) : await runCode(sandbox, before, recording.digest, options);
    if (typeof old === "string") return old;
    const current = await runCode(sandbox, now, digest, options);
    if (typeof current === "string") return current;
    return compareRuns(old, current, digest);
  } finally {
    await sandbox.close();
  }
}

interface CodeRun {
  readonly outcome: RecordedOutcome;
  readonly asked: readonly (LinedOperation & Pick<MatchedOperation, "isRecorded">)[];
}

function recordedRun({ outcome, operations }: Recording): CodeRun {
  return { outcome, asked: operations.map(({ name, args, sent }) => ({ name, args, ...(sent && { sent }), isRecorded: true })) };
}

/** Bound of the operations of one run, because all are kept for the comparison. */
const MOST_OPERATIONS = 20_000;

async function runCode(
  sandbox: Sandbox,
  files: ReadonlyMap<string, Uint8Array>,
  digest: string,
  { recording, signal, platform }: CurrentOptions,
): Promise<CodeRun | string> {
  const found = findTool({ ...recording, digest }, files);
  if (typeof found === "string") return found;
  const { tool, manifest, source } = found;
  const loaded = await sandbox.load(source);
  if (!loaded.ok) return `The plugin does not load: ${loaded.fault.message}`;
  const answers = createMatchedAnswers(recording.operations);
  const { limits } = recording;
  const outcome = await sandbox.invoke({
    callId: recording.callId,
    digest,
    module: tool.module ?? manifest.main,
    export: tool.export ?? tool.name,
    args: recording.args,
    contextText: recording.contextText,
    limits: { ...patient(limits), cpuMs: limits.cpuMs, operations: Math.min(limits.operations, MOST_OPERATIONS) },
    conditions: { seed: recording.seed, timeMs: recording.timeMs ?? recording.tape.startMs, observes: true },
    hostCall: answers.answer,
    onLogs: () => {},
    signal,
  });
  if (signal.aborted) return "The replay was cancelled";
  const { observed } = outcome;
  const asked = answers.asked().map(({ place, ...operation }) => {
    const at = observed?.places[observed.asked[place - 1] ?? -1];
    return at === undefined ? operation : { ...operation, at };
  });
  return { outcome: await recordedOutcome(outcome, platform), asked };
}

function compareRuns(old: CodeRun, current: CodeRun, digest: string): CodeComparison {
  const isSameResult = equalJson(asJson(withoutStack(old.outcome)), asJson(withoutStack(current.outcome)));
  const first = firstDifference(old.asked, current.asked);
  return {
    kind: isSameResult && first === undefined ? "same" : "different",
    digest,
    before: old.outcome,
    now: current.outcome,
    isSameResult,
    ...(first && { first }),
    notRecorded: current.asked.filter(({ isRecorded }) => !isRecorded),
    gone: missing(old.asked, current.asked),
  };
}

/** An error keeps its meaning when its line moves. */
function withoutStack(outcome: RecordedOutcome): RecordedOutcome {
  return outcome.ok || !("stack" in outcome.fault) ? outcome : { ok: false, fault: { ...outcome.fault, stack: "" } };
}

/** Returns the operations of `before` that `now` does not have, each counted. */
function missing(before: readonly LinedOperation[], now: readonly LinedOperation[]): readonly LinedOperation[] {
  const left = new Map<string, number>();
  for (const operation of now) left.set(keyOf(operation), (left.get(keyOf(operation)) ?? 0) + 1);
  return before.filter((operation) => {
    const count = left.get(keyOf(operation)) ?? 0;
    left.set(keyOf(operation), count - 1);
    return count <= 0;
  });
}

function firstDifference(before: readonly LinedOperation[], now: readonly LinedOperation[]): FirstDifference | undefined {
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [one, other] = [before[index], now[index]];
    if (one !== undefined && other !== undefined && keyOf(one) === keyOf(other)) continue;
    return { place: index + 1, ...(one && { before: one }), ...(other && { now: other }) };
  }
  return undefined;
}
