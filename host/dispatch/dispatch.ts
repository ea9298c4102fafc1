/** The one path that every call takes, from any door (SPEC D1). */

import { changesSomething } from "../audit/journal.ts";
import { areLarge, checkWishes, checkWorld, type Misfit, readArguments, readLargeArguments } from "../call/arguments.ts";
import type { AllowDecision, Decision, ToolCall, ToolResult } from "../call/call.ts";
import { checkCaller } from "./chains/check-caller.ts";
import type { Revocations } from "./revocations.ts";
import type { SlotEntry } from "../call/session.ts";
import { WAITING_ARGUMENTS, type WaitingArguments } from "./waiting-arguments.ts";
import type { Confirm } from "../confirmations/confirmations.ts";
import { isDryCall, isSameDecision } from "../call/decision-summary.ts";
import {
  argumentsWait,
  cancelled,
  deniedByPolicy,
  invalidOutput,
  overloaded,
  toolNotFound,
  type ToolErrorData,
  unavailable,
  unconfirmed,
  unrecorded,
} from "../call/errors.ts";
import { noteSameSize } from "../primitives/json/known-size.ts";
import type { Large } from "../primitives/json/large.ts";
import type { Slices } from "../platform/platform.ts";
import type { HookGates } from "./hooks.ts";
import { isVisibleTo } from "../tools/listing.ts";
import { checkValue, type JsonSchema, type JsonValue, type Requirement, type ValueError } from "../../manifests/mod.ts";
import { leavesTheMachine, type Preview, type Previewed } from "../effects/overlay/preview.ts";
import { nearestNames } from "../tools/nearest.ts";
import { offHint } from "../policy/match.ts";
import type { Policy } from "../policy/policy.ts";
import { type LimitedCall, limitHint, withLimitHint } from "../call/limit-hint.ts";
import { checkUngranted, type RequiredCheck, type RequiredContext } from "../capabilities/mod.ts";
import type { Quotas, QuotaSubject } from "../policy/quotas/quotas.ts";
import type { Execution, Executors, OutcomeOk } from "../tools/execution.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { Telemetry } from "../audit/telemetry/mod.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { openTrace, type Trace, type TraceSinks } from "./trace.ts";

/** The state of the host for one call; it does not change during the call. */
export interface Dispatch extends TraceSinks {
  readonly registry: Snapshot;
  readonly policy: Policy;
  readonly hooks: HookGates;
  readonly checkRequired: CheckRequired;
  readonly confirm: Confirm;
  /** Determines the changes of a call before the user is asked, if previews are enabled. */
  readonly preview: Preview;
  readonly executors: Executors;
  /** Ends calls that lost their permission. */
  readonly revocations: Pick<Revocations, "decide" | "begin" | "end">;
  readonly quotas: Pick<Quotas, "check" | "begin">;
  /** Processes arguments above 64 KB. */
  readonly slices: Slices;
  readonly waitingArguments: WaitingArguments;
  readonly showLarge: (args: JsonValue) => Promise<Large | undefined>;
  /** Absent if telemetry is disabled. */
  readonly telemetry: Pick<Telemetry, "follow"> | undefined;
}

/** Checks and resolves the arguments that name resources (SPEC C5). */
export type CheckRequired = (
  requires: readonly Requirement[],
  args: JsonValue,
  context: Omit<RequiredContext, "files">,
) => Promise<RequiredCheck>;

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
  try {
    result = await run(call, host, stop, trace);
  } catch (defect) {
    // Gates and executors return errors as data, so an exception is a defect of the host, not of the tool.
    result = trace.crash(defect);
  } finally {
    host.waitingArguments.giveBack(call);
  }
  // The terminal event is durable before the caller gets the result. If it cannot be written, the journal has reported it.
  if (trace.kept !== undefined) await trace.kept;
  const ended = host.hooks.ended(call, result);
  if (ended) await ended;
  return result;
}

