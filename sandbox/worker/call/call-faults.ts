/** Turns an engine exception or a status of the prelude into the fault of a call. */

import { GUEST_STACK_BYTES, type Limits } from "../../../manifests/mod.ts";
import type { Fault } from "../../wire/fault.ts";
import { GuestException, TextTooLong } from "../../engine/guest-values.ts";
import type { ModuleTable } from "../../loading/modules.ts";
import type { ErrorStatus } from "../../wire/status.ts";

/** Facts about the call that the error itself does not carry. */
export interface CallFacts {
  readonly limits: Limits;
  readonly modules: Pick<ModuleTable, "authorStack">;
  /** True if the memory reached its maximum in this call. */
  readonly memoryExhausted: boolean;
}

/** Returns the fault for an exception thrown by the engine itself, not reported through the prelude. */
export function engineFault(error: unknown, facts: CallFacts): Fault {
  const { limits, modules, memoryExhausted } = facts;
  if (memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  if (error instanceof TextTooLong) return { kind: "exhausted", limit: "output", allowed: limits.outputBytes };
  if (error instanceof GuestException) {
    const { name, message, stack } = error.guest;
    return exhaustion(name, message, facts) ?? { kind: "threw", name, message, stack: modules.authorStack(stack) };
  }
  // V8's own stack overflowed inside the engine before the engine's stack limit was reached.
  if (error instanceof RangeError) return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
  return { kind: "trap", message: error instanceof Error ? error.message : String(error) };
}

/** Returns the fault for an error that the tool threw or a rejection that was not handled. */
export function thrownFault({ name, message, stack, toolError }: ErrorStatus, unhandled: boolean, facts: CallFacts): Fault {
  const fault = exhaustion(name, message, facts);
  if (fault !== undefined) return fault;
  const own = facts.modules.authorStack(stack);
  if (unhandled) return { kind: "unhandled", name, message, stack: own };
  return { kind: "threw", name, message, stack: own, ...(toolError === undefined ? {} : { toolError }) };
}

/** Returns the fault for an output that could not be written. Writing it as JSON may itself exhaust memory or stack. */
export function unwrittenFault(fault: Fault, facts: CallFacts): Fault {
  return (fault.kind === "not_json" ? exhaustion("InternalError", fault.message, facts) : undefined) ?? fault;
}

/** Returns the fault for a promise that can no longer settle, unless memory ran out. */
export function unsettledFault(facts: CallFacts): Fault {
  return exhaustion("", "", facts) ?? { kind: "never_settles" };
}

/**
 * Recognizes exhausted memory and stack, which QuickJS reports as `InternalError`s. A guest may forge one, which only harms its own call.
 */
function exhaustion(name: string, message: string, { limits, memoryExhausted }: CallFacts): Fault | undefined {
  if (memoryExhausted) return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  if (name !== "InternalError") return undefined;
  if (message === "stack overflow") return { kind: "exhausted", limit: "stack", allowed: GUEST_STACK_BYTES };
  if (message === "out of memory") return { kind: "exhausted", limit: "memory", allowed: limits.memoryBytes };
  return undefined;
}
