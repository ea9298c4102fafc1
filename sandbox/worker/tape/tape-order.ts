/** Entry order of a replayed call: answers and timers enter in recorded order, whenever they arrive. */

import { type Arrived, type EntryOrder, type EntryStep, toArrived } from "./entry-order.ts";
import type { Fault } from "../../wire/fault.ts";
import { ABORT, type Tape, TIMERS } from "../../wire/tape.ts";

export class TapeOrder implements EntryOrder {
  readonly #tape: Tape;
  /** The guest's ids, by operation number. */
  readonly #ids: number[] = [];
  readonly #arrived: Map<number, Arrived> = new Map();
  #place = 0;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  asked(number: number, id: number): void {
    this.#ids[number] = id;
  }

  arrived(id: number, answer: string, bytes: Uint8Array | undefined): void {
    this.#arrived.set(id, toArrived(answer, bytes));
  }

  hurry(): void {}

  next(): EntryStep {
    const entry = this.#tape.entries[this.#place];
    if (entry === undefined) return { kind: "end", fault: this.#tape.stop?.fault ?? DIFFERS };
    // The guest may wait for no timer: while it was recorded, an answer that entered just before had stopped the timer.
    if (entry === TIMERS || entry === ABORT) {
      this.#place++;
      return entry === TIMERS ? { kind: "timers" } : { kind: "abort" };
    }
    const id = this.#ids[entry];
    if (id === undefined) return { kind: "end", fault: DIFFERS };
    const arrived = this.#arrived.get(id);
    if (arrived === undefined) return { kind: "later" };
    this.#place++;
    this.#arrived.delete(id);
    return { kind: "answer", id, ...arrived };
  }
}

/** Fault of a call that diverges from its recording. */
export const DIFFERS: Fault = { kind: "differs" };
