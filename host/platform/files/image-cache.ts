/** The sandbox's images, kept between starts. */

import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { writeAtomic } from "./write-atomic.ts";

interface ImageCache {
  /** Reads an image. Undefined if it does not exist or cannot be read. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Writes an image with mode 0600, by rename. Returns false if the cache cannot be written, which is not an error. */
  write(name: string, bytes: Uint8Array): Promise<boolean>;
}

/** Every edit of a plugin leaves a file, usually of about 50 KB, or of some megabytes if the plugin holds much data. */
const MAXIMUM_FILES = 2_000;
const MAXIMUM_BYTES = 512 * 1024 * 1024;
/** Amount written before the folder is scanned again. */
const CLEAN_AFTER = { writes: 100, bytes: 64 * 1024 * 1024 };

/** @param isBrief whether the process serves only the caller, so that it may block */
export function createImageCache(isBrief: boolean = false): ImageCache {
  const folder = cacheFolder("images");
  /** Amount written since the last scan. The first write triggers a scan. */
  let written = { writes: CLEAN_AFTER.writes, bytes: 0 };
  return {
    async read(name) {
      const path = join(folder, name);
      try {
        return isBrief ? readFileSync(path) : await readFile(path);
      } catch {
        return undefined;
      }
    },
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
        // With a read-only home the next start builds the image again.
        return false;
      }
    },
  };
}

/** Removes the oldest files down to half of the limits. Files of earlier versions are never read again. */
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
