/**
 * A waiting call as bytes: its guest and the worker's state of it. Any worker that has the plugin's image can resume it.
 *
 * The bytes lie in shared memory, so they can be read whatever the call's own worker is doing. That worker keeps the call and resumes it
 * when its answer arrives, unless the host claims it first: exactly one of the two gets it.
 */

import type { ParkedGuest } from "../image/parked.ts";

/** A waiting call that any worker can claim. Can be cloned structurally. */
export interface RestingCall {
  readonly guest: ParkedGuest;
  readonly state: CallState;
  /** One word in front of the guest's pages, in the same memory. Holds `ticket` as long as the call may be claimed. */
  readonly claim: Int32Array;
  /** Never 0. */
  readonly ticket: number;
}

/** State of a call outside its guest's memory. */
export interface CallState {
  readonly clock: ClockState;
  readonly log: LogState;
  readonly operations: OperationsState;
  readonly use: UseState;
  /** Time at which the next timer is due; undefined if there is none. */
  readonly timerAt: number | undefined;
  /** Number of host answers that the call's workers have received. */
  readonly answers: number;
}

/** State of a call's clock between two entries of its guest. Times are comparable across threads. */
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

/** Counters of a call's log. All lines have been sent or dropped. */
export interface LogState {
  readonly bytes: number;
  readonly lines: number;
  readonly dropped: number;
}

/** Operations of a call that wait for the host. */
export interface OperationsState {
  readonly count: number;
  /** The guest's ids of operations that wait for the host, and of those that wait for a confirmation. */
  readonly atHost: readonly number[];
  readonly atPerson: readonly number[];
}

/** Peak usage, by limit. */
export type UseState = Readonly<Record<"operationBytes" | "pendingOperations" | "timers" | "jsonDepth", number>>;

/** Maximum size of a call that can be laid out. Copying more would delay other calls for longer than a slice. */
export const MAXIMUM_RESTING_BYTES: number = 4 * 1024 * 1024;

/** Space for the claim word. Also aligns the pages behind it. */
const HEAD_BYTES = 8;

/**
 * Shared memory for resting calls, one call per buffer. Buffers are reused, because V8's garbage collector does not account for shared
 * memory.
 */
export class RestingMemory {
  readonly #free: Map<number, SharedArrayBuffer[]> = new Map();
  #freeBytes = 0;

  /** Returns `bytes` bytes behind a claim word; undefined if that is too much. */
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
/** Enough for some hundred calls. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Makes the call claimable. @param guest its pages must lie in `RestingMemory` */
export function layOut(guest: ParkedGuest, state: CallState, ticket: number): RestingCall {
  const claim = new Int32Array(guest.contents.buffer, 0, 1);
  Atomics.store(claim, 0, ticket);
  return { guest, state, claim, ticket };
}

/** Claims the call for good. Exactly one of all claimants gets true. */
export function claimResting({ claim, ticket }: RestingCall): boolean {
  return Atomics.compareExchange(claim, 0, ticket, 0) === ticket;
}

/** True while the call can still be claimed. */
export function isAtRest({ claim, ticket }: RestingCall): boolean {
  return Atomics.load(claim, 0) === ticket;
}
