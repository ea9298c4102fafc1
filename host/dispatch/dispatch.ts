/** The one path of every call, from any door (SPEC D1). docs/architecture.md lists the numbered steps. */

import { changesSomething } from "../audit/journal.ts";
import type { Telemetry } from "../audit/telemetry/mod.ts";
import type { ToolCall, ToolResult } from "../call/call.ts";
import { isSameDecision } from "../call/decision-summary.ts";
import { cancelled, invalidOutput, overloaded, unavailable, unrecorded } from "../call/errors.ts";
import { withLimitHint } from "../call/limit-hint.ts";
import type { SlotEntry } from "../call/session.ts";
import type { FrozenCalls } from "../effects/frozen/frozen-calls.ts";
import type { Previewed } from "../effects/overlay/preview.ts";
import { checkValue, type JsonSchema, type ValueError } from "../../manifests/mod.ts";
import type { Quotas } from "../policy/quotas/quotas.ts";
import type { Executors, OutcomeOk } from "../tools/execution.ts";
import {
  checkDecision,
  checkResources,
  confirmCall,
  type DecidedCall,
  findTool,
  type GateHost,
  isRefusal,
  limited,
  needsConfirmation,
  readArgs,
} from "./gates.ts";
import type { HookGates } from "./hooks.ts";
import type { Revocations } from "./revocations.ts";
import { openTrace, type Refusal, type Trace, type TraceSinks } from "./trace.ts";

export type { CheckRequired } from "./gates.ts";

/** The state of the host for one call; it does not change during the call. */
export interface Dispatch extends TraceSinks, GateHost {
  readonly hooks: HookGates;
  readonly executors: Executors;
  /** Ends calls that lost their permission. */
  readonly revocations: Pick<Revocations, "decide" | "begin" | "end">;
  readonly quotas: Pick<Quotas, "check" | "begin">;
  /** Calls that survive the process; absent if none do. */
  readonly frozen?: Pick<FrozenCalls, "forget"> | undefined;
  /** Absent if telemetry is disabled. */
  readonly telemetry: Pick<Telemetry, "follow"> | undefined;
}

/**
 * Takes one call through every gate, in order, and runs it.
 *
 * Never rejects: every failure is a `ToolResult` with an error, and every path ends in exactly one terminal event.
 *
 * @param stop of this call only: the caller cancels the call with it, and the host ends it if a permission is revoked
 */
export function dispatch(call: ToolCall, host: Dispatch, stop: AbortController): Promise<ToolResult> {
  if (host.telemetry === undefined) return take(call, host, stop);
  return host.telemetry.follow(call, host.registry, (followed) => take(followed, host, stop));
}

async function take(call: ToolCall, host: Dispatch, stop: AbortController): Promise<ToolResult> {
  const trace = openTrace(call, host);
  let result: ToolResult;
  let isLeft = false;
  try {
    const admitted = await admit(call, host, stop.signal, trace);
    const outcome = isRefusal(admitted) ? admitted : await execute(admitted, host, stop, trace);
    isLeft = isRefusal(outcome) && outcome.isLeft === true;
    if (!isRefusal(outcome)) result = trace.complete(outcome);
    else result = isLeft ? trace.pending(outcome.error) : trace.refuse(outcome);
  } catch (defect) {
    // Gates and executors return errors as data, so an exception is a defect of the host, not of the tool.
    result = trace.crash(defect);
  } finally {
    host.waitingArguments.giveBack(call);
  }
  // The terminal event is durable before the caller gets the result. If it cannot be written, the journal has reported it.
  if (trace.kept !== undefined) await trace.kept;
  if (!isLeft) host.frozen?.forget(call.callId);
  const ended = host.hooks.ended(call, result);
  if (ended) await ended;
  return result;
}

/** A call that passed its gates and has a slot. */
interface Admitted {
  readonly decided: DecidedCall;
  readonly preview: Previewed | undefined;
  readonly slot: Extract<SlotEntry, { readonly kind: "entered" }>;
}

/** Maximum number of decisions for a call that waits for a slot. */
const MOST_DECISIONS = 4;

