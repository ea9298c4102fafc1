/** Host side of an instance's callbacks: answers what the engine and its guest request while guest code runs. */

import type { EngineCallbacks, RunningModule } from "./engine.ts";
import type { GuestAnswer } from "./fuel.ts";
import { readGuestText } from "./call-stack.ts";
import { CLOSED_HOST, type GuestHost, type GuestThrow, type HostCallWords } from "./guest-host.ts";
import { GuestException, type GuestValues, isPlainText } from "./guest-values.ts";
import { SUSPEND } from "../wasm/suspend.ts";

export const HOST_CALL_REF = 1;
export const TAKE_BYTES_REF = 2;

export class CallsOut {
  /** Host of the current call. Replaced for each call. */
  host: GuestHost = CLOSED_HOST;
  /** True if the last memory request was refused because of the memory's maximum. */
  memoryExhausted = false;
  /** Bytes of the last answer, until the guest takes them. */
  answerBytes: Uint8Array | undefined;
  readonly #running: RunningModule;
  readonly #values: GuestValues;
  /** True while the guest is suspended for an answer of its host. */
  #awaits = false;

  constructor(running: RunningModule, values: GuestValues) {
    this.#running = running;
    this.#values = values;
  }

  /** Drops all state of the previous guest. */
  reset(): void {
    this.answerBytes = undefined;
    this.#awaits = false;
    this.memoryExhausted = false;
  }

  /** Decides whether the guest continues. */
  ask(): GuestAnswer {
    if (this.host.shouldInterrupt()) return "stop";
    return this.#running.gate.isOpen && this.host.shouldSuspend() ? "suspend" : "go";
  }

  /** Handles a call of a native function by the guest. Returns the address of a value, or `SUSPEND` to be called again later. */
  callFunction(count: number, pointers: number, hostRef: number): number {
    const mayWait = this.#running.gate.isOpen;
    return this.#inside(() => this.#answerFunction(count, pointers, { hostRef, mayWait }));
  }

  moduleSource(name: string): string | undefined {
    return this.#inside(() => this.#orThrow(this.host.moduleSource(name)));
  }

  moduleName(base: string, name: string): string | undefined {
    return this.#inside(() => this.#orThrow(this.host.moduleName(base, name)));
  }

  /** Passes two engine values to the prelude's function at `entry`. */
  rejected(entry: number, [promise, reason, isHandled]: readonly [promise: bigint, reason: bigint, isHandled: boolean]): void {
    this.#inside(() => this.#tellRejection(entry, [promise, reason], isHandled));
  }

  #answerFunction(count: number, pointers: number, { hostRef, mayWait }: { readonly hostRef: number; readonly mayWait: boolean }): number {
    const values = this.#values;
    const { functions } = this.#running;
    const argument = (index: number): number => functions._QTS_ArgvGetJSValueConstPointer(pointers, index);
    if (hostRef === TAKE_BYTES_REF) return this.#takeBytes(count > 0 && values.number(argument(0)) === 1);
    if (hostRef !== HOST_CALL_REF || count < 3) return 0;
    // After a suspension the engine calls the import again, which must not repeat the operation.
    const answered = this.#awaits ? this.host.awaited() : this.host.hostCall(this.#wordsOf(count, argument), mayWait);
    this.#awaits = answered === "later";
    if (answered === "later") return SUSPEND;
    const { answer, bytes } = answered;
    this.answerBytes = bytes;
    return answer === undefined ? 0 : values.newString(answer);
  }

  #wordsOf(count: number, argument: (index: number) => number): HostCallWords {
    const values = this.#values;
    return [
      values.number(argument(0)),
      values.boundedText(argument(1)),
      values.text(argument(2)),
      count > 3 ? values.bytesOf(argument(3)) : undefined,
      count > 4 ? () => readGuestText(values.bytes, argument(4)) : undefined,
    ];
  }

  #takeBytes(asText: boolean): number {
    const bytes = this.answerBytes;
    this.answerBytes = undefined;
    if (bytes === undefined) return 0;
    return asText && isPlainText(bytes) ? this.#values.newStringOf(bytes) : this.#values.newBytes(bytes);
  }

  #tellRejection(entry: number, pair: readonly [promise: bigint, reason: bigint], isHandled: boolean): void {
    const { functions, bytes, wrote } = this.#running;
    const address = functions._malloc(16);
    if (address === 0) return;
    const view = new DataView(bytes.buffer);
    view.setBigInt64(address, pair[0], true);
    view.setBigInt64(address + 8, pair[1], true);
    wrote(address, 16);
    const values = this.#values;
    const handled = values.newNumber(isHandled ? 1 : 0);
    try {
      values.free(values.callInside(entry, [address, address + 8, handled]));
    } catch (error) {
      // Not enough memory or stack to record the rejection, so it is not reported.
      if (!(error instanceof GuestException)) throw error;
    }
    values.free(handled);
    functions._free(address);
  }

  /** Throws an error of the host inside the guest. */
  #orThrow(outcome: string | GuestThrow): string | undefined {
    if (typeof outcome === "string") return outcome;
    this.#values.throwInto(outcome.throws);
    return undefined;
  }

  /** Runs a host function. The guest cannot be suspended while such a function is on the stack. */
  #inside<T>(task: () => T): T {
    const { gate } = this.#running;
    const { isOpen } = gate;
    gate.isOpen = false;
    try {
      return task();
    } finally {
      gate.isOpen = isOpen;
    }
  }
}

/** Returns the callbacks of an instance that is still starting. `instance` returns it once it exists. */
export function callbacksOf(instance: () => { readonly callsOut: CallsOut; readonly rejectedEntry: number } | undefined): EngineCallbacks {
  const out = (): CallsOut | undefined => instance()?.callsOut;
  return {
    callFunction: (_context, count, pointers, hostRef) => out()?.callFunction(count, pointers, hostRef) ?? 0,
    ask: () => out()?.ask() ?? "go",
    suspended: () => out()?.host.suspended() ?? Promise.reject(new Error("The instance has not started")),
    moduleSource: (_context, name) => out()?.moduleSource(name),
    moduleName: (_context, base, name) => out()?.moduleName(base, name),
    now: () => out()?.host.now() ?? 0,
    memoryAsked(isGranted) {
      const callsOut = out();
      if (callsOut !== undefined) callsOut.memoryExhausted = !isGranted;
    },
    rejected(promise, reason, isHandled) {
      const entry = instance()?.rejectedEntry ?? 0;
      if (entry !== 0) out()?.rejected(entry, [promise, reason, isHandled]);
    },
  };
}
