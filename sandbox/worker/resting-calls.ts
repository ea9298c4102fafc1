/**
 * Lays out the calls that wait on a worker, so that another one can go on with them: should this one have to be ended, or a guest
 * hold its thread when their answer comes.
 *
 * Copying a call out costs some tens of microseconds, on both threads together. So those that wait for a moment only are left alone.
 */

import { type CallState, claimResting, layOut, type RestingCall, RestingMemory } from "../call/resting-call.ts";
import type { Instances } from "./instances.ts";
import type { Lease } from "./lease.ts";
import { nextNumber, type WorkerMessage } from "./protocol.ts";

export interface RestingEnvironment {
  now(): number;
  after(delayMs: number, task: () => void): () => void;
  post(message: WorkerMessage): void;
  flush(): void;
  instances(): Pick<Instances, "copyOut">;
}

/** A call that waits. */
export interface Waiter {
  readonly number: number;
  readonly lease: Lease;
  /** Undefined where part of the call is this worker's alone. */
  state(): CallState | undefined;
}

/** A call waits for as long at least before it is laid out, and for twice as long at most. */
const LOOK_EVERY_MS = 10;
/** The time that laying out may take of the thread at once: many calls may wait. */
const LOOK_MS = 2;

export class RestingCalls {
  readonly #env: RestingEnvironment;
  readonly #memory: RestingMemory = new RestingMemory();
  /** Those that are not laid out, and whether they waited at the last look already. In the order in which they came. */
  readonly #waiters: Map<Waiter, boolean> = new Map();
  readonly #laidOut: Map<Waiter, RestingCall> = new Map();
  #lastTicket = 0;
  #isLooking = false;
  /** Tests: a call is laid out as soon as it waits. */
  isEager = false;

  constructor(env: RestingEnvironment) {
    this.#env = env;
  }

  /** A call begins to wait. */
  rests(waiter: Waiter): void {
    if (this.isEager) return this.#layOut(waiter);
    this.#waiters.set(waiter, false);
    return this.#lookLater();
  }

  /** The call goes on here, or ends. @returns false if another worker has it */
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
