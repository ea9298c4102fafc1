/**
 * The gates of a call (SPEC D1), in the order of `admit`. A gate returns the refusal that ends the call, or what the next gates need; it
 * returns a promise only if it waits, because most calls wait at none.
 */

import { areLarge, checkCallOptions, checkConditions, type Misfit, readArguments, readLargeArguments } from "../call/arguments.ts";
import type { AllowDecision, Decision, ToolCall } from "../call/call.ts";
import { isDryCall } from "../call/decision-summary.ts";
import {
  argumentsWait,
  type AvailableNames,
  deniedByPolicy,
  toolNotFound,
  type ToolErrorData,
  unavailable,
  unconfirmed,
} from "../call/errors.ts";
import { type LimitedCall, limitHint } from "../call/limit-hint.ts";
import { checkUngranted, type RequiredCheck, type RequiredContext } from "../capabilities/mod.ts";
import type { ConfirmationGate } from "../confirmations/confirmations.ts";
import { leavesTheMachine, type Preview, type Previewed } from "../effects/overlay/preview.ts";
import type { JsonValue, Requirement } from "../../manifests/mod.ts";
import type { Slices } from "../platform/platform.ts";
import { offHint } from "../policy/match.ts";
import type { Policy } from "../policy/policy.ts";
import type { Quotas, QuotaSubject } from "../policy/quotas/quotas.ts";
import { noteSameSize } from "../primitives/json/known-size.ts";
import type { Large } from "../primitives/json/large.ts";
import { isVisibleTo } from "../tools/listing.ts";
import { nearestNames } from "../tools/nearest.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { checkCaller } from "./chains/check-caller.ts";
import type { Refusal, Trace } from "./trace.ts";
import { WAITING_ARGUMENTS, type WaitingArguments } from "./waiting-arguments.ts";

/** The parts of the host that gates ask. */
export interface GateHost {
  readonly registry: Snapshot;
  readonly policy: Policy;
  readonly checkRequired: CheckRequired;
  readonly confirm: ConfirmationGate["confirm"];
  readonly asks: ConfirmationGate["asks"];
  /** Determines the changes of a call before the user is asked, if previews are enabled. */
  readonly preview: Preview;
  readonly quotas: Pick<Quotas, "check">;
  /** Processes arguments above 64 KB. */
  readonly slices: Slices;
  readonly waitingArguments: WaitingArguments;
  readonly showLarge: (args: JsonValue) => Promise<Large | undefined>;
}

/** Checks and resolves the arguments that name resources (SPEC C5). */
export type CheckRequired = (
  requires: readonly Requirement[],
  args: JsonValue,
  context: Omit<RequiredContext, "files">,
) => Promise<RequiredCheck>;

/** A call at a gate. */
interface GatedCall {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  /** Validated against the schema; resolved where they name resources. */
  readonly args: JsonValue;
}

/** A call that policy allows, perhaps after a confirmation. */
export interface DecidedCall extends GatedCall {
  readonly decision: AllowDecision;
  readonly counted: QuotaSubject;
  readonly isDry: boolean;
}

export function isRefusal(found: object): found is Refusal {
  return "stage" in found;
}

function refuse(error: ToolErrorData): Refusal {
  return { stage: "gate", error };
}

/** Finds the tool, and checks that this caller may call it. */
export function findTool(call: ToolCall, host: GateHost, trace: Trace): RegisteredTool | Refusal {
  const tool = host.registry.find(call.tool);
  if (!tool || !isVisibleTo(call.session, tool)) return refuse(toolNotFound(call.tool, namesFor(call, host)));
  trace.found(tool);
  if (tool.binding.kind === "unavailable") return refuse(unavailable(call.tool, tool.binding.reason));
  const misplaced = checkCaller(tool, call);
  return misplaced ? refuse(misplaced) : tool;
}

/** Reads the arguments and validates them. Before policy, because rules must not read unvalidated arguments. */
export function readArgs(
  tool: RegisteredTool,
  call: ToolCall,
  host: GateHost,
  trace: Trace,
): GatedCall | Refusal | Promise<GatedCall | Refusal> {
  const misuse = checkCallOptions(call);
  if (misuse) return { stage: "arguments", error: misuse };

  const { inputSchema } = tool.definition;
  const limits = host.policy.limitsFor(tool, call);
  const take = (given: ReturnType<typeof readArguments>): GatedCall | Refusal => {
    if (!given.ok) return { stage: "arguments", error: withArgumentHint(given, tool, call, host) };
    trace.checked(given.args);
    if (!host.waitingArguments.keep(given.args, call)) return refuse(argumentsWait(WAITING_ARGUMENTS.owner));
    return { tool, call, args: given.args };
  };
  return areLarge(call.args)
    ? host.slices.run(readLargeArguments(inputSchema, call.args, limits)).then(take)
    : take(readArguments(inputSchema, call.args, limits));
}

