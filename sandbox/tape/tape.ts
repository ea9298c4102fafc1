/**
 * A tape: what a worker told one call that cannot be computed again, so that the call can be run again alike (SPEC B8).
 *
 * Randomness needs no tape, it is computed from a seed; answers of the host are the host's to keep. What is left is when
 * the clock was looked at, and in which order answers and timers entered the guest.
 */

import type { Fault } from "../fault.ts";

/** Where a call's time and randomness come from (SPEC B6). What is absent is the machine's own. */
export interface CallWorld {
  /** All that is random is computed from this text. */
  readonly seed?: string;
  /** Milliseconds since the epoch when the call begins. From then on time depends on nothing but what the call does. */
  readonly timeMs?: number;
  /** The outcome brings a tape. Needs a seed. */
  readonly keepsTape?: boolean;
  /** The call runs as it says, with the seed and the time that it was made with. */
  readonly tape?: Tape;
}

export interface Tape {
  /** Milliseconds since the epoch when the call began. */
  readonly startMs: number;
  /** In turn: how many ticks of `TICKS_A_MS` had passed since the looks before, and how many looks in a row saw that. Empty where time was given. */
  readonly looks: readonly number[];
  /** What entered the guest after its begin: `TIMERS`, `ABORT`, or which of its asynchronous operations was answered, from 0. */
  readonly entries: readonly number[];
  /** Answers of cryptography, by the same numbers. */
  readonly crypto: readonly CryptoAnswer[];
  /** Set where the clock or a cancellation ended the call: after how much fuel. */
  readonly stop?: { readonly fuel: number; readonly fault: Extract<Fault, { kind: "timeout" | "cancelled" }> };
}

/** A call that was to keep a tape may have outgrown it. */
export type KeptTape = Tape | "too_long";

export interface CryptoAnswer {
  readonly operation: number;
  /** Tagged text (`guest/protocol.ts`). */
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

export const TIMERS = -1;
export const ABORT = -2;
/** The clock of a call that keeps a tape is as coarse as browsers' are. */
export const TICKS_A_MS = 10;

/** More than this and there is no tape: a guest decides how often it looks at the clock and sets timers. */
export const TAPE_BOUNDS: Readonly<Record<"looks" | "entries" | "cryptoBytes", number>> = Object.freeze({
  looks: 200_000,
  entries: 50_000,
  cryptoBytes: 1024 * 1024,
});

/** Whether a value from a worker or a file is a tape within the bounds. */
export function isTape(value: unknown): value is Tape {
  const { startMs, looks, entries, crypto, stop } = membersOf(value);
  return (
    isTime(startMs) &&
    isListOf(looks, TAPE_BOUNDS.looks, isCount) &&
    isListOf(entries, TAPE_BOUNDS.entries, (entry) => entry === TIMERS || entry === ABORT || isCount(entry)) &&
    isListOf(crypto, TAPE_BOUNDS.entries, isCryptoAnswer) &&
    crypto.reduce((total, answer) => total + sizeOf(answer), 0) <= TAPE_BOUNDS.cryptoBytes &&
    (stop === undefined || isStop(stop))
  );
}

/** What counts against `cryptoBytes`. */
export function sizeOf({ answer, bytes }: CryptoAnswer): number {
  return answer.length + (bytes?.length ?? 0);
}

/** A time that `Date` can show. */
export function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 8.64e15;
}

function isCryptoAnswer(value: unknown): value is CryptoAnswer {
  const { operation, answer, bytes } = membersOf(value);
  return isCount(operation) && typeof answer === "string" && (bytes === undefined || isOwnBytes(bytes));
}

/** Bytes that two threads see may change after they were checked. */
function isOwnBytes(value: unknown): boolean {
  return value instanceof Uint8Array && value.buffer instanceof ArrayBuffer;
}

function isStop(value: unknown): boolean {
  const { fuel, fault } = membersOf(value);
  const { kind, limit, limitMs } = membersOf(fault);
  if (!isCount(fuel)) return false;
  return kind === "cancelled" || (kind === "timeout" && (limit === "wall" || limit === "cpu") && isCount(limitMs));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isListOf<T>(value: unknown, maximum: number, check: (item: unknown) => item is T): value is readonly T[];
function isListOf(value: unknown, maximum: number, check: (item: unknown) => boolean): value is readonly unknown[];
function isListOf(value: unknown, maximum: number, check: (item: unknown) => boolean): boolean {
  // Holes are looked at too, which `every` alone passes over.
  return Array.isArray(value) && value.length <= maximum && Array.from(value).every(check);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Members of anything that is an object can be looked at.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
