/**
 * The order of a call whose time is given: answers as they were asked for, and timers when nothing is asked for any more.
 *
 * So what it does depends on what it is answered and not on how fast. An operation may take long, or wait for what the
 * guest does next: when none has been answered for a while, others, and timers, go first.
 */

import { type Arrived, type EntryOrder, type EntryStep, toArrived } from "./entry-order.ts";

/** Files and the like answer far sooner, also on a very busy machine. */
const PATIENCE_MS = 10_000;

export class AskedOrder implements EntryOrder {
  /** The guest's ids, in the order of asking. */
  readonly #asked: Set<number> = new Set();
  readonly #arrived: Map<number, Arrived> = new Map();
  #isInAHurry = false;

  asked(_number: number, id: number): void {
    this.#asked.add(id);
  }

  arrived(id: number, answer: string, bytes: Uint8Array | undefined): void {
    this.#arrived.set(id, toArrived(answer, bytes));
  }

  hurry(): void {
    this.#isInAHurry = true;
  }

  next(timerMs: number | undefined): EntryStep {
    const hurried = this.#isInAHurry;
    this.#isInAHurry = false;
    // It is late by the call's own time. The event loop gets its turn; what arrives meanwhile comes after.
    if (timerMs === 0) return hurried ? { kind: "timers" } : { kind: "later", hurryMs: 0 };
    for (const id of this.#asked) {
      const arrived = this.#arrived.get(id);
      if (arrived !== undefined) return this.#answer(id, arrived);
      if (!hurried) break;
    }
    if (hurried && timerMs !== undefined) return { kind: "timers" };
    if (timerMs === undefined && this.#arrived.size === 0) return { kind: "later" };
    // Time that passes for nobody else is not waited for.
    return { kind: "later", hurryMs: this.#asked.size === 0 ? 0 : Math.max(PATIENCE_MS, timerMs ?? 0) };
  }

  #answer(id: number, arrived: Arrived): EntryStep {
    this.#asked.delete(id);
    this.#arrived.delete(id);
    return { kind: "answer", id, ...arrived };
  }
}
