/** The sandbox's images between starts. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";

export interface ImageCache {
  /** Undefined if it is not there or cannot be read. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Mode 0600, by rename. A cache that cannot be written is no error: false. */
  write(name: string, bytes: Uint8Array): Promise<boolean>;
}

export function createImageCache(): ImageCache {
  const folder = cacheFolder("images");
  return {
    read: (name) => readFile(join(folder, name)).catch(() => undefined),
    async write(name, bytes) {
      const part = join(folder, `${name}.${process.pid}.part`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(part, bytes, { mode: 0o600, flag: "wx" });
        await rename(part, join(folder, name));
        return true;
      } catch {
        // A read-only home: the next start makes the image again.
        await rm(part, { force: true }).catch(() => undefined);
        return false;
      }
    },
  };
}
