/** Runs tasks of one key one after the other, and those of different keys concurrently (SPEC H3). */

export interface KeyedQueue {
  /** Runs `task` after the key's earlier tasks, whether they succeeded or failed. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is left. */
  idle(): Promise<void>;
}

export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<void>>();
  return {
    run(key, task) {
      const running = (tails.get(key) ?? Promise.resolve()).then(task);
      const tail: Promise<void> = running
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (tails.get(key) === tail) tails.delete(key);
        });
      tails.set(key, tail);
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
