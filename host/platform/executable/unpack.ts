/** Writes files that come with the program into the cache, where other programs read them, and trusts no file that it finds there. */

import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FileError } from "../files/file-types.ts";
import { isOpen, writableByOthers } from "../files/own-folder.ts";

/**
 * Makes `<parent>/<name>` hold exactly these files, and returns its path. A folder that holds anything else is replaced.
 *
 * @param files contents by relative path with slashes
 * @throws {FileError} if another user can write to the folder, or it cannot be made
 */
export function unpack(parent: string, name: string, files: ReadonlyMap<string, Uint8Array>): string {
  const folder = join(parent, name);
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    const open = writableByOthers(parent);
    if (open !== undefined) throw new Error(`${open} (set XDG_CACHE_HOME to a folder of your own)`);
    if (!isExactly(folder, files)) replace(folder, files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError("other", `Cannot unpack files of the executable into "${folder}": ${reason}`);
  }
  return folder;
}

function isExactly(folder: string, files: ReadonlyMap<string, Uint8Array>): boolean {
  const found = new Set<string>();
  const folders = new Set([...files.keys()].flatMap(foldersAbove));
  function isAsExpected(path: string): boolean {
    const info = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (info === undefined || info.isSymbolicLink() || isOpen(info)) return false;
    if (info.isDirectory())
      return folders.has(path) && readdirSync(join(folder, path)).every((name) => isAsExpected(path === "" ? name : `${path}/${name}`));
    const expected = files.get(path);
    found.add(path);
    return info.isFile() && info.size === expected?.length && readFileSync(join(folder, path)).equals(expected);
  }
  return isAsExpected("") && found.size === files.size;
}

/** `a/b/c.js`: `a/b`, `a` and the folder itself, which is "". */
function foldersAbove(path: string): readonly string[] {
  const at = path.lastIndexOf("/");
  return at === -1 ? [""] : [path.slice(0, at), ...foldersAbove(path.slice(0, at))];
}

/** Writes beside the folder, then swaps: a process that starts at the same time finds the old files or the new ones. */
function replace(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  const [made, old] = [`${folder}.${globalThis.crypto.randomUUID()}`, `${folder}.${globalThis.crypto.randomUUID()}`];
  try {
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(made, path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(made, path), bytes, { mode: 0o600, flag: "wx" });
    }
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) renameSync(folder, old);
    renameSync(made, folder);
    sweep(folder);
  } catch (error) {
    // Another process did the same at this moment.
    if (!isExactly(folder, files)) throw error;
  } finally {
    for (const left of [made, old]) rmSync(left, { recursive: true, force: true });
  }
}

/** Removes what other versions of the program wrote, and what a killed one left behind. A running one writes its files again. */
function sweep(folder: string): void {
  const parent = dirname(folder);
  for (const name of readdirSync(parent)) {
    const info = lstatSync(join(parent, name), { throwIfNoEntry: false });
    const isOld = info !== undefined && info.mtimeMs < Date.now() - KEPT_MS;
    if (name !== basename(folder) && isOld) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

const KEPT_MS = 24 * 60 * 60 * 1_000;
