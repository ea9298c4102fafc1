/** Recursive removal that neither follows links nor leaves the grant. */

import { opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileError, unlessOver } from "./file-errors.ts";
import type { MayEnd } from "./platform.ts";
import type { CheckedPath } from "./proof.ts";
import { permitOrRefuse } from "./spelling.ts";
import type { Place, Walk } from "./walk.ts";

/** Names held at once; the rest is read after these are gone. */
const BATCH = 1_000;

interface Removal extends MayEnd {
  readonly checked: Pick<CheckedPath<"read" | "write">, "permits">;
}

/** A folder that was left to empty one below it, and how to know it again. */
interface Above {
  readonly info: Place["info"];
  /** The name of the folder below. */
  readonly name: string;
}

/**
 * Removes `name` in `parent`, with everything below it.
 *
 * Each entry is asked for by its real path before it is removed. A refusal ends the removal there. At most two folders
 * are open at a time, so that a tree of any depth can go: on the way up a folder is found again through the one below.
 *
 * @throws {FileError} `not_capable` at the first entry that the grant does not allow, or if a folder is moved meanwhile
 */
export async function removeTree(walk: Walk, parent: Place, name: string, { checked, isOver }: Removal): Promise<void> {
  const above: Above[] = [];
  let folder = await removeOrEnter(parent, name);
  if (folder === undefined) return;
  try {
    for (;;) {
      const below = await removeUntilFolder(folder);
      if (below !== undefined) {
        above.push({ info: folder.info, name: below.name });
        await folder[Symbol.asyncDispose]();
        folder = below.place;
        continue;
      }
      const back = above.pop();
      if (back === undefined) break;
      const upper = await findAgain(folder, back);
      await folder[Symbol.asyncDispose]();
      folder = upper;
      await rmdir(`${folder.reach}/${back.name}`);
    }
  } finally {
    await folder[Symbol.asyncDispose]();
  }
  await rmdir(`${parent.reach}/${name}`);

  /** Removes what is no folder; a folder is only found. */
  async function removeOrEnter(inFolder: Place, entry: string): Promise<Place | undefined> {
    unlessOver(isOver);
    await permitOrRefuse(checked, join(inFolder.realPath, entry));
    const path = `${inFolder.reach}/${entry}`;
    const place = await walk.locate(path, { follow: false });
    if (place.info.isDirectory()) return place;
    await place[Symbol.asyncDispose]();
    await unlink(path);
    return undefined;
  }

  /** Removes entries until one is a folder; nothing where none is left. */
  async function removeUntilFolder(inFolder: Place): Promise<{ readonly name: string; readonly place: Place } | undefined> {
    for (let names = await someNames(inFolder); names.length > 0; names = await someNames(inFolder)) {
      for (const entry of names) {
        const place = await removeOrEnter(inFolder, entry);
        if (place !== undefined) return { name: entry, place };
      }
    }
    return undefined;
  }

  async function findAgain(below: Place, { info }: Above): Promise<Place> {
    const upper = await walk.locate(`${below.reach}/..`, { follow: false });
    if (upper.info.dev === info.dev && upper.info.ino === info.ino) return upper;
    await upper[Symbol.asyncDispose]();
    throw fileError("not_capable");
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
