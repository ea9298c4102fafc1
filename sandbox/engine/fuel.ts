/**
 * Fuel: what a rewritten engine counts down in its loops (`wasm/meter.ts`), and what a call has used of it.
 *
 * It comes in portions. Whenever one is used up the engine's host is asked whether to go on, so native loops meet their
 * deadline; and the sum is the same for the same call from the same image, whatever the machine is doing.
 */

import type { WasmGlobal } from "../wasm/api-types.ts";
import { SUSPEND } from "../wasm/suspend.ts";

/** The host's exception that ends guest code inside the engine. Memory is as it was at that moment: restore it. */
export class EngineInterrupted extends Error {
  constructor() {
    super("The guest was ended inside the engine");
    this.name = "EngineInterrupted";
  }
}

/** Units used in portions that are gone, and what is left of the last one. */
export interface FuelState {
  readonly before: number;
  readonly left: number;
}

export interface Fuel {
  /** Units used since the last reset: rounds of native loops, 64 bytes each of bulk memory, and 10,000 for each poll of the interpreter. */
  readonly spent: number;
  /** Where the count stands: also how far the next question is, so that a guest that was parked is asked when it would have been. */
  readonly state: FuelState;
  /** Counts from here, or from where a guest was before. */
  reset(state?: FuelState): void;
  /** A portion is used up. @returns `SUSPEND` to be asked again later @throws {EngineInterrupted} if the guest must stop */
  tick(): number;
  /** The interpreter asks whether to go on, which it does after so many jumps and calls. @returns 1 to stop, `SUSPEND` to be asked again later, else 0 */
  polled(): number;
}

/** Whether a guest goes on: at once, after others had their turn, or not at all. */
export type GuestAnswer = "go" | "suspend" | "stop";

/** Some tens of microseconds of a tight loop, some milliseconds of the slowest rounds there are. */
const PORTION = 50_000;
const FULL: FuelState = { before: 0, left: PORTION };
/** `JS_INTERRUPT_COUNTER_INIT` of quickjs.c. */
const JUMPS_A_POLL = 10_000;

/** `left` is the engine's own counter; undefined where the engine is not metered, and then nothing is ever used. */
export function createFuel(left: WasmGlobal | undefined, ask: () => GuestAnswer): Fuel {
  let before = 0;
  /** The same poll comes again when the guest is resumed: a switch costs the guest no fuel. */
  let isAskedAgain = false;
  return {
    get spent() {
      return left === undefined ? 0 : before + PORTION - left.value;
    },
    get state() {
      return { before, left: left?.value ?? PORTION };
    },
    reset(state = FULL) {
      before = state.before;
      isAskedAgain = false;
      if (left !== undefined) left.value = state.left;
    },
    tick() {
      // A bulk operation may have taken more than was left.
      if (left !== undefined) {
        before += PORTION - left.value;
        left.value = PORTION;
      }
      const answer = ask();
      if (answer === "stop") throw new EngineInterrupted();
      return answer === "suspend" ? SUSPEND : 0;
    },
    polled() {
      if (!isAskedAgain) before += JUMPS_A_POLL;
      const answer = ask();
      isAskedAgain = answer === "suspend";
      if (answer === "suspend") return SUSPEND;
      return answer === "stop" ? 1 : 0;
    },
  };
}
