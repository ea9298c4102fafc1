/**
 * A call that waits, as bytes: its guest, and what its worker knows of it. Any worker that has the plugin's image can go on with it.
 *
 * The bytes lie in memory that all threads see, so they are there whatever the call's own worker is doing. That worker keeps the call and
 * goes on with it when its answer comes, unless the host has claimed it before: exactly one of both has it then.
 */

import type { ParkedGuest } from "../image/parked.ts";

/** Structured-clonable. */
export interface RestingCall {
  readonly guest: ParkedGuest;
  readonly state: CallState;
  /** One word, before the guest's pages in the same memory: `ticket` as long as the call may be claimed. */
  readonly claim: Int32Array;
  /** Not 0. */
  readonly ticket: number;
}

/** A call beside its guest. */
export interface CallState {
  readonly clock: ClockState;
  readonly log: LogState;
  readonly operations: OperationsState;
  readonly use: UseState;
  /** When its next timer is due; undefined without one. */
  readonly timerAt: number | undefined;
  /** Answers that its workers have received. */
  readonly answers: number;
}

/** Where a call's clock stands between two entries of its guest. Times are comparable across threads. */
export interface ClockState {
  readonly startedAt: number;
  readonly wallEnd: number;
  readonly cpuMs: number;
  readonly questions: number;
  readonly leftMs: number;
  readonly askedAt: number;
  readonly stoodMs: number;
  readonly heldUpMs: number;
  readonly givenBackMs: number;
}

/** The log so far, all of it sent or dropped. */
export interface LogState {
  readonly bytes: number;
  readonly lines: number;
  readonly dropped: number;
}

/** The operations that a call has asked of its host. */
export interface OperationsState {
  readonly count: number;
  /** The guest's ids of operations that wait for the host, and of those that wait for a person. */
  readonly atHost: readonly number[];
  readonly atPerson: readonly number[];
}

/** The most that it used, by limit. */
export type UseState = Readonly<Record<"operationBytes" | "pendingOperations" | "timers" | "jsonDepth", number>>;

/** More is not laid out: copying it would hold up others for longer than a turn. */
export const MAXIMUM_RESTING_BYTES: number = 4 * 1024 * 1024;

/** The claim's word, and what aligns the pages behind it. */
const HEAD_BYTES = 8;

/** Memory that calls are laid out in, one at a time: it is used again, because V8 knows nothing of the size of what is shared. */
export class RestingMemory {
  readonly #free: Map<number, SharedArrayBuffer[]> = new Map();
  #freeBytes = 0;

  /** So many bytes behind a claim's word; undefined if they are too many. */
  take(bytes: number): Uint8Array | undefined {
    if (bytes > MAXIMUM_RESTING_BYTES) return undefined;
    const size = Math.ceil((HEAD_BYTES + bytes) / STEP_BYTES) * STEP_BYTES;
    const free = this.#free.get(size)?.pop();
    if (free !== undefined) this.#freeBytes -= size;
    return new Uint8Array(free ?? new SharedArrayBuffer(size), HEAD_BYTES, bytes);
  }

  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof SharedArrayBuffer) || this.#freeBytes + buffer.byteLength > KEPT_BYTES) return;
    this.#freeBytes += buffer.byteLength;
    const free = this.#free.get(buffer.byteLength);
    if (free === undefined) this.#free.set(buffer.byteLength, [buffer]);
    else free.push(buffer);
  }
}

const STEP_BYTES = 16 * 1024;
/** Some hundred calls. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** From now on the call may be claimed. @param guest whose pages lie in `RestingMemory` */
export function layOut(guest: ParkedGuest, state: CallState, ticket: number): RestingCall {
  const claim = new Int32Array(guest.contents.buffer, 0, 1);
  Atomics.store(claim, 0, ticket);
  return { guest, state, claim, ticket };
}

/** Takes the call for good: exactly one of those that try gets true. */
export function claimResting({ claim, ticket }: RestingCall): boolean {
  return Atomics.compareExchange(claim, 0, ticket, 0) === ticket;
}

/** Whether it may still be claimed. */
export function isAtRest({ claim, ticket }: RestingCall): boolean {
  return Atomics.load(claim, 0) === ticket;
}
