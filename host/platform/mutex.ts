/** A mutex: runs one job at a time. */

/** Runs a job after the previous ones have settled. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs jobs in order, each after the previous one has settled.
 *
 * @example
 * ```ts
 * const inTurn = createMutex();
 * await Promise.all([inTurn(read), inTurn(change)]); // the change sees what was read
 * ```
 */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // The caller gets the rejection; the next job starts anyway.
    last = done.catch(() => undefined);
    return done;
  };
}
