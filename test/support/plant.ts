/** Creates files, folders, links and FIFOs on the disk. */

import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { MemoryEntry } from "../../host/platform/memory/memory.ts";

/** Creates an entry and its parent folders. Paths in `/proc` are ignored. */
export async function plantOnDisk(path: string, entry: MemoryEntry): Promise<void> {
  if (path.startsWith("/proc/")) return;
  await mkdir(dirname(path), { recursive: true });
  if (typeof entry === "string" || entry instanceof Uint8Array) await writeFile(path, entry);
  else if ("link" in entry) await symlink(entry.link, path);
  else if ("directory" in entry) await mkdir(path);
  else await promisify(execFile)("mkfifo", [path]);
}
