/** The most that one call used of what its limits count, for its result (SPEC B3). */

import { nesting } from "../marshal.ts";

export class CallUse {
  #operationBytes = 0;
  #pendingOperations = 0;
  #timers = 0;
  #jsonDepth = 0;

  /** A payload went one way or the other. */
  carried(text: string, bytes: Uint8Array | undefined): void {
    this.#operationBytes = Math.max(this.#operationBytes, text.length, bytes?.length ?? 0);
  }

  /** How deep the text nests, `around` levels not counted; above `allowed` it stops counting. */
  nests(text: string, allowed: number, around: number = 0): number {
    const depth = nesting(text, allowed + around) - around;
    this.#jsonDepth = Math.max(this.#jsonDepth, depth);
    return depth;
  }

  pending(count: number): void {
    this.#pendingOperations = Math.max(this.#pendingOperations, count);
  }

  timers(count: number): void {
    this.#timers = Math.max(this.#timers, count);
  }

  get most(): { readonly [K in "operationBytes" | "pendingOperations" | "timers" | "jsonDepth"]: number } {
    return {
      operationBytes: this.#operationBytes,
      pendingOperations: this.#pendingOperations,
      timers: this.#timers,
      jsonDepth: this.#jsonDepth,
    };
  }
}
