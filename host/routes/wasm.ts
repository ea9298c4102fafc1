/** The `wasm` route: runs a plugin's tool in the sandbox; the bridges answer its every act under the call's grant (SPEC O2, B5). */

import { sessionOwner } from "../call/session.ts";
import { answerOperation } from "../capabilities/mod.ts";
import { isJsonObject, type JsonObject } from "../../manifests/mod.ts";
import { cancelled, type ToolErrorData, unavailable } from "../call/errors.ts";
import { MAXIMUM_STATE_BYTES } from "../../sandbox/mod.ts";
import type { HostAnswer, HostCallHandler, HostOperation, Invocation, InvocationOutcome, LoadOutcome, Sandbox } from "../../sandbox/mod.ts";
import type { ToolCall } from "../call/call.ts";
import type { RecordingSummary } from "../call/recording.ts";
import type { FrozenCalls } from "../effects/frozen/frozen-calls.ts";
import type { Recorder } from "../effects/recordings/recorder.ts";
import { textOf } from "../primitives/json/known-size.ts";
import type { PluginVersion } from "../tools/tool.ts";
import type { Execution, Executor, Outcome } from "../tools/execution.ts";
import { faultToError } from "./fault-to-error.ts";
import { guestContextText } from "./guest-context.ts";
import { partsOutcome, plainOutcome } from "./output.ts";
import type { RouteOptions } from "./route-options.ts";
import { openRunRecord, type RunRecord } from "./run-record.ts";

export interface WasmRouteOptions extends RouteOptions {
  readonly sandbox: Pick<Sandbox, "invoke">;
  /** Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /** Absent: calls end with the process. */
  readonly frozen?: Pick<FrozenCalls, "freezing">;
  /** Keeps the version's image while the call runs, even if the plugin is reloaded (SPEC H4). */
  readonly lease: (version: PluginVersion) => ImageLease;
}

/** A call's claim on an image: await `ready` before invoking, and release it when the call has ended. */
export interface ImageLease {
  /** Not a promise if the image is already loaded. */
  readonly ready: LoadOutcome | Promise<LoadOutcome>;
  release(): void;
}

export function createWasmExecutor(options: WasmRouteOptions): Executor {
  return async (execution) => {
    const { binding, qualifiedName } = execution.tool;
    if (binding.kind !== "plugin" || execution.tool.plugin === undefined) {
      const reason = `it is host code, which the wasm route cannot run (remove the rule that sets its route, or set "host")`;
      return { ok: false, error: unavailable(qualifiedName, reason), used: { wallMs: 0 }, filesModified: [] };
    }
    const record = openRunRecord(execution, options);
    const lease = options.lease(binding.version);
    try {
      const { ready } = lease;
      const loaded = ready instanceof Promise ? await ready : ready;
      if (!loaded.ok)
        return {
          ok: false,
          error: unavailable(qualifiedName, loaded.fault.message),
          used: { wallMs: record.elapsedMs() },
          filesModified: [],
        };
      const preparing = options.dataFolders?.prepare(execution.tool.plugin, binding.version.manifest);
      if (preparing !== undefined) await preparing;
      const { outcome, recording } = await invoke(binding.version, execution, record, options);
      const ending = record.end();
      const ended = ending && (await ending);
      const told = toOutcome(outcome, record, execution.signal);
      const stateLost = lostState(binding.version, execution, outcome);
      if (stateLost !== undefined) record.log.write("warn", stateLost);
      const metadata = stateLost !== undefined && { metadata: { ...told.metadata, stateLost } };
      return { ...told, ...metadata, ...(recording && { recording }), ...ended };
    } finally {
      record.close();
      lease.release();
    }
  };
}

const STATE_LOST =
  "The plugin's session state was lost and the call started with fresh state: the state was too large or evicted, its process ended, or the plugin was reloaded";

/**
 * Returns why the session's state is missing or was not kept: the call started with fresh state although a previous call had kept some, or
 * it left too much. Repeated until a call leaves state again.
 */
function lostState({ manifest: { name } }: PluginVersion, { call }: Execution, outcome: InvocationOutcome): string | undefined {
  const { stateful } = call.session;
  const lost = outcome.beganAfresh === true && stateful.has(name);
  if (outcome.beganAfresh === true && outcome.ok) stateful.add(name);
  if (outcome.ok && outcome.droppedStateBytes !== undefined) return tooLargeState(outcome.droppedStateBytes);
  return lost ? STATE_LOST : undefined;
}

function tooLargeState(bytes: number): string {
  return `The plugin's session state takes ${bytes} bytes, more than the ${MAXIMUM_STATE_BYTES} that are kept: the next call starts with fresh state (keep less between calls; freed memory counts too)`;
}

