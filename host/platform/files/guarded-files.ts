/**
 * File access for guests and tools (SPEC C4). Every operation first opens the place, then checks the grant against its real path, and then
 * acts on that same place.
 *
 * A link that stays inside the grant works; one that leaves it gives `not_capable`, and so does everything else that would reveal what is
 * outside. A hard link is a second name of the same file and cannot be told from the first.
 */

import { constants } from "node:fs";
import { chmod, type FileHandle, link, lstat, mkdir, opendir, readlink, rename, rmdir, symlink, unlink, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readBounded, writeAll } from "./bounded-read.ts";
import { createOpenLimit } from "./guarded-file.ts";
import { fileError, ROOT_OF_GRANT, toFileError, unlessOver, withFileErrors } from "./file-errors.ts";
import { kindOf, toFileInfo } from "./file-info.ts";
import { removeTree } from "./guarded-remove.ts";
import { isKernelPath } from "./kernel-paths.ts";
import { MAX_LINKS } from "./link-limit.ts";
import type { Environment } from "../environment-types.ts";
import { type DirectoryEntry, FileError, type FileErrorCode, type GuardedFiles, type MayEnd, type WriteOptions } from "../platform.ts";
import type { CheckedPath } from "../proof.ts";
import { permitOrRefuse, permitsPlace } from "./spelling.ts";
import { farthestPlace, type Place, type Walk } from "./walk.ts";

type Checked = CheckedPath<"read" | "write">;

/** Permission bits only: no plugin can make a set-user-id file. */
const MODE_BITS = 0o777;
const COPY_CHUNK_BYTES = 256 * 1024;

/** Codes that reveal what is at a path, and so must not be reported for places outside of the grant. */
const TELLING: ReadonlySet<FileErrorCode> = new Set<FileErrorCode>([
  "not_found",
  "not_a_directory",
  "permission_denied",
  "symlink_loop",
  "name_too_long",
]);

