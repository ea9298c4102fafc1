/** Order in which answers and timers enter a guest, if it must be deterministic. */

import type { Fault } from "../../wire/fault.ts";

/** Decides what enters the guest next. Must be told about every requested operation and every answer that arrives. */
export interface EntryOrder {
  /** Records a request. `number` counts the call's asynchronous operations from 0; `id` is the guest's own. */
  asked(number: number, id: number): void;
  arrived(id: number, answer: string, bytes: Uint8Array | undefined): void;
  /** Returns the next step. `timerMs` is undefined if the guest waits for no timer. */
  next(timerMs: number | undefined): EntryStep;
  /** Called when the delay of a `later` step is over. */
  hurry(): void;
}

/** The next step. */
export type EntryStep =
  | { readonly kind: "timers" }
  | { readonly kind: "abort" }
  | ({ readonly kind: "answer"; readonly id: number } & Arrived)
  /** Wait until an answer arrives or `hurryMs` milliseconds have passed. */
  | { readonly kind: "later"; readonly hurryMs?: number }
  /** End the call. */
  | { readonly kind: "end"; readonly fault: Fault };

/** An answer that has not entered the guest yet. Owns its bytes. */
export interface Arrived {
  readonly answer: string;
  readonly bytes: Uint8Array | undefined;
}

/** Copies an answer, because its bytes may be in memory that is only lent. */
export function toArrived(answer: string, bytes: Uint8Array | undefined): Arrived {
  return { answer, bytes: bytes?.slice() };
}
