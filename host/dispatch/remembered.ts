/** Keeps ended entries for later reads: the most recent ones, fewer if they are large. The owner with the most loses its oldest first. */

/** Entries by id. An entry that has not ended stays. */
interface Remembered<T> {
  get(id: string): T | undefined;
  has(id: string): boolean;
  /** Replaces the entry with this id. @param owner whose share it counts in: an owner with many entries evicts only its own */
  set(id: string, value: T, owner: string): void;
  /** Marks the entry as ended, with its size, so that it may be evicted. Does nothing if the entry was replaced or evicted. */
  ended(id: string, value: T, bytes: number): void;
  delete(id: string): void;
}

interface Kept<T> {
  readonly value: T;
  readonly owner: string;
  /** Set once the entry has ended. */
  bytes?: number;
}

/** The entries of one owner, the oldest first. */
interface Own {
  readonly ids: Set<string>;
  bytes: number;
}

/** @param onDrop receives the id of each entry that is evicted or deleted, but of none that is replaced */
export function createRemembered<T>(most: number, mostBytes: number, onDrop?: (id: string) => void): Remembered<T> {
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
      onDrop?.(oldest);
    }
  }

  /** Returns the oldest ended entry of the owner that holds the most of the exceeded amount. */
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
    delete(id) {
      drop(id);
      onDrop?.(id);
    },
  };
}