/** Takes the call through the gates and into a slot. Awaits only promises: most steps wait for nothing, and an `await` costs the call. */
async function admit(call: ToolCall, host: Dispatch, signal: AbortSignal, trace: Trace): Promise<Admitted | Refusal> {
  // 1. Hooks may refuse the call.
  const asked = host.hooks.called(call);
  const refused = asked && (await asked);
  if (refused) return { stage: "gate", error: refused };
  // 2. Find the tool, and check that the caller may call it.
  const tool = findTool(call, host, trace);
  if (isRefusal(tool)) return tool;
  // 3. Read the arguments and validate them.
  const reading = readArgs(tool, call, host, trace);
  const given = reading instanceof Promise ? await reading : reading;
  if (isRefusal(given)) return given;

  let decision = host.policy.decide(tool, call);
  for (let decisions = 1; ; decisions += 1) {
    trace.decided(decision);
    // 4. Apply policy's decision: route, grant, limits, quotas.
    const decided = checkDecision(given, decision, host);
    if (isRefusal(decided)) return decided;
    // 5. Check and resolve the arguments that name resources.
    const resolving = checkResources(decided, host, trace);
    const resolved = resolving instanceof Promise ? await resolving : resolving;
    if (isRefusal(resolved)) return resolved;
    // 6. Ask the user, if the decision says so.
    const preview = needsConfirmation(resolved) ? await confirmCall(resolved, host, signal, trace) : undefined;
    if (preview && isRefusal(preview)) return preview;
    // 7. Wait for a slot, and decide again: while the call waited, grants and policy may have changed.
    const entering = (call.chain?.slots ?? call.session.slots).enter(signal);
    const slot = entering instanceof Promise ? await entering : entering;
    if (slot.kind === "entered") {
      const now = host.revocations.decide(tool, call);
      if (isSameDecision(now, decision)) return { decided: resolved, preview, slot };
      slot.leave();
      decision = now;
    }
    preview?.[Symbol.dispose]();
    if (slot.kind !== "entered") return { stage: "gate", error: slot.kind === "overloaded" ? overloaded(slot.waiting) : cancelled() };
    if (decisions === MOST_DECISIONS)
      return { stage: "gate", error: unavailable(call.tool, "its permissions changed every time it got a slot") };
  }
}

/** Runs the call in its slot, while it keeps its permissions. */
async function execute(admitted: Admitted, host: Dispatch, stop: AbortController, trace: Trace): Promise<OutcomeOk | Refusal> {
  const { decided, preview, slot } = admitted;
  const { tool, call, args, decision, counted, isDry } = decided;
  host.waitingArguments.giveBack(call);
  const underWay = host.revocations.begin({ tool, call, decision, stop });
  try {
    // 8. Count the call: other calls may have used up the quota while this one waited.
    const begun = preview?.begun ?? host.quotas.begin(counted);
    if (!begun.ok) return { stage: "gate", error: begun.error };
    const started = host.hooks.started(call, tool);
    const unwanted = started && (await started);
    if (unwanted) return { stage: "gate", error: unwanted };
    // 9. Record that it runs, before anything happens. Awaited in any case: this throttles a plugin that fills the journal's queue.
    const recording = trace.called(decision, isDry);
    const isRecorded = recording === undefined || (await recording);
    if (!isRecorded && (decision.mustRecord === true || (!isDry && changesSomething(tool.definition.sideEffects))))
      return { stage: "run", error: unrecorded(call.tool, decision.mustRecord === true) };
    if (underWay.lost) return { stage: "run", error: underWay.lost };
    // From here on it may act, so it must not begin again in another process. One that had begun is removed by the sandbox.
    if (call.resumed?.frozen === undefined) host.frozen?.forget(call.callId);
    // 10. Run it on its route, or commit what the user was shown.
    const running = { tool, call, args, decision, signal: stop.signal, meter: begun.meter, slot, asking: () => trace.asking() };
    const outcome = preview
      ? await preview.commit()
      : await host.executors[decision.route](isDry ? { ...running, dryRun: "asked" } : running);
    // A revoked permission refused its operations, whatever the outcome says.
    if (underWay.lost) return { stage: "run", error: underWay.lost, outcome };
    if (!outcome.ok && outcome.isLeft === true) return { stage: "run", error: outcome.error, outcome, isLeft: true };
    if (!outcome.ok) return { stage: "run", error: withLimitHint(outcome.error, limited(tool, decision)), outcome };
    // 11. Validate the output. The caller of this function emits the terminal event and returns the result.
    const problems = problemsOf(outcome, tool.definition.outputSchema);
    return problems.length > 0 ? { stage: "run", error: invalidOutput(problems), outcome } : outcome;
  } finally {
    host.revocations.end(underWay);
    slot.leave();
    preview?.[Symbol.dispose]();
  }
}

/** Returns the problems of an output. A large one was validated by its executor. */
function problemsOf({ output, large, problems = [] }: OutcomeOk, schema: JsonSchema | undefined): readonly ValueError[] {
  if (schema === undefined) return [];
  return large?.has("output") === true ? problems : checkValue(schema, output);
}
