/** Brings answers and timers into the guest in the order of a tape, whenever they arrive. */

import { ABORT, type Tape, TIMERS } from "./tape.ts";
import type { Fault } from "./fault.ts";

/** What is to be done next. */
export type TapeStep =
  | { readonly kind: "timers" }
  | { readonly kind: "abort" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: string; readonly bytes: Uint8Array | undefined }
  /** Its answer has not arrived yet. */
  | { readonly kind: "later" }
  /** The tape's call ended here, or did something else. */
  | { readonly kind: "end"; readonly fault: Fault };

interface Arrived {
  readonly answer: string;
  readonly bytes: Uint8Array | undefined;
}

export class TapeOrder {
  readonly #tape: Tape;
  /** The guest's ids, by number. */
  readonly #ids: number[] = [];
  readonly #arrived: Map<number, Arrived> = new Map();
  #place = 0;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  asked(number: number, id: number): void {
    this.#ids[number] = id;
  }

  /** The bytes are copied: they may lie in memory that is lent. */
  arrived(id: number, answer: string, bytes: Uint8Array | undefined): void {
    this.#arrived.set(id, { answer, bytes: bytes?.slice() });
  }

  /** `timerMs` is undefined if the guest waits for no timer. */
  next(timerMs: number | undefined): TapeStep {
    const entry = this.#tape.entries[this.#place];
    if (entry === undefined) return { kind: "end", fault: this.#tape.stop?.fault ?? OTHERWISE };
    if (entry === TIMERS && timerMs === undefined) return { kind: "end", fault: OTHERWISE };
    if (entry === TIMERS || entry === ABORT) {
      this.#place++;
      return entry === TIMERS ? { kind: "timers" } : { kind: "abort" };
    }
    const id = this.#ids[entry];
    if (id === undefined) return { kind: "end", fault: OTHERWISE };
    const arrived = this.#arrived.get(id);
    if (arrived === undefined) return { kind: "later" };
    this.#place++;
    this.#arrived.delete(id);
    return { kind: "answer", id, ...arrived };
  }
}

const OTHERWISE: Fault = { kind: "differs" };