async function run(call: ToolCall, host: Dispatch, stop: AbortController, trace: Trace): Promise<ToolResult> {
  const { signal } = stop;
  const asked = host.hooks.called(call);
  const refused = asked && (await asked);
  if (refused) return trace.deny(refused);

  const tool = host.registry.find(call.tool);
  if (!tool || !isVisibleTo(call.session, tool)) return trace.fail(toolNotFound(call.tool, namesFor(call, host)));
  trace.found(tool);
  if (tool.binding.kind === "unavailable") return trace.fail(unavailable(call.tool, tool.binding.reason));

  const misplaced = checkCaller(tool, call);
  if (misplaced) return misplaced.code === "permission_denied" ? trace.deny(misplaced) : trace.fail(misplaced);

  const misuse = checkWishes(call);
  if (misuse) return trace.invalid(misuse);

  // Before policy, because rules must not read unvalidated arguments.
  const { inputSchema } = tool.definition;
  const limits = host.policy.limitsFor(tool, call);
  const given = areLarge(call.args)
    ? await host.slices.run(readLargeArguments(inputSchema, call.args, limits))
    : readArguments(inputSchema, call.args, limits);
  if (!given.ok) return trace.invalid(withArgumentHint(given, tool, call, host));
  trace.checked(given.args);

  if (!host.waitingArguments.keep(given.args, call)) return trace.fail(argumentsWait(WAITING_ARGUMENTS.owner));

  let decision = host.policy.decide(tool, call);
  for (let turns = 1; ; turns += 1) {
    trace.decided(decision);
    const passing = passGates({ tool, call, given: given.args, decision }, host, signal, trace);
    const ready = passing instanceof Promise ? await passing : passing;
    if (ready.kind === "refused") return ready.result;

    // From here on the call takes a slot and time; before, it may have waited for a confirmation.
    const entering = (call.chain?.slots ?? call.session.slots).enter(signal);
    const slot = entering instanceof Promise ? await entering : entering;
    if (slot.kind !== "entered") {
      ready.previewed?.drop();
      return trace.fail(slot.kind === "overloaded" ? overloaded(slot.waiting) : cancelled());
    }
    // While the call waited, grants and the policy may have changed.
    const now = host.revocations.decide(tool, call);
    if (isSameDecision(now, ready.decision)) {
      host.waitingArguments.giveBack(call);
      return await start({ ...ready, tool, call, slot }, host, stop, trace);
    }
    slot.leave();
    ready.previewed?.drop();
    if (turns === MOST_DECISIONS) return trace.fail(unavailable(call.tool, "its permissions changed every time it got a slot"));
    decision = now;
  }
}

/** Maximum number of decisions for a call that waits for a slot. */
const MOST_DECISIONS = 4;

const REFUSED_BY_MODE = `but "confirmation" in bascule.json is "deny" for it`;

interface Asked {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  /** Validated against the schema. */
  readonly given: JsonValue;
  readonly decision: Decision;
}

/** A call that passed its gates. */
interface Ready {
  readonly kind: "ready";
  readonly args: JsonValue;
  readonly decision: AllowDecision;
  readonly counted: QuotaSubject;
  readonly isDry: boolean;
  /** Dropped at the end of the call. */
  readonly previewed: Previewed | undefined;
}

interface Refused {
  readonly kind: "refused";
  readonly result: ToolResult;
}

/**
 * Checks everything between the decision and a slot: quotas, arguments that name resources, and the confirmation. Most calls wait for none
 * of them.
 */
function passGates(asked: Asked, host: Dispatch, signal: AbortSignal, trace: Trace): Ready | Refused | Promise<Ready | Refused> {
  const { tool, call, given, decision } = asked;
  if (decision.kind === "deny") {
    const isPolicy = decision.by === "policy";
    return refused(
      isPolicy
        ? trace.deny(deniedByPolicy(call.tool, offHint(tool, decision.because)))
        : trace.fail(unconfirmed(call.tool, REFUSED_BY_MODE)),
    );
  }

  if (decision.unavailable !== undefined) return refused(trace.fail(unavailable(call.tool, decision.unavailable)));

  const unworldly = checkWorld(call, decision.route);
  if (unworldly) return refused(trace.invalid(unworldly));

  const counted = { tool, session: call.session, quotas: decision.quotas ?? [] };
  const usedUp = host.quotas.check(counted);
  if (usedUp) return refused(trace.fail(usedUp));

  const isDry = isDryCall(call, decision);
  const ready: Ready = { kind: "ready", args: given, decision, counted, isDry, previewed: undefined };
  // A dry run needs no confirmation; its commit does.
  const asks = decision.kind === "ask" && !(isDry && !leavesTheMachine(tool));
  if (!asks && tool.definition.requires.length === 0 && !areLarge(given)) return ready;
  return waitAtGates({ ...asked, ready, asks }, host, signal, trace);
}

