/** A checkout of a repository, read only. */

import { createHash } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { join, posix, sep } from "node:path";

export interface Checkout {
  /** Reads a file; undefined if it does not exist or is outside of the checkout. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Lists files below a folder, "/"-separated from the checkout's root, sorted. Empty if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
}

export async function openCheckout(root: string): Promise<Checkout> {
  const real = await realpath(root);
  const known = new Map<string, Promise<Uint8Array | undefined>>();
  async function read(path: string): Promise<Uint8Array | undefined> {
    const file = await realpath(join(real, posix.normalize(`/${path}`))).catch(() => undefined);
    if (file === undefined || !file.startsWith(real + sep)) return undefined;
    // A folder counts as missing too.
    return await readFile(file).then(
      (bytes) => new Uint8Array(bytes),
      () => undefined,
    );
  }
  return {
    read(path) {
      const bytes = known.get(path) ?? read(path);
      known.set(path, bytes);
      return bytes;
    },
    async list(folder) {
      const entries = await readdir(join(real, folder), { recursive: true, withFileTypes: true }).catch(() => []);
      const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return names.map((name) => name.slice(real.length + 1).replaceAll(sep, "/")).sort();
    },
  };
}

/** Hashes several files together. */
export function digestOf(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256");
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\0${String(bytes.length)}\0`).update(bytes);
  return hash.digest("hex").slice(0, 12);
}
