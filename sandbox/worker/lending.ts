/** Large answers go through one piece of shared memory: a message would need fresh memory for each on both sides. */

import { LENT } from "./protocol.ts";

const LEND_FROM_BYTES = 65_536;
const LENT_BYTES = 4 << 20;

/** What the host lends to one worker, for one answer at a time. */
export class Lending {
  readonly #words: Int32Array;
  #shared: Uint8Array | undefined;

  /** @param words the worker's status words */
  constructor(words: Int32Array) {
    this.#words = words;
  }

  /**
   * A copy in shared memory, which is the worker's until it sets `LENT` to 0.
   *
   * @param wake rings for the worker, so that it wakes while the bytes are copied
   * @returns undefined if they are few, too many, or an earlier answer has not been read yet
   */
  lend(bytes: Uint8Array, wake: () => void): Uint8Array | undefined {
    if (bytes.length < LEND_FROM_BYTES || bytes.length > LENT_BYTES) return undefined;
    if (Atomics.compareExchange(this.#words, LENT, 0, 1) !== 0) return undefined;
    wake();
    this.#shared ??= new Uint8Array(new SharedArrayBuffer(LENT_BYTES));
    this.#shared.set(bytes);
    return this.#shared.subarray(0, bytes.length);
  }
}
