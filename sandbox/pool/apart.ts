/** Plugins that a shared worker was ended because of: from then on they harm no plugin that never did this. */

export class Apart {
  readonly #workers: number;
  /** By name of the plugin, the worker of their own kind that each has. */
  readonly #names: Map<string, string> = new Map();

  /** @param workers as many are kept for such plugins at most */
  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Its folder may be edited: it stays apart as long as the host runs. */
  add(name: string): void {
    // No plugin has such a name.
    if (!this.#names.has(name)) this.#names.set(name, `apart ${this.#names.size % this.#workers}`);
  }

  /** Undefined for a plugin that shares workers with others. */
  of(name: string): string | undefined {
    return this.#names.get(name);
  }
}
