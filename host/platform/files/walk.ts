/**
 * How a guarded file operation gets hold of a place in the file system, so that what was checked is what is used.
 *
 * Two ways: `linux-walk.ts` by descriptors, which cannot be raced, and `portable-walk.ts` by comparing twice.
 */

import type { Stats } from "node:fs";
import { type FileHandle, lstat, readlink } from "node:fs/promises";
import { dirname, join, parse, resolve, sep } from "node:path";
import { MAX_LINKS } from "./link-limit.ts";

/** A file, directory or link that was found. Holds a descriptor: dispose of it. */
export interface Place extends AsyncDisposable {
  /** Where it really is: absolute, no symlink on the way, `/`-separated. */
  readonly realPath: string;
  readonly info: Stats;
  /** A path that leads to exactly this place; `reach + "/" + name` is its entry `name`, wherever it is moved meanwhile. */
  readonly reach: string;
  /** True for files the kernel makes up (`/proc`, `/sys` and their like, wherever they are mounted). */
  readonly synthetic: boolean;
  /** Its own path is longer than the system tells: `realPath` is that of the nearest folder above whose path is not. */
  readonly isWithin?: true;
}

export interface LocateOptions {
  readonly follow: boolean;
  /** The folder that the path names an entry of: a place may be found in it whose own path is too long. Absent: that is an error. */
  readonly within?: Place;
}

/** The primitive steps; they throw what the operating system says. */
export interface Walk {
  /** Finds what is at `path` without opening it: no effect on devices, no waiting on a FIFO. */
  locate(path: string, options: LocateOptions): Promise<Place>;
  /** Opens a place that was found; what is opened is that very file. */
  open(place: Place, flags: number): Promise<FileHandle>;
  /** Creates the file `name` in `parent`, which must not exist, not even as a link. */
  create(parent: Place, name: string, flags: number, mode: number): Promise<{ readonly file: FileHandle; readonly realPath: string }>;
  /** True if `place` still is what is found at its real path; asked after its contents were listed. */
  holds(place: Place): Promise<boolean>;
}

/**
 * Where a path that could not be opened really leads: links followed as far as they go, the rest appended.
 *
 * Only chooses which error is told (a missing file outside of the grant must look like a forbidden one); nothing is
 * opened by the answer, so that a race can at most change the error.
 */
export async function farthestPlace(path: string, onLink: (link: string) => void = () => {}): Promise<string> {
  let current = parse(path).root;
  let names = path.slice(current.length).split(sep).filter(isStep);
  for (let links = 0; names.length > 0;) {
    const [name = "", ...rest] = names;
    if (name === "..") {
      current = dirname(current);
      names = rest;
      continue;
    }
    const next = join(current, name);
    const target = await linkTarget(next);
    if (target === "missing" || links >= MAX_LINKS) return join(next, ...rest);
    if (target === undefined) {
      current = next;
      names = rest;
      continue;
    }
    links += 1;
    onLink(next);
    const { root } = parse(resolve(current, target.link));
    if (target.link.startsWith(root)) current = root;
    names = [...target.link.split(sep).filter(isStep), ...rest];
  }
  return current;
}

function isStep(name: string): boolean {
  return name !== "" && name !== ".";
}

async function linkTarget(path: string): Promise<{ readonly link: string } | "missing" | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isSymbolicLink() ? { link: await readlink(path) } : undefined;
  } catch {
    // Missing, not searchable, too long: the walk ends here, which is all that the caller wants to know.
    return "missing";
  }
}
