/**
 * Entry order of a call with a fixed time: answers enter in the order of their requests, and timers when no request is pending.
 *
 * So the call depends on its answers and not on their timing. An operation may take long, or may wait for what the guest does next. If
 * none has been answered for a while, other answers and timers go first.
 */

import { type Arrived, type EntryOrder, type EntryStep, toArrived } from "./entry-order.ts";

/** Far longer than files and similar operations take, even on a very busy machine. */
const HURRY_AFTER_MS = 10_000;

export class AskedOrder implements EntryOrder {
  /** The guest's ids, in the order of the requests. */
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
    // The timer is due by the call's own time. Let the event loop run first; answers that arrive now come after the timer.
    if (timerMs === 0) return hurried ? { kind: "timers" } : { kind: "later", hurryMs: 0 };
    for (const id of this.#asked) {
      const arrived = this.#arrived.get(id);
      if (arrived !== undefined) return this.#answer(id, arrived);
      if (!hurried) break;
    }
    if (hurried && timerMs !== undefined) return { kind: "timers" };
    if (timerMs === undefined && this.#arrived.size === 0) return { kind: "later" };
    // If no operation is pending, no waiting is needed.
    return { kind: "later", hurryMs: this.#asked.size === 0 ? 0 : Math.max(HURRY_AFTER_MS, timerMs ?? 0) };
  }

  #answer(id: number, arrived: Arrived): EntryStep {
    this.#asked.delete(id);
    this.#arrived.delete(id);
    return { kind: "answer", id, ...arrived };
  }
}
