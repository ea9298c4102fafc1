/** The sandbox's images between starts. */

import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { writeAtomic } from "./write-atomic.ts";

export interface ImageCache {
  /** Undefined if it is not there or cannot be read. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Mode 0600, by rename. A cache that cannot be written is no error: false. */
  write(name: string, bytes: Uint8Array): Promise<boolean>;
}

/** Every edit of a plugin leaves a file, of some 50 KB mostly, of some megabytes where the plugin holds them. */
const MAXIMUM_FILES = 2_000;
const MAXIMUM_BYTES = 512 * 1024 * 1024;
/** Looking through the folder is put off until so much was written. */
const CLEAN_AFTER = { writes: 100, bytes: 64 * 1024 * 1024 };

export function createImageCache(): ImageCache {
  const folder = cacheFolder("images");
  /** Since the folder was looked through; the first write is reason enough. */
  let written = { writes: CLEAN_AFTER.writes, bytes: 0 };
  return {
    read: (name) => readFile(join(folder, name)).catch(() => undefined),
    async write(name, bytes) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeAtomic(join(folder, name), bytes, 0o600, false);
        written = { writes: written.writes + 1, bytes: written.bytes + bytes.length };
        if (written.writes > CLEAN_AFTER.writes || written.bytes > CLEAN_AFTER.bytes) {
          written = { writes: 0, bytes: 0 };
          await removeOldest(folder);
        }
        return true;
      } catch {
        // A read-only home: the next start makes the image again.
        return false;
      }
    },
  };
}

/** Files of earlier versions are never read again; those written first go first, down to half of what there may be. */
async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  const files = await Promise.all(names.map(async (name) => ({ path: join(folder, name), ...(await factsOf(join(folder, name))) })));
  let count = files.length;
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (count <= MAXIMUM_FILES && bytes <= MAXIMUM_BYTES) return;
  files.sort((a, b) => a.at - b.at);
  for (const { path, size } of files) {
    if (count <= MAXIMUM_FILES / 2 && bytes <= MAXIMUM_BYTES / 2) return;
    await rm(path, { force: true });
    count--;
    bytes -= size;
  }
}

async function factsOf(path: string): Promise<{ readonly at: number; readonly size: number }> {
  const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }));
  return { at: mtimeMs, size };
}