export function createGuardedFiles(walk: Walk, os: Environment["os"]): GuardedFiles {
  const keepOpen = createOpenLimit();
  return {
    readBytes: (path, options) =>
      withFileErrors(async () => {
        await using place = await reach(path, true);
        await using file = await openRegular(place, constants.O_RDONLY);
        return await readBounded(file, options);
      }),

    writeBytes: (path, data, options) =>
      withFileErrors(async () => {
        await using file = await openToWrite(path, options);
        if (options.mode !== undefined) await file.chmod(options.mode & MODE_BITS);
        // Truncates only after the check, once the opened file is verified.
        if (options.append !== true) await file.truncate(0);
        await writeAll(file, data);
      }),

    list: (path, { maxEntries, maxNamesLength = Infinity, isOver }) =>
      withFileErrors(async () => {
        await using place = await reach(path, true);
        if (!place.info.isDirectory()) throw fileError("not_a_directory");
        const entries: DirectoryEntry[] = [];
        let namesLength = 0;
        for await (const entry of await opendir(place.reach)) {
          unlessOver(isOver);
          namesLength += entry.name.length;
          if (entries.length >= maxEntries || namesLength > maxNamesLength) throw fileError("too_large");
          entries.push({ name: entry.name, kind: kindOf(entry) });
        }
        if (!(await walk.holds(place))) throw fileError("not_capable");
        return entries;
      }),

    stat: (path) => inspect(path, true),
    lstat: (path) => inspect(path, false),

    realPath: (path) =>
      withFileErrors(async () => {
        await using place = await reach(path, true);
        return place.realPath;
      }),

    readLink: (path) =>
      withFileErrors(async () => {
        await using parent = await reachParent(path, path.path);
        return await readlink(`${parent.reach}/${basename(path.path)}`);
      }),

    makeLink: (path, target) =>
      withFileErrors(async () => {
        await using parent = await reachParent(path, path.path);
        await symlink(target, `${parent.reach}/${basename(path.path)}`);
      }),

    addName: (from, to) =>
      withFileErrors(async () => {
        await using source = await reachParent(from, from.path);
        await using target = await reachParent(to, to.path);
        await link(`${source.reach}/${basename(from.path)}`, `${target.reach}/${basename(to.path)}`);
      }),

    setFacts: (path, { mode, modifiedMs }) =>
      withFileErrors(async () => {
        await using place = await reach(path, false);
        if (!place.info.isFile() && !place.info.isDirectory()) throw fileError("not_regular");
        // Uses the descriptor if there is one, so that a link that replaces the name is not followed.
        if (modifiedMs !== undefined) await utimes(place.reach, place.info.atimeMs / 1000, modifiedMs / 1000);
        if (mode !== undefined) await chmod(place.reach, mode & MODE_BITS);
      }),

    makeDirectory: (path, { recursive, mode = MODE_BITS }) =>
      withFileErrors(() => (recursive ? makeDirectories(path, mode & MODE_BITS) : makeDirectory(path, mode & MODE_BITS))),

    remove: (path, { recursive, isOver }) =>
      withFileErrors(async () => {
        await using parent = await reachParent(path, path.path);
        const name = basename(path.path);
        await keepRoot(path, parent);
        if (recursive) return await removeTree(walk, parent, name, { checked: path, ...(isOver && { isOver }) });
        await using place = await walk.locate(`${parent.reach}/${name}`, { follow: false });
        // `rmdir` and `unlink` do not follow a link that replaces the name meanwhile.
        await (place.info.isDirectory() ? rmdir : unlink)(`${parent.reach}/${name}`);
      }),

    rename: (from, to) =>
      withFileErrors(async () => {
        await using source = await reachParent(from, from.path);
        await using target = await reachParent(to, to.path);
        await keepRoot(from, source);
        await keepRoot(to, target);
        await rename(`${source.reach}/${basename(from.path)}`, `${target.reach}/${basename(to.path)}`);
      }),

    copy: (from, to, { maxBytes, isOver }) =>
      withFileErrors(async () => {
        await using place = await reach(from, true);
        await using source = await openRegular(place, constants.O_RDONLY);
        if (place.info.size > maxBytes) throw fileError("too_large");
        unlessOver(isOver);
        await using target = await openToWrite(to, {}, place.info.mode);
        const { dev, ino } = await target.stat();
        // Copying a file onto itself: truncating would empty the source.
        if (dev === place.info.dev && ino === place.info.ino) return;
        await target.truncate(0);
        await copyBounded(source, target, { maxBytes, ...(isOver && { isOver }) });
      }),

    truncate: (path, length) =>
      withFileErrors(async () => {
        await using place = await reach(path, true);
        await using file = await openRegular(place, constants.O_WRONLY);
        await file.truncate(length);
      }),

    openToRead: (path, options) =>
      keepOpen(async () => {
        await using place = await reach(path, true);
        return await openRegular(place, constants.O_RDONLY);
      }, options),

    openToWrite: (path, options) =>
      keepOpen(async () => {
        const file = await openToWrite(path, options);
        // As in `writeBytes`: truncates only a verified file.
        if (options.truncate) await file.truncate(0);
        return file;
      }, options),
  };

  function inspect(path: CheckedPath<"read">, follow: boolean): ReturnType<GuardedFiles["stat"]> {
    return withFileErrors(async () => {
      await using place = await reach(path, follow);
      return toFileInfo(place.info);
    });
  }

  /** Returns the existing place that `path` (by default the checked one) leads to, if the grant allows its real path. */
  async function reach(checked: Checked, follow: boolean, path: string = checked.path): Promise<Place> {
    const place = await locate(checked, path, follow);
    try {
      await permit(checked, place.realPath, place.synthetic);
      return place;
    } catch (refusal) {
      await place[Symbol.asyncDispose]();
      throw refusal;
    }
  }

  /** Returns the folder in which `path` names an entry, if the grant allows that entry there. */
  async function reachParent(checked: Checked, path: string): Promise<Place> {
    // "/" is not an entry of any folder.
    if (basename(path) === "") throw fileError("permission_denied");
    const parent = await locate(checked, dirname(path), true);
    try {
      await permit(checked, join(parent.realPath, basename(path)), parent.synthetic);
      return parent;
    } catch (refusal) {
      await parent[Symbol.asyncDispose]();
      throw refusal;
    }
  }

  async function locate(checked: Checked, path: string, follow: boolean): Promise<Place> {
    if (isKernelPath(path, os)) throw fileError("not_regular");
    try {
      return await walk.locate(path, { follow });
    } catch (thrown) {
      const error = toFileError(thrown);
      if (!TELLING.has(error.code) || (await permitsPlace(checked, await farthestPlace(path)))) throw error;
      throw fileError("not_capable");
    }
  }

  async function permit(checked: Checked, realPath: string, synthetic: boolean): Promise<void> {
    await permitOrRefuse(checked, realPath);
    if (synthetic || isKernelPath(realPath, os)) throw fileError("not_regular");
  }

  /** Protects the granted folder itself. A file that is granted by name may be removed, because it is the whole grant. */
  async function keepRoot({ path, isRoot }: Checked, parent: Place): Promise<void> {
    const name = basename(path);
    if (isRoot?.(join(parent.realPath, name)) !== true) return;
    const info = await lstat(`${parent.reach}/${name}`).catch(toFileError);
    if (info instanceof FileError ? info.code !== "not_found" : !info.isFile()) throw new FileError("not_capable", ROOT_OF_GRANT);
  }

  async function openRegular(place: Place, flags: number): Promise<FileHandle> {
    if (place.info.isDirectory()) throw fileError("is_a_directory");
    if (!place.info.isFile()) throw fileError("not_regular");
    return await walk.open(place, flags);
  }

  /** Opens without truncating. Creates the file if the options allow it, also behind a dangling link. */
  async function openToWrite(
    checked: CheckedPath<"write">,
    options: WriteOptions & { readonly read?: boolean },
    mode: number = options.mode ?? 0o666,
  ): Promise<FileHandle> {
    const flags = (options.read === true ? constants.O_RDWR : constants.O_WRONLY) | (options.append === true ? constants.O_APPEND : 0);
    if (options.createNew === true) return await createFile(checked, checked.path, flags, mode);

    let path = checked.path;
    for (let links = 0; links < MAX_LINKS; links += 1) {
      try {
        await using place = await reach(checked, true, path);
        return await openRegular(place, flags);
      } catch (thrown) {
        if (options.create === false || toFileError(thrown).code !== "not_found") throw thrown;
      }
      try {
        return await createFile(checked, path, flags, mode);
      } catch (thrown) {
        if (toFileError(thrown).code !== "already_exists") throw thrown;
      }
      // A dangling link, or a file that has just appeared: continue at its target.
      path = await nextPath(checked, path);
    }
    throw fileError("symlink_loop");
  }

  async function createFile(checked: CheckedPath<"write">, path: string, flags: number, mode: number): Promise<FileHandle> {
    await using parent = await reachParent(checked, path);
    const name = basename(path);
    const { file, realPath } = await walk.create(parent, name, flags, mode & MODE_BITS);
    if (await permitsPlace(checked, realPath)) return file;
    // The folder was just moved out of the grant; the new file is still empty.
    await file.close();
    await unlink(`${parent.reach}/${name}`);
    throw fileError("not_capable");
  }

  async function nextPath(checked: CheckedPath<"write">, path: string): Promise<string> {
    await using parent = await reachParent(checked, path);
    try {
      return resolve(parent.realPath, await readlink(`${parent.reach}/${basename(path)}`));
    } catch (thrown) {
      // EINVAL: not a link but a file that appeared meanwhile, which the next round opens.
      if (toFileError(thrown).code === "invalid_path") return path;
      throw thrown;
    }
  }

  async function makeDirectory(checked: CheckedPath<"write">, mode: number): Promise<void> {
    await using parent = await reachParent(checked, checked.path);
    await mkdir(`${parent.reach}/${basename(checked.path)}`, { mode });
  }

  /** Creates folders downwards from the deepest existing one, by descriptor. The grant must allow the real path of each new one. */
  async function makeDirectories(checked: CheckedPath<"write">, mode: number): Promise<void> {
    const missing: string[] = [];
    let place = await deepestExisting(checked, missing);
    try {
      if (missing.length === 0) await permit(checked, place.realPath, place.synthetic);
      if (!place.info.isDirectory()) throw fileError(missing.length === 0 ? "already_exists" : "not_a_directory");
      for (const name of missing) {
        await permit(checked, join(place.realPath, name), place.synthetic);
        const next = await enterNew(place, name, mode);
        await place[Symbol.asyncDispose]();
        place = next;
      }
    } finally {
      await place[Symbol.asyncDispose]();
    }
  }

  async function deepestExisting(checked: CheckedPath<"write">, missing: string[]): Promise<Place> {
    for (let path = checked.path; ; path = dirname(path)) {
      try {
        return await locate(checked, path, true);
      } catch (thrown) {
        if (toFileError(thrown).code !== "not_found" || dirname(path) === path) throw thrown;
        missing.unshift(basename(path));
      }
    }
  }

  async function enterNew(parent: Place, name: string, mode: number): Promise<Place> {
    const path = `${parent.reach}/${name}`;
    try {
      await mkdir(path, { mode });
    } catch (thrown) {
      // Another process made the folder first, which is as good.
      if (toFileError(thrown).code !== "already_exists") throw thrown;
    }
    const place = await walk.locate(path, { follow: false });
    if (place.info.isDirectory()) return place;
    await place[Symbol.asyncDispose]();
    throw fileError("already_exists");
  }
}

async function copyBounded(source: FileHandle, target: FileHandle, { maxBytes, isOver }: { maxBytes: number } & MayEnd): Promise<void> {
  const chunk = new Uint8Array(COPY_CHUNK_BYTES);
  for (let copied = 0; ;) {
    unlessOver(isOver);
    const { bytesRead } = await source.read(chunk, 0, chunk.length, copied);
    if (bytesRead === 0) return;
    copied += bytesRead;
    if (copied > maxBytes) throw fileError("too_large");
    await writeAll(target, chunk.subarray(0, bytesRead));
  }
}
