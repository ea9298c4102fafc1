/** Memory of instances that were dropped: a runtime that does not collect it by itself is asked to. */

/** Dropped since the last collection, on each worker: one instance at the default limit. */
const UNCOLLECTED_BYTES = 64 * 1024 * 1024;

export interface CollectingPowers {
  /** Absent: the runtime counts such memory itself. Takes 20 ms and more. */
  readonly collect?: () => void;
  soon(task: () => void): void;
}

/** Tells the runtime of each instance that was dropped, by its bytes. */
export function createDroppedMemory(powers: CollectingPowers): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    const { collect } = powers;
    uncollected += bytes;
    if (collect === undefined || uncollected < UNCOLLECTED_BYTES) return;
    uncollected = 0;
    // Who dropped it still has it on the stack.
    powers.soon(() => collect());
  };
}
