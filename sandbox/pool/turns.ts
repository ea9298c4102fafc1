/** Lets so many tasks run at once and the others wait, first come first served. */

/** Runs a task when it is its turn. Rejects as the task does. */
export type TakeTurn = <T>(task: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      // Whoever waits takes over this place; nobody comes in between.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