async function invoke(
  version: PluginVersion,
  execution: Execution,
  record: RunRecord,
  { sandbox, recorder, frozen }: WasmRouteOptions,
): Promise<{ readonly outcome: InvocationOutcome; readonly recording: RecordingSummary | undefined }> {
  const { tool, call, args, decision, signal, meter } = execution;
  const argsText = textOf(args);
  const contextText = guestContextText(execution, record);
  const limits = meter.cpuMs < decision.limits.cpuMs ? { ...decision.limits, cpuMs: meter.cpuMs } : decision.limits;
  const recording = recorder?.begin({ call, tool: tool.qualifiedName, version, args, contextText, limits });
  const isStateful = version.manifest.state === "session";
  const freezing = recording !== undefined || isStateful ? undefined : frozen?.freezing(execution, record);
  const answer: HostCallHandler = (operation) => answerCall(operation, record, call.answer);
  const outcome = await sandbox.invoke({
    callId: call.callId,
    caller: sessionOwner(call.session),
    digest: version.digest,
    module: tool.definition.module ?? version.manifest.main,
    export: tool.definition.export ?? tool.name,
    args,
    ...(argsText !== undefined && { argsText }),
    contextText,
    limits,
    ...(tool.definition.outputSchema && { outputSchema: tool.definition.outputSchema }),
    ...(recording ? { conditions: recording.conditions } : conditionsOf(call)),
    ...(isStateful && { session: call.session.id }),
    ...(freezing && { freezing }),
    ...(call.resumed?.frozen && { frozen: call.resumed.frozen }),
    hostCall: recording ? recording.wrap(answer) : answer,
    onLogs: (lines) => record.guestLines(lines),
    // Once a quota is used up, no further operation of the call starts.
    signal: meter.stopped === undefined ? signal : AbortSignal.any([signal, meter.stopped]),
  });
  return { outcome, recording: recording && (await recording.end(outcome)) };
}

function conditionsOf({ seed, timeMs }: ToolCall): Pick<Invocation, "conditions"> {
  if (seed === undefined && timeMs === undefined) return {};
  return { conditions: { ...(seed !== undefined && { seed }), ...(timeMs !== undefined && { timeMs }) } };
}

/** Answers an operation. Progress and yielded values belong to the call; everything else is a capability. */
async function answerCall(operation: HostOperation, record: RunRecord, instead?: HostCallHandler): Promise<HostAnswer> {
  const excess = record.bridge.meter.spend("hostCalls", 1);
  if (excess !== undefined) return { ok: false, error: { name: "RangeError", message: excess.message } };
  const { name, args, argsLength } = operation;
  const said = isJsonObject(args) && args["value"] !== undefined ? args["value"] : args;
  if (name === "yield") {
    const refused = await record.yielded(said, argsLength ?? 0);
    return refused === undefined ? NOTHING : { ok: false, error: { name: "RangeError", message: refused.message } };
  }
  if (name === "progress") {
    // Waiting here bounds the progress that a guest can have in the host's memory.
    await record.progress(said);
    return NOTHING;
  }
  const answer = await (instead === undefined ? answerOperation(operation, record.bridge) : instead(operation));
  record.noteAnswer(answer);
  return answer;
}

const NOTHING: HostAnswer = Object.freeze({ ok: true, value: null });

/**
 * Reads `{ "o": value }` as plain output and `{ "t": parts }` as a tool output. The prelude writes nothing else, but a guest may control
 * its prelude.
 */
function toOutcome(outcome: InvocationOutcome, record: RunRecord, signal: AbortSignal): Outcome {
  const facts = { used: outcome.used, filesModified: record.filesModified() };
  if (!outcome.ok && outcome.fault.kind === "frozen") return { ok: false, error: faultToError(outcome.fault), isLeft: true, ...facts };
  if (!outcome.ok && signal.aborted && OF_A_CANCELLATION.has(outcome.fault.kind)) return { ok: false, error: cancelled(), ...facts };
  const excess = record.yieldExcess();
  if (excess !== undefined) return { ok: false, error: excess, ...facts };
  if (!outcome.ok) return { ok: false, error: withHint(faultToError(outcome.fault), record), ...facts };
  const { output, parts, problems } = outcome;
  const known = problems === undefined ? facts : { ...facts, problems };
  if (isJsonObject(output) && Object.hasOwn(output, "t") && isJsonObject(output["t"]))
    return partsOutcome(withoutCommand(output["t"]), known, parts);
  if (isJsonObject(output) && Object.hasOwn(output, "o")) return plainOutcome(output["o"] ?? null, known, parts);
  return { ok: false, error: faultToError({ kind: "not_json", message: "The output has an invalid envelope" }), ...facts };
}

/** Faults of a tool that was told to stop and whose operations were refused because of that. */
const OF_A_CANCELLATION: ReadonlySet<string> = new Set(["threw", "unhandled", "unfinished"]);

/** Adds a hint: a tool that failed after a refusal most likely failed because of it. */
function withHint(error: ToolErrorData, record: RunRecord): ToolErrorData {
  const hint = error.code === "tool_failed" ? record.hint() : undefined;
  return hint === undefined ? error : { ...error, hint };
}

/** Drops the guest's claim of a command, because no guest can run one. */
function withoutCommand(parts: JsonObject): JsonObject {
  const { commandExecuted: _claimed, ...rest } = parts;
  return rest;
}
