/** Keeps the host's thread from falling asleep in the moment in which a worker probably answers (`patience.ts`). */

import { Patience } from "./patience.ts";
import type { WorkerLauncher } from "./port.ts";

/** A brief call or operation is answered by then, also by a worker that had to be woken. */
const AWAKE_MS = 0.06;

/** A worker takes in at least so much. */
const BYTES_A_MS = 4_000_000;

/** Where a host that is awake looks for what the worker says. */
export interface Lookout {
  open(): void;
  look(): void;
  close(): void;
}

/** What the host's thread expects of one worker. The event loop goes on turning meanwhile: everything else gets its turn too. */
export class StayAwake {
  readonly #powers: Pick<WorkerLauncher, "now" | "soon">;
  readonly #isOwed: () => boolean;
  readonly #lookout: Lookout;
  readonly #patience = new Patience();
  #isTurning = false;
  #isRenewed = false;
  #hasHeard = false;
  #until = 0;
  #forMs = 0;

  /** @param isOwed whether the worker has anything to answer */
  constructor(powers: Pick<WorkerLauncher, "now" | "soon">, isOwed: () => boolean, lookout: Lookout) {
    this.#powers = powers;
    this.#isOwed = isOwed;
    this.#lookout = lookout;
  }

  /**
   * The worker got something that it will answer.
   *
   * @param bytes how much it has to copy first
   */
  expect(bytes: number = 0): void {
    const { soon } = this.#powers;
    if (soon === undefined) return;
    this.#isRenewed = true;
    this.#forMs = AWAKE_MS + bytes / BYTES_A_MS;
    if (this.#isTurning || !this.#patience.isWorthwhile()) return;
    this.#isTurning = true;
    this.#hasHeard = false;
    this.#lookout.open();
    soon(this.#turn);
  }

  /** The worker said something. */
  heard(): void {
    this.#hasHeard = true;
  }

  readonly #turn = (): void => {
    const { now, soon } = this.#powers;
    this.#lookout.look();
    if (this.#isRenewed) {
      this.#isRenewed = false;
      this.#until = now() + this.#forMs;
    }
    if (this.#isOwed() && now() < this.#until) return soon?.(this.#turn);
    this.#lookout.close();
    // What was said in this very moment may ask for more.
    this.#lookout.look();
    if (this.#isRenewed) {
      this.#lookout.open();
      return soon?.(this.#turn);
    }
    this.#isTurning = false;
    if (this.#hasHeard) this.#patience.came();
    else this.#patience.stayedAway();
  };
}
