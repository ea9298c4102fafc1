/**
 * How much of what calls log may be on its way to the host at once: a host that is busy is sent no more than this, and what
 * is logged meanwhile is dropped and counted.
 */

import { LOGS_HEARD } from "../worker/protocol.ts";

/** Of one worker. The host takes all of it in within one turn of its event loop: 1,024 lines at most. */
const CREDIT_BYTES: number = 256 * 1024;

interface Part {
  readonly owner: string;
  readonly bytes: number;
}

export class LogCredit {
  readonly #words: Int32Array;
  /** Parts on their way, in their order. */
  readonly #sent: Part[] = [];
  readonly #held: Map<string, number> = new Map();
  #heldBytes = 0;
  /** How many parts the host took, as far as that was looked at. */
  #heard = 0;

  /** @param words the worker's status words */
  constructor(words: Int32Array) {
    this.#words = words;
  }

  /**
   * Whether a part of a plugin's lines may be sent now. A plugin may have as much on its way as is still free: one that floods
   * gets half, and leaves half for the others.
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
