/** Plugins that caused a shared worker to be ended. They get separate workers, so that they cannot harm other plugins again. */

export class Apart {
  readonly #workers: number;
  /** Worker reservation of each such plugin, by plugin name. */
  readonly #names: Map<string, string> = new Map();

  /** @param workers maximum number of workers for such plugins */
  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Separates a plugin until the host ends. It stays separated even if its folder is edited. */
  add(name: string): void {
    // No plugin can have a name with a space.
    if (!this.#names.has(name)) this.#names.set(name, `apart ${this.#names.size % this.#workers}`);
  }

  /** Returns the plugin's reservation; undefined if it shares workers. */
  of(name: string): string | undefined {
    return this.#names.get(name);
  }
}
