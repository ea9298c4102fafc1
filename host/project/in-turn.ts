/** One thing after the other. */

/**
 * Runs what it is given in order, each when the one before has ended, however that ended.
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
    // Who asked for it hears of a failure; the next one begins nevertheless.
    last = done.catch(() => undefined);
    return done;
  };
}
