/** A queue that runs one job at a time. */

/**
 * Runs jobs in order, each after the previous one has settled.
 *
 * @example
 * ```ts
 * const inTurn = createInTurn();
 * await Promise.all([inTurn(read), inTurn(change)]); // the change sees what was read
 * ```
 */
export function createInTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // The caller gets the rejection; the next job starts anyway.
    last = done.catch(() => undefined);
    return done;
  };
}
