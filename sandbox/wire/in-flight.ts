/** A map by number for entries that come and go by the thousand. */

/**
 * A `Map` with numbers as keys, but without garbage and without order.
 *
 * A `Map` with frequent additions and deletions replaces its table every few dozen entries, and V8 links each table to the next. Once one
 * table is old, all later ones, with their contents, live until the next full collection (OrderedHashTable::Rehash). This kept a quarter
 * of all garbage of calls alive.
 */
export class InFlight<V extends object> {
  /** Open addressing with linear probing (Knuth, TAOCP vol. 3, 6.4, algorithms L and R): a key is at its home position or after it. */
  #keys: (number | undefined)[] = Array.from({ length: SMALLEST });
  #values: (V | undefined)[] = Array.from({ length: SMALLEST });
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param key an integer from 0 to 2^31 - 1 */
  get(key: number): V | undefined {
    return this.#values[this.#placeOf(key)];
  }

  has(key: number): boolean {
    return this.get(key) !== undefined;
  }

  set(key: number, value: V): void {
    let place = this.#placeOf(key);
    if (this.#keys[place] === undefined) {
      if (++this.#size * 2 > this.#keys.length) {
        this.#grow();
        place = this.#placeOf(key);
      }
      this.#keys[place] = key;
    }
    this.#values[place] = value;
  }

  /** @returns true if the key was present */
  delete(key: number): boolean {
    let hole = this.#placeOf(key);
    if (this.#keys[hole] === undefined) return false;
    this.#size--;
    // Moves entries into the hole that a lookup would no longer find behind it.
    const mask = this.#keys.length - 1;
    for (let place = (hole + 1) & mask; ; place = (place + 1) & mask) {
      const next = this.#keys[place];
      if (next === undefined) break;
      if (((place - next) & mask) < ((place - hole) & mask)) continue;
      this.#keys[hole] = next;
      this.#values[hole] = this.#values[place];
      hole = place;
    }
    this.#keys[hole] = undefined;
    this.#values[hole] = undefined;
    return true;
  }

  /** Returns a copy of the keys. */
  keys(): readonly number[] {
    return this.#keys.filter((key) => key !== undefined);
  }

  /** Returns a copy of the values. */
  values(): readonly V[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Returns the position of the key, or the position to insert it. */
  #placeOf(key: number): number {
    const mask = this.#keys.length - 1;
    let place = key & mask;
    for (let found = this.#keys[place]; found !== undefined && found !== key; found = this.#keys[place]) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = Array.from({ length: keys.length * 2 });
    this.#values = Array.from({ length: keys.length * 2 });
    for (const [index, key] of keys.entries()) {
      if (key === undefined) continue;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#values[place] = values[index];
    }
  }
}

const SMALLEST = 64;
