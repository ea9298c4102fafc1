/** Runs tasks of one lane one after the other, and those of different lanes concurrently (SPEC H3). */

export interface KeyedQueue {
  /** Runs `task` after the lane's earlier tasks, whether they succeeded or failed. */
  run<T>(lane: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when all lanes are empty. */
  idle(): Promise<void>;
}

export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<void>>();
  return {
    run(lane, task) {
      const running = (tails.get(lane) ?? Promise.resolve()).then(task);
      const tail: Promise<void> = running
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (tails.get(lane) === tail) tails.delete(lane);
        });
      tails.set(lane, tail);
      return running;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}

/** Runs `task` for every item, at most `limit` at a time. Rejects with the first rejection. */
export async function forEachLimited<T>(items: readonly T[], limit: number, task: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const item of queue) await task(item);
  });
  await Promise.all(workers);
}
