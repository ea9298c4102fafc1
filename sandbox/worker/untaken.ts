/** Large answers that were sent to a worker or a process, which has not taken them yet: they are the host's memory until then. */

/** A large answer's bytes, and what is told when they are in the guest, or never will be. */
export interface Brought {
  readonly bytes: Uint8Array;
  /** Nobody else has them: they are moved rather than copied. */
  readonly moves: boolean;
  readonly taken: () => void;
}

/** Answers with fewer bytes are copied, and not counted: a call has as many of them as operations that wait. */
export const LARGE_ANSWER_BYTES: number = 64 * 1024;

export class Untaken {
  readonly #open: Map<string, () => void> = new Map();

  sent(number: number, operation: number, { bytes, taken }: Brought): void {
    if (bytes.length < LARGE_ANSWER_BYTES) return taken();
    const key = keyOf(number, operation);
    // An earlier synchronous answer that its call did not wait for.
    this.taken(number, operation);
    this.#open.set(key, taken);
  }

  /** @returns false for one that was not sent. */
  taken(number: number, operation: number): boolean {
    const key = keyOf(number, operation);
    const taken = this.#open.get(key);
    this.#open.delete(key);
    taken?.();
    return taken !== undefined;
  }

  /** Nothing is taken any more. */
  end(): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const taken of all) taken();
  }
}

function keyOf(number: number, operation: number): string {
  return `${number} ${operation}`;
}

/** The memory to move with an answer; empty where most of it would be somebody else's. */
export function movedWith({ bytes, moves }: Brought): ArrayBuffer[] {
  const { buffer, length } = bytes;
  return moves && length >= LARGE_ANSWER_BYTES && buffer instanceof ArrayBuffer && buffer.byteLength <= 2 * length ? [buffer] : [];
}
