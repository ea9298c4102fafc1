/** Keeps the host's thread polling for the moment in which a worker will probably answer (`patience.ts`). */

import { BackOff } from "../wire/back-off.ts";
import type { WorkerLauncher } from "../wire/port.ts";

/** Time in which a short call or operation is answered, even if the worker had to be woken. */
const AWAKE_MS = 0.06;

/** Minimum rate at which a worker copies incoming bytes. */
const BYTES_A_MS = 4_000_000;

/** Polls for a worker's messages. */
interface Lookout {
  open(): void;
  look(): void;
  close(): void;
}

/** Polls for the messages of one worker. The event loop keeps running meanwhile, so other work is not delayed. */
export class StayAwake {
  readonly #powers: Pick<WorkerLauncher, "now" | "soon">;
  readonly #isOwed: () => boolean;
  readonly #lookout: Lookout;
  readonly #backOff = new BackOff();
  #isTurning = false;
  #isRenewed = false;
  #hasHeard = false;
  #until = 0;
  #forMs = 0;

  /** @param isOwed true while the worker has a job to answer */
  constructor(powers: Pick<WorkerLauncher, "now" | "soon">, isOwed: () => boolean, lookout: Lookout) {
    this.#powers = powers;
    this.#isOwed = isOwed;
    this.#lookout = lookout;
  }

  /**
   * Starts polling, because the worker received work that it will answer.
   *
   * @param bytes bytes that the worker has to copy first
   */
  expect(bytes: number = 0): void {
    const { soon } = this.#powers;
    if (soon === undefined) return;
    this.#isRenewed = true;
    this.#forMs = AWAKE_MS + bytes / BYTES_A_MS;
    if (this.#isTurning || !this.#backOff.isWorthwhile()) return;
    this.#isTurning = true;
    this.#hasHeard = false;
    this.#lookout.open();
    soon(this.#turn);
  }

  /** Records a message from the worker. */
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
    // The last look may have received a message whose handling expects another answer.
    this.#lookout.look();
    if (this.#isRenewed) {
      this.#lookout.open();
      return soon?.(this.#turn);
    }
    this.#isTurning = false;
    if (this.#hasHeard) this.#backOff.came();
    else this.#backOff.stayedAway();
  };
}