async function waitAtGates(
  { tool, call, given, ready, asks }: Asked & { readonly ready: Ready; readonly asks: boolean },
  host: Dispatch,
  signal: AbortSignal,
  trace: Trace,
): Promise<Ready | Refused> {
  const { decision, counted, isDry } = ready;
  const { workspace: cwd, named } = call.session;
  const asker = {
    ...{ grant: decision.grant, cwd },
    ...(named !== undefined && { named }),
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
  };
  const required = await host.checkRequired(tool.definition.requires, given, asker);
  if (!required.ok) return refused(trace.deny(required.error));
  const { args } = required;
  noteSameSize(args, given);
  trace.checked(args, areLarge(args) ? await host.showLarge(args) : undefined);
  if (!asks) return { ...ready, args };

  const ungranted = checkUngranted(tool.plugin, decision.grant);
  if (ungranted) return refused(trace.deny(ungranted));
  const { onPending } = call;
  const pend = onPending && ((error: ToolErrorData): void => onPending(trace.pending(error)));
  const previewed = isDry ? undefined : await host.preview({ tool, call, args, decision, signal, counted });
  const told = { ...(previewed && { preview: previewed.report }), ...(pend && { pend }) };
  const answered = trace.asking();
  const refusal = await host.confirm({ tool, call, args, decision, ...told }, signal);
  answered();
  if (refusal === undefined) return { ...ready, args, previewed };
  previewed?.drop();
  return refused(trace.fail(refusal));
}

function refused(result: ToolResult): Refused {
  return { kind: "refused", result };
}

/** Runs the call in its slot, while it keeps its permissions. */
async function start(ready: Started, host: Dispatch, stop: AbortController, trace: Trace): Promise<ToolResult> {
  const { tool, call, args, decision, counted, isDry, previewed, slot } = ready;
  const underWay = host.revocations.begin({ tool, call, decision, stop });
  try {
    // Other calls may have used up the quota while this one waited.
    const begun = previewed?.begun ?? host.quotas.begin(counted);
    if (!begun.ok) return trace.fail(begun.error);
    const started = host.hooks.started(call, tool);
    const unwanted = started && (await started);
    if (unwanted) return trace.deny(unwanted);

    const recorded = trace.called(decision, isDry);
    // Awaited in any case, because this also throttles a plugin that fills the journal's queue.
    const isRecorded = recorded === undefined || (await recorded);
    if (!isRecorded && (decision.mustRecord === true || (!isDry && changesSomething(tool.definition.sideEffects))))
      return trace.fail(unrecorded(call.tool, decision.mustRecord === true));
    if (underWay.lost) return trace.fail(underWay.lost);
    const execution: Execution = {
      tool,
      call,
      args,
      decision,
      signal: stop.signal,
      meter: begun.meter,
      slot,
      asking: () => trace.asking(),
    };
    const outcome = previewed
      ? await previewed.commit()
      : await host.executors[decision.route](isDry ? { ...execution, dryRun: "asked" } : execution);
    // Whatever the outcome, its operations were refused.
    if (underWay.lost) return trace.fail(underWay.lost, outcome);
    if (!outcome.ok) return trace.fail(withLimitHint(outcome.error, limited(tool, decision)), outcome);

    const problems = problemsOf(outcome, tool.definition.outputSchema);
    return problems.length > 0 ? trace.fail(invalidOutput(problems), outcome) : trace.complete(outcome);
  } finally {
    host.revocations.end(underWay);
    slot.leave();
    previewed?.drop();
  }
}

type Started = Ready & Pick<Asked, "tool" | "call"> & { readonly slot: Extract<SlotEntry, { readonly kind: "entered" }> };

function limited({ plugin }: RegisteredTool, { lacking }: AllowDecision): LimitedCall {
  return { plugin, ...(lacking && { lacking }) };
}

/** Adds a hint if the arguments exceed a limit that the plugin requests to be higher. */
function withArgumentHint(misfit: Misfit, tool: RegisteredTool, call: ToolCall, { policy }: Pick<Dispatch, "policy">): ToolErrorData {
  const decision = policy.decide(tool, call);
  const hint = decision.kind === "deny" || misfit.limit === undefined ? undefined : limitHint(misfit.limit, limited(tool, decision));
  return hint === undefined ? misfit.error : { ...misfit.error, hint };
}

/** Returns the problems of an output. A large one was validated by its executor. */
function problemsOf({ output, large, problems = [] }: OutcomeOk, schema: JsonSchema | undefined): readonly ValueError[] {
  if (schema === undefined) return [];
  return large?.has("output") === true ? problems : checkValue(schema, output);
}

/** Returns the names that the session may see and call, nearest to the requested one first (SPEC D3). */
function namesFor(call: ToolCall, host: Dispatch): readonly string[] {
  const names = host.registry.names(
    (tool) => !isVisibleTo(call.session, tool) || tool.binding.kind === "unavailable" || host.policy.decide(tool, call).kind === "deny",
  );
  return nearestNames(call.tool, names);
}
