/** What ended, kept for whoever asks later: the last ones, fewer where they are large. Whoever has the most loses the first. */

/** By their ids. What has not ended stays. */
export interface Remembered<T> {
  get(id: string): T | undefined;
  has(id: string): boolean;
  /** In place of what had this id. @param owner whose it is: nobody makes others' forgotten by having many. */
  set(id: string, value: T, owner: string): void;
  /** It takes so many bytes, and may be forgotten from now on. Nothing happens to one that was replaced, or forgotten. */
  ended(id: string, value: T, bytes: number): void;
  delete(id: string): void;
}

interface Kept<T> {
  readonly value: T;
  readonly owner: string;
  /** Of one that ended. */
  bytes?: number;
}

/** One owner's, the oldest first. */
interface Own {
  readonly ids: Set<string>;
  bytes: number;
}

export function createRemembered<T>(most: number, mostBytes: number): Remembered<T> {
  const all = new Map<string, Kept<T>>();
  const owners = new Map<string, Own>();
  let total = 0;

  function drop(id: string): void {
    const kept = all.get(id);
    const own = kept && owners.get(kept.owner);
    if (kept === undefined || own === undefined) return;
    weigh(kept, own, 0);
    all.delete(id);
    own.ids.delete(id);
    if (own.ids.size === 0) owners.delete(kept.owner);
  }

  function weigh(kept: Kept<T>, own: Own, bytes: number): void {
    const more = bytes - (kept.bytes ?? 0);
    kept.bytes = bytes;
    own.bytes += more;
    total += more;
  }

  function forget(): void {
    while (all.size > most || total > mostBytes) {
      const oldest = oldestOf(total > mostBytes ? ({ bytes }) => bytes : ({ ids }) => ids.size);
      if (oldest === undefined) return;
      drop(oldest);
    }
  }

  /** The oldest that ended of whoever has the most of what there is too much of. */
  function oldestOf(amount: (own: Own) => number): string | undefined {
    for (const { ids } of [...owners.values()].toSorted((left, right) => amount(right) - amount(left)))
      for (const id of ids) if (all.get(id)?.bytes !== undefined) return id;
    return undefined;
  }

  return {
    get: (id) => all.get(id)?.value,
    has: (id) => all.has(id),
    set(id, value, owner) {
      drop(id);
      all.set(id, { value, owner });
      const own = owners.get(owner) ?? { ids: new Set(), bytes: 0 };
      owners.set(owner, own);
      own.ids.add(id);
      forget();
    },
    ended(id, value, bytes) {
      const kept = all.get(id);
      const own = kept?.value === value ? owners.get(kept.owner) : undefined;
      if (kept === undefined || own === undefined) return;
      weigh(kept, own, bytes);
      forget();
    },
    delete: drop,
  };
}
