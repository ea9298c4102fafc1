/** Log bytes that may be in flight to the host at once. If the host is busy, further lines are dropped and counted. */

import { LOGS_HEARD } from "../../wire/protocol.ts";

/** Credit of one worker. The host processes all of it in one turn of its event loop: 1,024 lines at most. */
const CREDIT_BYTES: number = 256 * 1024;

interface Part {
  readonly owner: string;
  readonly bytes: number;
}

export class LogCredit {
  readonly #words: Int32Array;
  /** Batches in flight, oldest first. */
  readonly #sent: Part[] = [];
  readonly #held: Map<string, number> = new Map();
  #heldBytes = 0;
  /** Number of batches the host had taken at the last check. */
  #heard = 0;

  /** @param words the worker's status words */
  constructor(words: Int32Array) {
    this.#words = words;
  }

  /**
   * Takes credit for a batch of a plugin's lines; false if they must be dropped. A plugin may use half of the credit that the others
   * leave free, so that one flooding plugin cannot take all of it.
   */
  take(owner: string, bytes: number): boolean {
    this.#settle();
    const held = this.#held.get(owner) ?? 0;
    if (held + bytes > CREDIT_BYTES - this.#heldBytes) return false;
    this.#sent.push({ owner, bytes });
    this.#hold(owner, bytes);
    return true;
  }

  #settle(): void {
    const heard = Atomics.load(this.#words, LOGS_HEARD);
    for (; this.#heard !== heard && this.#sent.length > 0; this.#heard = (this.#heard + 1) | 0) {
      const part = this.#sent.shift();
      if (part !== undefined) this.#hold(part.owner, -part.bytes);
    }
  }

  #hold(owner: string, bytes: number): void {
    const held = (this.#held.get(owner) ?? 0) + bytes;
    this.#heldBytes += bytes;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }
}
