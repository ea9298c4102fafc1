/** Recursive removal that neither follows links nor leaves the grant. */

import { opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileError, unlessOver } from "./file-errors.ts";
import type { MayEnd } from "../platform.ts";
import type { CheckedPath } from "../proof.ts";
import { permitOrRefuse } from "./spelling.ts";
import type { Place, Walk } from "./walk.ts";

/** Maximum number of names held at once; more are read after these are gone. */
const BATCH = 1_000;

interface Removal extends MayEnd {
  readonly checked: Pick<CheckedPath<"read" | "write">, "permits">;
}

/** A folder that was left to empty one below it, with the facts that identify it. */
interface Above extends Pick<Place, "info" | "isWithin"> {
  /** The name of the folder below. */
  readonly name: string;
}

/**
 * Removes `name` in `parent`, with everything below it.
 *
 * The grant is checked with each entry's real path before the entry is removed. A refusal ends the removal there. At most two folders are
 * open at a time, so that a tree of any depth can be removed: on the way up a folder is found again through the one below.
 *
 * If a path is longer than the system reports, the grant is checked with the last folder whose path it does report: a proof for a removal
 * covers everything below the permitted place (SPEC PA5). Each deeper folder is verified to be still below that one.
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
        const { info, isWithin } = folder;
        above.push({ info, name: below.name, ...(isWithin && { isWithin }) });
        await folder[Symbol.asyncDispose]();
        folder = below.place;
        await checkWithin(folder);
        continue;
      }
      const back = above.pop();
      if (back === undefined) break;
      const upper = await findAgain(folder, back);
      await folder[Symbol.asyncDispose]();
      folder = upper;
      await checkWithin(folder);
      await rmdir(`${folder.reach}/${back.name}`);
    }
  } finally {
    await folder[Symbol.asyncDispose]();
  }
  await rmdir(`${parent.reach}/${name}`);

  /** Removes an entry that is not a folder; returns the place of a folder. */
  async function removeOrEnter(inFolder: Place, entry: string): Promise<Place | undefined> {
    unlessOver(isOver);
    await permitOrRefuse(checked, isTold(inFolder, entry) ? join(inFolder.realPath, entry) : inFolder.realPath);
    const path = `${inFolder.reach}/${entry}`;
    const place = await walk.locate(path, { follow: false, within: inFolder });
    if (place.info.isDirectory()) return place;
    await place[Symbol.asyncDispose]();
    await unlink(path);
    return undefined;
  }

  /** Removes entries until one is a folder; undefined if none is left. */
  async function removeUntilFolder(inFolder: Place): Promise<{ readonly name: string; readonly place: Place } | undefined> {
    for (let names = await someNames(inFolder); names.length > 0; names = await someNames(inFolder)) {
      for (const entry of names) {
        const place = await removeOrEnter(inFolder, entry);
        if (place !== undefined) return { name: entry, place };
      }
    }
    return undefined;
  }

  /** Verifies that a folder without a reported path is still below the folder whose path stands for it, and that this one has not moved. */
  async function checkWithin(at: Place): Promise<void> {
    if (at.isWithin === undefined) return;
    const chain: readonly Pick<Above, "info" | "isWithin">[] = [parent, ...above];
    const top = chain.findLastIndex(({ isWithin }) => isWithin === undefined);
    const { info } = chain[top] ?? parent;
    let reached: Place | undefined;
    for (let levels = chain.length - top; levels > 0; levels -= LEVELS_AT_ONCE) {
      const from = reached;
      reached = await walk.locate(`${(from ?? at).reach}${"/..".repeat(Math.min(levels, LEVELS_AT_ONCE))}`, { follow: false, within: at });
      await from?.[Symbol.asyncDispose]();
    }
    const isThere =
      reached?.isWithin === undefined &&
      reached?.realPath === at.realPath &&
      reached.info.dev === info.dev &&
      reached.info.ino === info.ino;
    await reached?.[Symbol.asyncDispose]();
    if (!isThere) throw fileError("not_capable");
  }

  async function findAgain(below: Place, { info }: Above): Promise<Place> {
    const upper = await walk.locate(`${below.reach}/..`, { follow: false, within: below });
    if (upper.info.dev === info.dev && upper.info.ino === info.ino) return upper;
    await upper[Symbol.asyncDispose]();
    throw fileError("not_capable");
  }
}

/** Number of `..` steps that fit into one path. */
const LEVELS_AT_ONCE = 1_000;
/** PATH_MAX of Linux, which includes the terminating zero. */
const PATH_MAX_BYTES = 4_096;

function isTold({ realPath, isWithin }: Place, entry: string): boolean {
  return isWithin === undefined && Buffer.byteLength(realPath) + 1 + Buffer.byteLength(entry) < PATH_MAX_BYTES;
}

async function someNames(place: Place): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(place.reach)) {
    names.push(entry.name);
    if (names.length === BATCH) break;
  }
  return names;
}
