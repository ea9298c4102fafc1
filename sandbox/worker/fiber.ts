/**
 * A guest's use of the worker's thread: the guest enters the engine in its slice, is suspended when the slice is over or when it waits
 * for an answer, and resumes in a later slice. The guest cannot observe this.
 */

import type { CallClock } from "./call/call-clock.ts";
import { inTurns, type Steps } from "../engine/steps.ts";
import type { Instances } from "./instances.ts";
import type { Lease } from "./lease.ts";
import { type Scheduler, SLICE_MS } from "./scheduler.ts";

/** The parts of its worker that a fiber needs. */
export interface FiberEnvironment {
  readonly scheduler: Scheduler;
  /** Gives the guest an instance, again after each wait. */
  readonly instances: Pick<Instances, "suspend" | "occupy" | "bringBack">;
  /** Keeps the thread's event loop running until the work is done. */
  background(work: Promise<void>): void;
  /** Reports a defect of the sandbox. The worker cannot continue. */
  breakDown(defect: unknown): void;
}

interface FiberGuest {
  /** Hash of the plugin whose slices the guest uses. */
  readonly plugin: string;
  readonly lease: Lease;
  readonly clock: Pick<CallClock, "enter" | "leave" | "lastPollAt">;
  /** Called when the guest leaves the thread but stays in the engine. */
  suspended?(): void;
}

export class Fiber {
  readonly #env: FiberEnvironment;
  readonly #guest: FiberGuest;
  /** Steps to run in the next slices. */
  #steps: (() => void)[] = [];
  /** True while the first step waits for a slice or for an instance. */
  #isScheduled = false;
  #isInside = false;
  #isClosed = false;
  #resume: (() => void) | undefined;
  #sliceEndsAt = 0;

  constructor(env: FiberEnvironment, guest: FiberGuest) {
    this.#env = env;
    this.#guest = guest;
  }

  /** True while the guest is in the engine, where it can be suspended. */
  get isInside(): boolean {
    return this.#isInside;
  }

  /** True while the guest is in the engine or has queued steps. */
  get isBusy(): boolean {
    return this.#isInside || this.#steps.length > 0;
  }

  /** Runs the steps in the guest, in this slice and, after suspensions, in later ones. */
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

  /** Queues a step, which must call `enter`. Runs after all steps queued before. */
  queue(step: () => void): void {
    this.#steps.push(step);
    this.#callForTurn();
  }

  /** Drops queued steps. */
  close(): void {
    this.#isClosed = true;
    this.#steps = [];
  }

  /** True once the guest has used up its slice, as of its clock's last poll. */
  get isSliceOver(): boolean {
    return this.#guest.clock.lastPollAt >= this.#sliceEndsAt;
  }

  /** Suspends the guest until its next slice, so that others can run, or until `wake` is called. */
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

  /** Resumes a suspended guest in its plugin's next slice. */
  wake(): void {
    if (this.#resume !== undefined) this.#env.scheduler.add(this.#guest.plugin, "answer", this.#goOn);
  }

  readonly #goOn = (): void => {
    const resume = this.#resume;
    // Another wake-up has already resumed the guest.
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

  /** Obtains an instance for a parked guest. */
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
