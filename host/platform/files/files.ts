/** The host's own files, on Node and Deno. No path chosen by a guest reaches these functions. */

import { constants, type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { readBounded } from "./bounded-read.ts";
import { errnoOf, fileError, withFileErrors } from "./file-errors.ts";
import { kindOf, toFileInfo } from "./file-info.ts";
import type { DirectoryEntry, FileInfo, Files } from "../platform.ts";
import { withSlashes } from "./slashes.ts";
import { permitsPlace } from "./spelling.ts";
import { farthestPlace } from "./walk.ts";
import { readPlain } from "./plain-read.ts";

/** Maximum size of a file that the host reads for itself; larger files are `too_large`. */
const MAX_OWN_FILE_BYTES: number = 64 * 1024 * 1024;

/** Functions that inspect a path without opening it. */
interface Looks {
  readonly stat: (path: string) => Stats | Promise<Stats>;
  readonly lstat: (path: string) => Stats | Promise<Stats>;
  readonly list: (path: string) => Dirent[] | Promise<Dirent[]>;
  readonly realPath: (path: string) => string | Promise<string>;
}

/** Asynchronous lookups on another thread: a slow or hanging file system does not block other work. */
const LATER: Looks = { stat, lstat, list: (path) => readdir(path, { withFileTypes: true }), realPath: (path) => realpath(path) };

/** Synchronous lookups, ten times as fast on a local disk, because switching threads costs more than the lookup. */
const AT_ONCE: Looks = {
  stat: (path) => statSync(path),
  lstat: (path) => lstatSync(path),
  list: (path) => readdirSync(path, { withFileTypes: true }),
  realPath: (path) => realpathSync.native(path),
};

/**
 * Creates the host's file access. It is also used on hostile folders: a FIFO does not hang it.
 *
 * @param isBrief whether the process serves only the caller, so that it may block
 */
export function createFiles(isBrief: boolean = false): Files {
  const looks = isBrief ? AT_ONCE : LATER;
  return {
    isBrief,
    readText: async (path) => new TextDecoder().decode(await readBytes(path, MAX_OWN_FILE_BYTES)),
    readBytes: (path, maxBytes = MAX_OWN_FILE_BYTES) => readBytes(path, maxBytes),
    // Loaded by who writes: most commands read.
    writeAtomic: (path, data, mode = 0o666) =>
      withFileErrors(async () => await (await import("./write-atomic.ts")).writeAtomic(path, data, mode), path),
    createNew: (path, text) => withFileErrors(async () => await (await import("./write-atomic.ts")).createWhole(path, text), path),
    makeDirectory: (path) => withFileErrors(async () => void (await mkdir(path, { recursive: true })), path),
    readPlain,
    remove: (path) => withFileErrors(() => rm(path, { recursive: true, force: true }), path),
    rename: (from, to) => withFileErrors(() => rename(from, to), to),
    list: (path) => withFileErrors(async () => (await looks.list(path)).map(toEntry), path),
    stat: (path) => unlessMissing(async () => toFileInfo(await looks.stat(path))),
    lstat: (path) => unlessMissing(async () => toFileInfo(await looks.lstat(path))),
    realPath: (path) => withFileErrors(async () => withSlashes(await looks.realPath(path)), path),
    linksOn: async (path) => {
      const links: string[] = [];
      await farthestPlace(path, (link) => links.push(withSlashes(link)));
      return links;
    },
    permitsPlace: (checked, realPath) => withFileErrors(() => permitsPlace(checked, realPath), realPath),
  };
}

function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  return withFileErrors(async () => {
    // Opening a FIFO without O_NONBLOCK waits for a writer and blocks a thread of the pool.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isDirectory()) throw fileError("is_a_directory");
    if (!stats.isFile()) throw fileError("not_regular");
    return await readBounded(file, { maxBytes });
  }, path);
}

function toEntry(entry: Dirent): DirectoryEntry {
  return { name: entry.name, kind: kindOf(entry) };
}

function unlessMissing(look: () => Promise<FileInfo>): Promise<FileInfo | undefined> {
  return withFileErrors(async () => {
    try {
      return await look();
    } catch (thrown) {
      const errno = errnoOf(thrown);
      // A path through a file does not exist either.
      if (errno === "ENOENT" || errno === "ENOTDIR") return undefined;
      throw thrown;
    }
  });
}
