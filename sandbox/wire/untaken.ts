/** Large answers that were sent to a worker or a process and not taken yet. Until then they count as the host's memory. */

/** A large answer's bytes, with a callback for when they are in the guest or will never be. */
export interface Brought {
  readonly bytes: Uint8Array;
  /** True if the answer owns the bytes, so that they can be transferred instead of copied. */
  readonly moves: boolean;
  readonly taken: () => void;
}

/** Size from which answers are counted. Smaller ones are copied; a call has at most one per pending operation. */
export const LARGE_ANSWER_BYTES: number = 64 * 1024;

export class Untaken {
  readonly #open: Map<string, () => void> = new Map();

  sent(number: number, operation: number, { bytes, taken }: Brought): void {
    if (bytes.length < LARGE_ANSWER_BYTES) return taken();
    const key = keyOf(number, operation);
    // Drops an earlier synchronous answer that its call did not wait for.
    this.taken(number, operation);
    this.#open.set(key, taken);
  }

  /** @returns false if no such answer was sent */
  taken(number: number, operation: number): boolean {
    const key = keyOf(number, operation);
    const taken = this.#open.get(key);
    this.#open.delete(key);
    taken?.();
    return taken !== undefined;
  }

  /** Releases all answers, because none will be taken any more. */
  end(): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const taken of all) taken();
  }
}

function keyOf(number: number, operation: number): string {
  return `${number} ${operation}`;
}

/** Returns the buffer to transfer with an answer. Empty if most of the buffer is not part of the answer. */
export function movedWith({ bytes, moves }: Brought): ArrayBuffer[] {
  const { buffer, length } = bytes;
  return moves && length >= LARGE_ANSWER_BYTES && buffer instanceof ArrayBuffer && buffer.byteLength <= 2 * length ? [buffer] : [];
}
