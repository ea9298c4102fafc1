/**
 * One guest's use of the worker's thread: it enters the engine when its turn comes, is suspended when its slice is over or when it
 * waits for an answer, and goes on in a later turn. Nothing of that shows inside the guest.
 */

import type { CallClock } from "../call/call-clock.ts";
import { inTurns, type Steps } from "../engine/steps.ts";
import type { Instances } from "./instances.ts";
import type { Lease } from "./lease.ts";
import { type Scheduler, SLICE_MS } from "./scheduler.ts";

/** What a fiber needs of its worker. */
export interface FiberEnvironment {
  readonly scheduler: Scheduler;
  /** Where the guest has its instance, or gets one again after it waited. */
  readonly instances: Pick<Instances, "suspend" | "occupy" | "bringBack">;
  /** Keeps the thread's event loop turning until the work is done. */
  background(work: Promise<void>): void;
  /** A defect of ours: the worker is of no use any more. */
  breakDown(defect: unknown): void;
}

export interface FiberGuest {
  /** Digest of the plugin whose turns the guest uses. */
  readonly plugin: string;
  readonly lease: Lease;
  readonly clock: Pick<CallClock, "enter" | "leave" | "lastPollAt">;
  /** It leaves the thread without having left the engine. */
  suspended?(): void;
}

export class Fiber {
  readonly #env: FiberEnvironment;
  readonly #guest: FiberGuest;
  /** What is to be done when its turn comes. */
  #steps: (() => void)[] = [];
  /** It waits for a turn for the first of them, or for an instance. */
  #isScheduled = false;
  #isInside = false;
  #isClosed = false;
  #resume: (() => void) | undefined;
  #sliceEndsAt = 0;

  constructor(env: FiberEnvironment, guest: FiberGuest) {
    this.#env = env;
    this.#guest = guest;
  }

  /** True while the guest is in the engine, where it may be suspended. */
  get isInside(): boolean {
    return this.#isInside;
  }

  /** True while the guest has something to do. */
  get isBusy(): boolean {
    return this.#isInside || this.#steps.length > 0;
  }

  /** Does the steps in the guest, in this turn and, where it is suspended, in later ones. */
  enter<T>(steps: Steps<T>, done: (value: T) => void, failed: (error: unknown) => void): void {
    this.#isInside = true;
    this.#beginSlice();
    const leave = (finish: () => void): void => {
      try {
        this.#isInside = false;
        this.#guest.clock.leave();
        finish();
        this.#callForTurn();
        this.#env.scheduler.left();
      } catch (defect) {
        this.#breakDown(defect);
      }
    };
    inTurns(
      steps,
      (value) => leave(() => done(value)),
      (error) => leave(() => failed(error)),
    );
  }

  /** Takes a step, which leads to `enter`, when the turn comes after what was queued before. */
  queue(step: () => void): void {
    this.#steps.push(step);
    this.#callForTurn();
  }

  /** Forgets what was queued. */
  close(): void {
    this.#isClosed = true;
    this.#steps = [];
  }

  /** True once the guest has computed for a slice, as far as its clock was looked at. */
  get isSliceOver(): boolean {
    return this.#guest.clock.lastPollAt >= this.#sliceEndsAt;
  }

  /** Suspends the guest until its next turn, for others to have theirs, or until it is woken. */
  suspend(until: "next turn" | "woken"): Promise<void> {
    const { scheduler, instances } = this.#env;
    const { clock, lease, plugin } = this.#guest;
    const resumed = new Promise<void>((resolve) => (this.#resume = resolve));
    clock.leave();
    instances.suspend(lease);
    this.#guest.suspended?.();
    if (until === "next turn") scheduler.add(plugin, "slice", this.#goOn);
    scheduler.left();
    return resumed;
  }

  /** The guest, if it is suspended, goes on in its plugin's next turn. */
  wake(): void {
    if (this.#resume !== undefined) this.#env.scheduler.add(this.#guest.plugin, "answer", this.#goOn);
  }

  readonly #goOn = (): void => {
    const resume = this.#resume;
    // It was woken before its turn came.
    if (resume === undefined) return this.#env.scheduler.left();
    this.#resume = undefined;
    try {
      this.#beginSlice();
    } catch (defect) {
      return this.#breakDown(defect);
    }
    return resume();
  };

  #beginSlice(): void {
    this.#env.instances.occupy(this.#guest.lease);
    this.#sliceEndsAt = this.#guest.clock.enter() + SLICE_MS;
  }

  #callForTurn(): void {
    if (this.#isScheduled || this.#isInside || this.#steps.length === 0) return;
    this.#isScheduled = true;
    this.#env.scheduler.add(this.#guest.plugin, "answer", this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    const { scheduler, instances, background } = this.#env;
    try {
      if (!this.#isClosed && !instances.occupy(this.#guest.lease)) {
        background(this.#comeBack());
        return scheduler.left();
      }
      this.#isScheduled = false;
      const step = this.#steps.shift();
      if (step === undefined) return scheduler.left();
      return step();
    } catch (defect) {
      return this.#breakDown(defect);
    }
  };

  /** Finds an instance for a guest that was parked. */
  async #comeBack(): Promise<void> {
    await this.#env.instances.bringBack(this.#guest.lease);
    this.#isScheduled = false;
    this.#callForTurn();
  }

  #breakDown(defect: unknown): void {
    this.#env.breakDown(defect);
    this.#env.scheduler.left();
  }
}
