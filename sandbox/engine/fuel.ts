/**
 * Fuel: the counter that a rewritten engine decrements in its loops (`wasm/meter.ts`), and the amount that a call has used.
 *
 * Fuel comes in portions. Whenever a portion is used up, the engine calls its host, so native loops meet their deadline. The total is
 * deterministic for the same call from the same image, independent of the machine's load.
 */

import type { WasmGlobal } from "../wasm/api-types.ts";
import { SUSPEND } from "../wasm/suspend.ts";

/** Thrown by the host to end guest code inside the engine. The memory is left inconsistent and must be restored. */
export class EngineInterrupted extends Error {
  constructor() {
    super("The guest was ended inside the engine");
    this.name = "EngineInterrupted";
  }
}

/** Units used in earlier portions, and the rest of the current one. */
export interface FuelState {
  readonly before: number;
  readonly left: number;
}

export interface Fuel {
  /**
   * Units used since the last reset: iterations of native loops, 64 bytes each of bulk memory, and 10,000 for each poll of the
   * interpreter.
   */
  readonly spent: number;
  /** State of the counter. Includes the distance to the next tick, so that a parked guest ticks where it would have. */
  readonly state: FuelState;
  /** Resets the counter to a full portion, or to the state of a parked guest. */
  reset(state?: FuelState): void;
  /** Called when a portion is used up. @returns `SUSPEND` to be called again later @throws {EngineInterrupted} if the guest must stop */
  tick(): number;
  /** Called by the interpreter after a fixed number of jumps and calls. @returns 1 to stop, `SUSPEND` to be called again later, else 0 */
  polled(): number;
}

/** Whether a guest continues at once, continues after other guests' slices, or stops. */
export type GuestAnswer = "go" | "suspend" | "stop";

/** Takes some tens of microseconds in a tight loop, some milliseconds with the slowest iterations. */
const PORTION = 50_000;
const FULL: FuelState = { before: 0, left: PORTION };
/** `JS_INTERRUPT_COUNTER_INIT` of quickjs.c. */
const JUMPS_A_POLL = 10_000;

/** Creates a counter. `left` is the engine's own counter; undefined if the engine is not metered, and then no fuel is ever used. */
export function createFuel(left: WasmGlobal | undefined, ask: () => GuestAnswer): Fuel {
  let before = 0;
  /** The same poll is repeated when the guest resumes; it must not cost fuel twice. */
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
      // A bulk operation may have used more than was left.
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
