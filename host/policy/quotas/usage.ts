/** Recent use in sliding windows of a fixed number of slices, so that a counter's size does not depend on what it counts (SPEC D9). */

/** A window ends at most one slice late: 1/32 of its length. */
const SLICES = 32;

/** Use at one time. */
export interface UsedAmount {
  readonly amount: number;
  readonly ageMs: number;
}

/** A counter over one window. */
export class UsageWindow {
  readonly windowMs: number;
  readonly #sliceMs: number;
  /** One slice more than the window has, because its first and last slices are partial. */
  readonly #amounts: Float64Array = new Float64Array(SLICES + 1);
  /** Number of the latest slice since the clock's start. */
  #latest = 0;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
    this.#sliceMs = windowMs / SLICES;
  }

  /** @param nowMs milliseconds of a monotonic clock */
  add(amount: number, nowMs: number): void {
    this.#moveTo(nowMs);
    const slot = this.#latest % this.#amounts.length;
    this.#amounts[slot] = (this.#amounts[slot] ?? 0) + amount;
  }

  used(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#amounts.reduce((sum, amount) => sum + amount, 0);
  }

  /** Returns the use by age: each amount with the milliseconds since the end of its slice. */
  amounts(nowMs: number): readonly UsedAmount[] {
    this.#moveTo(nowMs);
    const { length } = this.#amounts;
    const slices = Array.from({ length }, (_, index) => this.#latest - index);
    return slices.flatMap((slice) => {
      const amount = this.#amounts[((slice % length) + length) % length] ?? 0;
      return amount === 0 ? [] : [{ amount, ageMs: Math.max(0, nowMs - (slice + 1) * this.#sliceMs) }];
    });
  }

  /** Adds earlier use, such as that of an earlier process. */
  restore(amounts: readonly UsedAmount[], nowMs: number): void {
    this.#moveTo(nowMs);
    const { length } = this.#amounts;
    for (const { amount, ageMs } of amounts) {
      const slice = Math.floor((nowMs - ageMs) / this.#sliceMs);
      if (slice <= this.#latest - length) continue;
      const slot = ((slice % length) + length) % length;
      this.#amounts[slot] = (this.#amounts[slot] ?? 0) + amount;
    }
  }

  /** Returns the milliseconds until use falls to `most`, if nothing is added. */
  fallsTo(most: number, nowMs: number): number {
    let used = this.used(nowMs);
    const { length } = this.#amounts;
    for (let slice = this.#latest - length + 1; slice <= this.#latest; slice++) {
      if (used <= most) return slice === this.#latest - length + 1 ? 0 : Math.max(0, (slice - 1 + length) * this.#sliceMs - nowMs);
      used -= this.#amounts[((slice % length) + length) % length] ?? 0;
    }
    return Math.max(0, (this.#latest + length) * this.#sliceMs - nowMs);
  }

  #moveTo(nowMs: number): void {
    const now = Math.max(this.#latest, Math.floor(nowMs / this.#sliceMs));
    const steps = Math.min(now - this.#latest, this.#amounts.length);
    for (let step = 0; step < steps; step++) this.#amounts[(now - step) % this.#amounts.length] = 0;
    this.#latest = now;
  }
}

/** Windows by key, created on first use. */
export class UsageTable {
  readonly #windows: Map<string, UsageWindow> = new Map();
  readonly #most: number;

  /** @param most maximum number of windows; above it empty windows are dropped, then the least recently used one */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#windows.size;
  }

  find(key: string): UsageWindow | undefined {
    return this.#windows.get(key);
  }

  window(key: string, windowMs: number, nowMs: number): UsageWindow {
    const known = this.#windows.get(key);
    if (known !== undefined) {
      this.#windows.delete(key);
      this.#windows.set(key, known);
      return known;
    }
    if (this.#windows.size >= this.#most) this.#makeRoom(nowMs);
    const made = new UsageWindow(windowMs);
    this.#windows.set(key, made);
    return made;
  }

  #makeRoom(nowMs: number): void {
    for (const [key, window] of this.#windows) if (window.used(nowMs) === 0) this.#windows.delete(key);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= this.#most && oldest !== undefined) this.#windows.delete(oldest);
  }
}
