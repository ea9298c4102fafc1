/** Runs a recorded call again: same version, answers, time and randomness, without access to anything outside (SPEC B8). */

import { callablesOf, type JsonValue, type Limits, type Manifest, parseManifest, type ToolDefinition } from "../../manifests/mod.ts";
import { createSandbox, type InvocationOutcome, type Observed, type PluginSource, type Sandbox } from "../../sandbox/mod.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import type { Platform } from "../platform/platform.ts";
import { decodeManifest, toSource } from "../plugins/folder/compile.ts";
import { MANIFEST_FILE } from "../plugins/folder/walk.ts";
import { createRecordedAnswers, type OperationDifference } from "../effects/recordings/answers.ts";
import { recordedParts } from "../effects/recordings/recorded-parts.ts";
import type { Recording, RecordedOutcome, RecordedUse } from "../call/recording.ts";

export interface ReplayOptions {
  readonly recording: Recording;
  /** The plugin files that the recording's hash is of. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly platform: Pick<Platform, "workers" | "slices" | "sha256">;
  readonly signal: AbortSignal;
  /** Observes the call; then the outcome carries the observations. */
  readonly observes?: boolean;
  readonly onDefect: (message: string) => void;
}

export type ReplayOutcome =
  | { readonly kind: "same"; readonly outcome: RecordedOutcome; readonly observed?: Observed }
  /** In the order in which the differences occurred. */
  | {
      readonly kind: "different";
      readonly differences: readonly [Difference, ...Difference[]];
      readonly outcome: RecordedOutcome;
      readonly observed?: Observed;
    }
  /** The call could not be run. */
  | { readonly kind: "impossible"; readonly reason: string };

export type Difference =
  | OperationDifference
  /** The call reads the clock, or waits, in another order. */
  | { readonly kind: "order" }
  | { readonly kind: "outcome"; readonly recorded: RecordedOutcome; readonly now: RecordedOutcome }
  | { readonly kind: "used"; readonly what: keyof RecordedUse; readonly recorded: number; readonly now: number };

/** Factor by which a replay may take longer than the recorded limit: a slow machine is not a difference. */
const WALL_FACTOR = 20;
const MIN_WALL_MS = 60_000;

export async function replay(options: ReplayOptions): Promise<ReplayOutcome> {
  const sandbox = createSandbox(options.platform.workers, { maximumWorkers: 1, onDefect: options.onDefect });
  try {
    return await replayIn(sandbox, options);
  } finally {
    await sandbox.close();
  }
}

/** Replays in an existing sandbox. */
export async function replayIn(sandbox: Sandbox, options: Omit<ReplayOptions, "onDefect">): Promise<ReplayOutcome> {
  const found = findTool(options.recording, options.files);
  if (typeof found === "string") return { kind: "impossible", reason: found };
  const loaded = await sandbox.load(found.source);
  if (!loaded.ok) return { kind: "impossible", reason: `The plugin does not load: ${loaded.fault.message}` };
  return await run(found, options, sandbox);
}

/** The parts of a plugin's files that are needed to run one call. */
interface ReplayTool {
  readonly source: PluginSource;
  readonly manifest: Manifest;
  readonly tool: ToolDefinition;
}

/** @returns the tool, or why it was not found */
export function findTool({ tool: name, plugin, digest, limits }: Recording, files: ReadonlyMap<string, Uint8Array>): ReplayTool | string {
  const text = decodeManifest(files.get(MANIFEST_FILE) ?? new Uint8Array());
  const parsed = text === undefined ? undefined : parseManifest(text, { files: new Set(files.keys()), plugins: new Set() });
  if (parsed === undefined || !parsed.ok) return "This version of bascule cannot read the plugin's manifest";
  const manifest = parsed.value;
  const tool = callablesOf(manifest).find((own) => `${plugin}.${own.name}` === name);
  if (tool === undefined) return `The plugin has no tool "${name}"`;
  return { manifest, tool, source: toSource({ name: plugin, digest, manifest, files }, { memoryBytes: limits.memoryBytes }) };
}

async function run(
  { tool, manifest }: ReplayTool,
  options: Pick<ReplayOptions, "recording" | "signal" | "platform" | "observes">,
  sandbox: Sandbox,
): Promise<ReplayOutcome> {
  const { recording } = options;
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  options.signal.addEventListener("abort", abort, { once: true });
  if (options.signal.aborted) abort();
  const answers = createRecordedAnswers(recording.operations, abort);
  const outcome = await sandbox.invoke({
    callId: recording.callId,
    digest: recording.digest,
    module: tool.module ?? manifest.main,
    export: tool.export ?? tool.name,
    args: recording.args,
    contextText: recording.contextText,
    limits: patient(recording.limits),
    conditions: {
      seed: recording.seed,
      tape: recording.tape,
      ...(options.observes === true && { observes: true }),
      ...(recording.timeMs !== undefined && { timeMs: recording.timeMs }),
    },
    hostCall: answers.answer,
    onLogs: () => {},
    signal: stop.signal,
  });
  options.signal.removeEventListener("abort", abort);
  if (options.signal.aborted) return { kind: "impossible", reason: "The replay was cancelled" };
  const ended = { outcome: await recordedOutcome(outcome, options.platform), used: outcome.used };
  const compared = compare(recording, ended, answers.difference(true));
  return outcome.observed === undefined || compared.kind === "impossible" ? compared : { ...compared, observed: outcome.observed };
}

export function patient(limits: Limits): Limits {
  const wallMs = Math.max(MIN_WALL_MS, limits.wallMs * WALL_FACTOR);
  return { ...limits, wallMs, cpuMs: wallMs };
}

/** Returns the bytes as they are: a call with secrets removed is not replayed. */
// oxlint-disable-next-line require-yield -- nothing to do
function* unredacted({ bytes }: { readonly bytes: Uint8Array }): Generator<void, Uint8Array> {
  return bytes;
}

export async function recordedOutcome(outcome: InvocationOutcome, platform: ReplayOptions["platform"]): Promise<RecordedOutcome> {
  if (!outcome.ok) return { ok: false, fault: outcome.fault };
  const { output, parts } = outcome;
  return { ok: true, output, ...(parts && { parts: (await recordedParts(parts, platform, unredacted)).parts }) };
}

interface EndedCall extends Pick<InvocationOutcome, "used"> {
  readonly outcome: RecordedOutcome;
}

function compare(recording: Recording, { outcome, used }: EndedCall, asked: OperationDifference | undefined): ReplayOutcome {
  const differences: Difference[] = [];
  // After a difference in operations, the others follow from it.
  if (asked !== undefined) differences.push(asked);
  else if (!outcome.ok && outcome.fault.kind === "differs") differences.push({ kind: "order" });
  else {
    if (!equalJson(asJson(recording.outcome), asJson(outcome)))
      differences.push({ kind: "outcome", recorded: recording.outcome, now: outcome });
    // A call that was stopped from outside may have been stopped at another point.
    const isWhole = recording.tape.stop === undefined;
    for (const what of ["operations", "logBytes", "outputBytes", "fuel"] as const)
      if (isWhole && used[what] !== recording.used[what])
        differences.push({ kind: "used", what, recorded: recording.used[what], now: used[what] });
  }
  const [first, ...others] = differences;
  return first === undefined ? { kind: "same", outcome } : { kind: "different", differences: [first, ...others], outcome };
}

/** An outcome holds only JSON; undefined members are left out. */
export function asJson(outcome: RecordedOutcome): JsonValue {
  return JSON.parse(JSON.stringify(outcome)) as JsonValue;
}
