/** Limits concurrent tasks. Others wait, first come first served. */

/** Runs a task when its turn comes. Rejects as the task does. */
type TakeTurn = <T>(task: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      // The next waiting task takes over this place, so that no later task overtakes it.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
