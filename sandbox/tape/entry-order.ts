/** In which order answers and timers enter a guest, where that is not left to chance. */

import type { Fault } from "../fault.ts";

/** Decides what enters next. Every operation that is asked is told to it, and every answer that arrives. */
export interface EntryOrder {
  /** `number` counts the call's asynchronous operations from 0; `id` is the guest's own. */
  asked(number: number, id: number): void;
  arrived(id: number, answer: string, bytes: Uint8Array | undefined): void;
  /** `timerMs` is undefined if the guest waits for no timer. */
  next(timerMs: number | undefined): EntryStep;
  /** The time that a step `later` named is over. */
  hurry(): void;
}

/** What is to be done. */
export type EntryStep =
  | { readonly kind: "timers" }
  | { readonly kind: "abort" }
  | ({ readonly kind: "answer"; readonly id: number } & Arrived)
  /** Nothing, until an answer arrives or so many milliseconds have passed. */
  | { readonly kind: "later"; readonly hurryMs?: number }
  /** The call ends here. */
  | { readonly kind: "end"; readonly fault: Fault };

/** An answer that has not entered yet. Its bytes are its own: they may have come in memory that is lent. */
export interface Arrived {
  readonly answer: string;
  readonly bytes: Uint8Array | undefined;
}

/** What answers wait in. */
export function toArrived(answer: string, bytes: Uint8Array | undefined): Arrived {
  return { answer, bytes: bytes?.slice() };
}
