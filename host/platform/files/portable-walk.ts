/**
 * The walk without `/proc`: resolves, opens, then compares device and inode with a second resolution.
 *
 * A remaining race, documented in docs/security.md: between the second resolution and the operation, another user or process with write
 * access to a folder on the path can still swap it. A read or write then reaches the verified file (the descriptor is compared after
 * opening); creating, removing and renaming use the real path and can be diverted.
 */

import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileError } from "./file-errors.ts";
import { withSlashes } from "./slashes.ts";
import type { Place, Walk } from "./walk.ts";

// Windows has neither flag.
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function createPortableWalk(): Walk {
  return {
    async locate(path, { follow }) {
      // Keeps the last name unresolved if a link itself is wanted; "/" has no name.
      const real = follow || basename(path) === "" ? await realpath(path) : join(await realpath(dirname(path)), basename(path));
      const info = await lstat(real);
      // The real path has become a link in the meantime.
      if (follow && info.isSymbolicLink()) throw fileError("not_capable");
      return { realPath: withSlashes(real), info, reach: real, synthetic: false, [Symbol.asyncDispose]: async () => {} };
    },

    async open(place, flags) {
      const file = await open(place.reach, flags | SAFE_FLAGS);
      return await onlyIf(file, (await isSame(file, place)) && (await holds(place)));
    },

    async create(parent, name, flags, mode) {
      const path = join(parent.reach, name);
      const file = await open(path, flags | constants.O_CREAT | constants.O_EXCL | SAFE_FLAGS, mode);
      const there = await locateOwn(path);
      if (there !== undefined && (await isSame(file, there))) return { file, realPath: there.realPath };
      await file.close();
      await unlink(path);
      throw fileError("not_capable");
    },

    holds,
  };
}

async function holds(place: Place): Promise<boolean> {
  const there = await locateOwn(place.reach);
  return there !== undefined && there.realPath === place.realPath && there.info.dev === place.info.dev && there.info.ino === place.info.ino;
}

type Found = Pick<Place, "realPath" | "info">;

async function locateOwn(path: string): Promise<Found | undefined> {
  try {
    const real = await realpath(path);
    return { realPath: withSlashes(real), info: await lstat(real) };
  } catch {
    // Gone or unreadable: no longer the verified place.
    return undefined;
  }
}

async function isSame(file: FileHandle, place: Found): Promise<boolean> {
  const info = await file.stat();
  return info.dev === place.info.dev && info.ino === place.info.ino;
}

async function onlyIf(file: FileHandle, condition: boolean): Promise<FileHandle> {
  if (condition) return file;
  await file.close();
  throw fileError("not_capable");
}
