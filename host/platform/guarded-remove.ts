/** Recursive removal that neither follows links nor leaves the grant. */

import { opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "./file-errors.ts";
import type { Place, Walk } from "./walk.ts";

/** Names held at once; the rest is read after these are gone. */
const BATCH = 1_000;

/** One descriptor is held for each level. */
const MAX_DEPTH = 256;

/**
 * Removes `name` in `parent`, with everything below it.
 *
 * Each entry is asked for by its real path before it is removed. A refusal ends the removal there.
 *
 * @throws {FileError} `not_capable` at the first entry that the grant does not allow, `too_large` below 256 levels
 */
export async function removeTree(walk: Walk, parent: Place, name: string, permits: (realPath: string) => boolean): Promise<void> {
  await removeEntry(parent, name, 0);

  async function removeEntry(folder: Place, entry: string, depth: number): Promise<void> {
    if (!permits(join(folder.realPath, entry))) throw fileError("not_capable");
    if (depth > MAX_DEPTH) throw fileError("too_large");

    const path = `${folder.reach}/${entry}`;
    await using place = await walk.locate(path, { follow: false });
    if (!place.info.isDirectory()) return await unlink(path);

    for (let names = await someNames(place); names.length > 0; names = await someNames(place)) {
      for (const child of names) await removeEntry(place, child, depth + 1);
    }
    await rmdir(path);
  }
}

async function someNames(place: Place): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(place.reach)) {
    names.push(entry.name);
    if (names.length === BATCH) break;
  }
  return names;
}
