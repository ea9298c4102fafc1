/**
 * Copies waiting calls into shared memory, so that another worker can resume them if this worker is ended, or if a guest holds its thread
 * when the answer arrives.
 *
 * Copying a call costs some tens of microseconds, on both threads together, so calls that only wait for a moment are not copied.
 */

import { type CallState, claimResting, layOut, type RestingCall, RestingMemory } from "../wire/resting-call.ts";
import type { Instances } from "./instances.ts";
import type { Lease } from "./lease.ts";
import { nextNumber, type WorkerMessage } from "../wire/protocol.ts";

interface RestingEnvironment {
  now(): number;
  after(delayMs: number, task: () => void): () => void;
  post(message: WorkerMessage): void;
  flush(): void;
  instances(): Pick<Instances, "copyOut">;
}

/** A waiting call. */
export interface Waiter {
  readonly number: number;
  readonly lease: Lease;
  /** Returns the call's state. Undefined if part of it belongs to this worker alone. */
  state(): CallState | undefined;
}

/** Interval of the checks. A call waits for one to two intervals before it is laid out. */
const LOOK_EVERY_MS = 10;
/** Time limit of one check on the thread, because many calls may wait. */
const LOOK_MS = 2;

export class RestingCalls {
  readonly #env: RestingEnvironment;
  readonly #memory: RestingMemory = new RestingMemory();
  /** Waiting calls that are not laid out, with true if they were already waiting at the last check. In order of arrival. */
  readonly #waiters: Map<Waiter, boolean> = new Map();
  readonly #laidOut: Map<Waiter, RestingCall> = new Map();
  #lastTicket = 0;
  #isLooking = false;
  /** For tests: lays out a call as soon as it waits. */
  isEager = false;

  constructor(env: RestingEnvironment) {
    this.#env = env;
  }

  /** Adds a call that starts to wait. */
  rests(waiter: Waiter): void {
    if (this.isEager) return this.#layOut(waiter);
    this.#waiters.set(waiter, false);
    return this.#lookLater();
  }

  /** Takes a call back to resume or end it here. @returns false if another worker has claimed it */
  takeUp(waiter: Waiter): boolean {
    if (this.#waiters.delete(waiter)) return true;
    const call = this.#laidOut.get(waiter);
    if (call === undefined) return true;
    this.#laidOut.delete(waiter);
    if (!claimResting(call)) return false;
    this.#memory.giveBack(call.guest.contents);
    return true;
  }

  #layOut(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    const state = waiter.state();
    const guest = state && this.#env.instances().copyOut(waiter.lease, (bytes) => this.#memory.take(bytes));
    if (state === undefined || guest === undefined) return;
    this.#lastTicket = nextNumber(this.#lastTicket);
    const call = layOut(guest, state, this.#lastTicket);
    this.#laidOut.set(waiter, call);
    this.#env.post({ type: "rests", number: waiter.number, call });
  }

  #lookLater(): void {
    if (this.#isLooking || this.#waiters.size === 0) return;
    this.#isLooking = true;
    this.#env.after(LOOK_EVERY_MS, () => {
      this.#isLooking = false;
      this.#look();
      this.#env.flush();
      this.#lookLater();
    });
  }

  #look(): void {
    const until = this.#env.now() + LOOK_MS;
    for (const [waiter, waited] of [...this.#waiters]) {
      if (!waited) this.#waiters.set(waiter, true);
      else if (this.#env.now() < until) this.#layOut(waiter);
    }
  }
}