const REFUSED_BY_MODE = `but "confirmation" in bascule.json is "deny" for it`;

/** Applies policy's decision, and checks what it says of the route and the quotas. */
export function checkDecision({ tool, call, args }: GatedCall, decision: Decision, host: GateHost): DecidedCall | Refusal {
  if (decision.kind === "deny") {
    const isPolicy = decision.by === "policy";
    return refuse(isPolicy ? deniedByPolicy(call.tool, offHint(tool, decision.because)) : unconfirmed(call.tool, REFUSED_BY_MODE));
  }
  if (decision.unavailable !== undefined) return refuse(unavailable(call.tool, decision.unavailable));

  const unworldly = checkConditions(call, decision.route);
  if (unworldly) return { stage: "arguments", error: unworldly };

  const counted = { tool, session: call.session, quotas: decision.quotas ?? [] };
  const usedUp = host.quotas.check(counted);
  if (usedUp) return refuse(usedUp);
  return { tool, call, args, decision, counted, isDry: isDryCall(call, decision) };
}

/** Checks the arguments that name resources, and resolves them. */
export function checkResources(decided: DecidedCall, host: GateHost, trace: Trace): DecidedCall | Refusal | Promise<DecidedCall | Refusal> {
  const { tool, args } = decided;
  return tool.definition.requires.length === 0 && !areLarge(args) ? decided : resolveResources(decided, host, trace);
}

async function resolveResources(decided: DecidedCall, host: GateHost, trace: Trace): Promise<DecidedCall | Refusal> {
  const { tool, call, decision, args: given } = decided;
  const { workspace: cwd, named } = call.session;
  const required = await host.checkRequired(tool.definition.requires, given, {
    ...{ grant: decision.grant, cwd },
    ...(named !== undefined && { named }),
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
  });
  if (!required.ok) return refuse(required.error);
  const { args } = required;
  noteSameSize(args, given);
  trace.checked(args, areLarge(args) ? await host.showLarge(args) : undefined);
  return { ...decided, args };
}

/** Returns whether the user has to confirm the call. A dry run needs no confirmation; its commit does. */
export function needsConfirmation({ tool, call, decision, isDry }: DecidedCall): boolean {
  // A resumed call that had begun was confirmed. One that waited is decided by its answer, whatever policy asks now.
  if (call.resumed !== undefined) return call.resumed.frozen === undefined;
  return decision.kind === "ask" && !(isDry && !leavesTheMachine(tool));
}

/**
 * Asks the user. A preview shows what the call would change.
 *
 * @returns the preview, whose changes are committed in place of a run; undefined if there is none
 */
export async function confirmCall(
  decided: DecidedCall,
  host: GateHost,
  signal: AbortSignal,
  trace: Trace,
): Promise<Previewed | Refusal | undefined> {
  const { tool, call, args, decision, counted, isDry } = decided;
  const ungranted = checkUngranted(tool.plugin, decision.grant);
  if (ungranted) return refuse(ungranted);
  const { onPending } = call;
  const pend = onPending && ((error: ToolErrorData): void => onPending(trace.pending(error)));
  using refused = new DisposableStack();
  const question = { tool, call, args, decision, ...(pend && { pend }) };
  // Without a question there is nothing to show, and no code runs for a call that is refused.
  const preview = refused.use(
    isDry || call.resumed?.hasPreview === false || !host.asks(question)
      ? undefined
      : await host.preview({ tool, call, args, decision, signal, counted }),
  );
  const answered = trace.asking();
  const no = await host.confirm({ ...question, ...(preview && { preview: preview.report }) }, signal);
  answered();
  if (no !== undefined) return refuse(no);
  // From here on the call owns the preview.
  refused.move();
  return preview;
}

/** Names the limits that the plugin requested to be higher, for hints. */
export function limited({ plugin }: RegisteredTool, { lacking }: AllowDecision): LimitedCall {
  return { plugin, ...(lacking && { lacking }) };
}

/** Adds a hint if the arguments exceed a limit that the plugin requests to be higher. */
function withArgumentHint(misfit: Misfit, tool: RegisteredTool, call: ToolCall, { policy }: Pick<GateHost, "policy">): ToolErrorData {
  const decision = policy.decide(tool, call);
  const hint = decision.kind === "deny" || misfit.limit === undefined ? undefined : limitHint(misfit.limit, limited(tool, decision));
  return hint === undefined ? misfit.error : { ...misfit.error, hint };
}

/** Returns the names that the session may see and call, nearest to the requested one first (SPEC D3). */
function namesFor(call: ToolCall, host: GateHost): AvailableNames {
  const names = host.registry.names(
    (tool) => !isVisibleTo(call.session, tool) || tool.binding.kind === "unavailable" || host.policy.decide(tool, call).kind === "deny",
  );
  return nearestNames(call.tool, names);
}
