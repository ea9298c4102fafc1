/**
 * A tape: the part of a call's recording that a worker makes, so that the call can be replayed exactly (SPEC B8).
 *
 * Randomness is computed from a seed, and the host records its own answers. The rest is on the tape: the results of clock reads, and the
 * order in which answers and timers entered the guest.
 */

import type { Fault } from "./fault.ts";

/** Source of a call's time and randomness (SPEC B6). Absent members use the machine's own. */
export interface CallConditions {
  /** Seed of all randomness. */
  readonly seed?: string;
  /** Milliseconds since the epoch at the start of the call. After that, time depends only on what the call does. */
  readonly timeMs?: number;
  /** Requests a tape in the outcome. Needs a seed. */
  readonly keepsTape?: boolean;
  /** Replays this tape, with the seed and the time that it was recorded with. */
  readonly tape?: Tape;
  /** Requests observations in the outcome. Only in threads: an isolated process returns none. */
  readonly observes?: boolean;
}

export interface Tape {
  /** Milliseconds since the epoch at the start of the call. */
  readonly startMs: number;
  /**
   * Pairs: ticks of `TICKS_A_MS` since the previous reads, then the number of consecutive reads with that value. Empty if the time was
   * given.
   */
  readonly looks: readonly number[];
  /** Entries into the guest after its start: `TIMERS`, `ABORT`, or the number of the answered asynchronous operation, from 0. */
  readonly entries: readonly number[];
  /** Answers of cryptography, by the same numbers. */
  readonly crypto: readonly CryptoAnswer[];
  /**
   * Milliseconds from the call's start to the moments at which each operation was sent to the host and its answer entered the guest (-1:
   * never), in the order of sending. Not needed for a replay. Absent if there were too many.
   */
  readonly times?: readonly number[];
  /** Fuel at which the clock or a cancellation ended the call. Absent if neither did. */
  readonly stop?: { readonly fuel: number; readonly fault: Extract<Fault, { kind: "timeout" | "cancelled" }> };
}

/** Result of recording a call. `too_long` if the tape exceeded its bounds. */
export type KeptTape = Tape | "too_long";

export interface CryptoAnswer {
  readonly operation: number;
  /** Tagged text (`guest/call/protocol.ts`). */
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

export const TIMERS = -1;
export const ABORT = -2;
/** Clock resolution of a recorded call, as coarse as in browsers. */
export const TICKS_A_MS = 10;

/** Bounds of a tape, because a guest decides how often it reads the clock and sets timers. A call that exceeds them gets no tape. */
export const TAPE_BOUNDS: Readonly<Record<"looks" | "entries" | "times" | "cryptoBytes", number>> = Object.freeze({
  looks: 200_000,
  entries: 50_000,
  times: 50_000,
  cryptoBytes: 1024 * 1024,
});

/** Checks that a value from a worker or a file is a tape within the bounds. */
export function isTape(value: unknown): value is Tape {
  const { startMs, looks, entries, crypto, times, stop } = membersOf(value);
  return (
    isTime(startMs) &&
    isListOf(looks, TAPE_BOUNDS.looks, isCount) &&
    isListOf(entries, TAPE_BOUNDS.entries, (entry) => entry === TIMERS || entry === ABORT || isCount(entry)) &&
    isListOf(crypto, TAPE_BOUNDS.entries, isCryptoAnswer) &&
    crypto.reduce((total, answer) => total + sizeOf(answer), 0) <= TAPE_BOUNDS.cryptoBytes &&
    (times === undefined || isListOf(times, TAPE_BOUNDS.times, isMoment)) &&
    (stop === undefined || isStop(stop))
  );
}

/** Returns the size that counts against `cryptoBytes`. */
export function sizeOf({ answer, bytes }: CryptoAnswer): number {
  return answer.length + (bytes?.length ?? 0);
}

/** Checks that a value is a time that `Date` can represent. */
export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}

function isCryptoAnswer(value: unknown): value is CryptoAnswer {
  const { operation, answer, bytes } = membersOf(value);
  return isCount(operation) && typeof answer === "string" && (bytes === undefined || isOwnBytes(bytes));
}

/** Rejects shared memory, which may change after the check. */
function isOwnBytes(value: unknown): boolean {
  return value instanceof Uint8Array && value.buffer instanceof ArrayBuffer;
}

function isStop(value: unknown): boolean {
  const { fuel, fault } = membersOf(value);
  const { kind, limit, limitMs } = membersOf(fault);
  if (!isCount(fuel)) return false;
  return kind === "cancelled" || (kind === "timeout" && (limit === "wall" || limit === "cpu") && isCount(limitMs));
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= -1;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isListOf<T>(value: unknown, maximum: number, check: (item: unknown) => item is T): value is readonly T[];
function isListOf(value: unknown, maximum: number, check: (item: unknown) => boolean): value is readonly unknown[];
function isListOf(value: unknown, maximum: number, check: (item: unknown) => boolean): boolean {
  // `every` alone would skip holes, so the list is copied first.
  return Array.isArray(value) && value.length <= maximum && Array.from(value).every(check);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Reading members of any object is safe.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
