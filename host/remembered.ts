/** What ended, kept for whoever asks later: the last ones, fewer where they are large. */

/** By their ids. What has not ended stays. */
export interface Remembered<T> {
  get(id: string): T | undefined;
  has(id: string): boolean;
  /** In place of what had this id. */
  set(id: string, value: T): void;
  /** It takes so many bytes, and may be forgotten from now on. Nothing happens to one that was replaced, or deleted. */
  ended(id: string, value: T, bytes: number): void;
  delete(id: string): void;
}

interface Kept<T> {
  readonly value: T;
  /** Of one that ended. */
  bytes?: number;
}

export function createRemembered<T>(most: number, mostBytes: number): Remembered<T> {
  const all = new Map<string, Kept<T>>();
  let total = 0;

  function drop(id: string): void {
    total -= all.get(id)?.bytes ?? 0;
    all.delete(id);
  }

  function forgetOldest(): void {
    if (all.size <= most && total <= mostBytes) return;
    for (const [id, { bytes }] of all) {
      if (bytes !== undefined) drop(id);
      if (all.size <= most && total <= mostBytes) return;
    }
  }

  return {
    get: (id) => all.get(id)?.value,
    has: (id) => all.has(id),
    set(id, value) {
      drop(id);
      all.set(id, { value });
      forgetOldest();
    },
    ended(id, value, bytes) {
      const kept = all.get(id);
      if (kept === undefined || kept.value !== value) return;
      total += bytes - (kept.bytes ?? 0);
      kept.bytes = bytes;
      forgetOldest();
    },
    delete: drop,
  };
}
