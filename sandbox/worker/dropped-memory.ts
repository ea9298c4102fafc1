/** Triggers garbage collection for the memory of dropped instances, on runtimes that do not account for it. */

/** Bytes dropped on a worker before a collection: one instance at the default limit. */
const UNCOLLECTED_BYTES = 64 * 1024 * 1024;

interface CollectingPowers {
  /** Collects garbage, which takes 20 ms or more. Absent: the runtime accounts for such memory itself. */
  readonly collect?: () => void;
  soon(task: () => void): void;
}

/** Creates a function to call for each dropped instance, with its bytes. */
export function createDroppedMemory(powers: CollectingPowers): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    const { collect } = powers;
    uncollected += bytes;
    if (collect === undefined || uncollected < UNCOLLECTED_BYTES) return;
    uncollected = 0;
    // Later, because the caller still has the instance on its stack.
    powers.soon(() => collect());
  };
}
