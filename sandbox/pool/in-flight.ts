/** What is under way, by number: a map for entries that come and go by the thousand. */

/**
 * A `Map` with numbers as keys and two differences.
 *
 * It makes no garbage. A `Map` whose entries are added and deleted all the time replaces its table every few dozen of them,
 * and V8 links each table to the next: once one of them is old, all that follow it, with what was in them, live until the next
 * full collection (OrderedHashTable::Rehash). A quarter of all that calls left behind was kept alive that way.
 * Its entries have no order.
 */
export class InFlight<V extends object> {
  /** Open addressing with linear probing (Knuth, TAOCP vol. 3, 6.4, algorithms L and R): a key lies at its own place or after it. */
  #keys: (number | undefined)[] = Array.from({ length: SMALLEST });
  #values: (V | undefined)[] = Array.from({ length: SMALLEST });
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param key a whole number from 0 to 2^31 - 1 */
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

  /** @returns whether it was there */
  delete(key: number): boolean {
    let hole = this.#placeOf(key);
    if (this.#keys[hole] === undefined) return false;
    this.#size--;
    // Whatever would not be found past the hole moves into it.
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

  /** A copy: what is added or deleted meanwhile does not show. */
  keys(): readonly number[] {
    return this.#keys.filter((key) => key !== undefined);
  }

  /** A copy. */
  values(): readonly V[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Where the key is, or where it would be put. */
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
