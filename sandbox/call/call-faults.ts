/** Why a call failed, from what came out of the engine or from what the prelude says. */

import { GUEST_STACK_BYTES, type Limits } from "../../manifests/mod.ts";
import type { Fault } from "../fault.ts";
import { GuestException, TextTooLong } from "../engine/guest-values.ts";
import type { ModuleTable } from "../loading/modules.ts";
import type { ErrorStatus } from "./status.ts";

/** What is known of the call beside the error itself. */
export interface CallFacts {
  readonly limits: Limits;
  readonly modules: Pick<ModuleTable, "authorStack">;
  /** The memory reached its maximum in this call. */
  readonly memoryExhausted: boolean;
}

/** An exception that came out of the engine itself, not through the prelude. */
export function engineFault(error: unknown, facts: CallFacts): Fault {
  const { limits, modules, memoryExhausted } = facts;
  if (memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  if (error instanceof TextTooLong) return { kind: "exhausted", limit: "output", allowed: limits.outputBytes };
  if (error instanceof GuestException) {
    const { name, message, stack } = error.guest;
    return exhaustion(name, message, facts) ?? { kind: "threw", name, message, stack: modules.authorStack(stack) };
  }
  // V8's own stack ran out inside the engine, before the engine's own bound did.
  if (error instanceof RangeError) return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
  return { kind: "trap", message: error instanceof Error ? error.message : String(error) };
}

/** What the tool threw, or what nobody caught. */
export function thrownFault({ name, message, stack, toolError }: ErrorStatus, unhandled: boolean, facts: CallFacts): Fault {
  const fault = exhaustion(name, message, facts);
  if (fault !== undefined) return fault;
  const own = facts.modules.authorStack(stack);
  if (unhandled) return { kind: "unhandled", name, message, stack: own };
  return { kind: "threw", name, message, stack: own, ...(toolError === undefined ? {} : { toolError }) };
}

/** An output may be what memory or stack ran out on: writing it as JSON is the engine's work. */
export function unwrittenFault(fault: Fault, facts: CallFacts): Fault {
  return (fault.kind === "not_json" ? exhaustion("InternalError", fault.message, facts) : undefined) ?? fault;
}

/** A promise that nothing can settle any more, unless memory ran out on what would have. */
export function unsettledFault(facts: CallFacts): Fault {
  return exhaustion("", "", facts) ?? { kind: "never_settles" };
}

/** QuickJS reports exhausted memory and stack as `InternalError`s, which a guest may also forge: harmless, it only harms itself. */
function exhaustion(name: string, message: string, { limits, memoryExhausted }: CallFacts): Fault | undefined {
  if (memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  if (name !== "InternalError") return undefined;
  if (message === "stack overflow") return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
  if (message === "out of memory") return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  return undefined;
}
