/**
 * Locates a place in the file system for a guarded file operation, so that the checked place is the used one.
 *
 * Two implementations: `linux-walk.ts` uses descriptors, which cannot be raced; `portable-walk.ts` compares twice.
 */

import type { Stats } from "node:fs";
import { type FileHandle, lstat, readlink } from "node:fs/promises";
import { dirname, join, parse, resolve, sep } from "node:path";
import { MAX_LINKS } from "./link-limit.ts";

/** A located file, directory or link. Holds a descriptor: dispose of it. */
export interface Place extends AsyncDisposable {
  /** Real path: absolute, without symlinks, `/`-separated. */
  readonly realPath: string;
  readonly info: Stats;
  /** A path that leads to exactly this place; `reach + "/" + name` is its entry `name`, even if the place is moved meanwhile. */
  readonly reach: string;
  /** Whether the kernel generates the file (`/proc`, `/sys` and similar file systems, wherever they are mounted). */
  readonly synthetic: boolean;
  /**
   * Set if the place's own path is longer than the system reports. `realPath` is then that of the nearest folder above with a reported
   * path.
   */
  readonly isWithin?: true;
}

interface LocateOptions {
  readonly follow: boolean;
  /** Folder whose entry the path names. If set, a place whose own path is too long can be located; otherwise that is an error. */
  readonly within?: Place;
}

/** The primitive steps. They throw the operating system's errors. */
export interface Walk {
  /** Locates `path` without opening it: no effect on devices, no waiting on a FIFO. */
  locate(path: string, options: LocateOptions): Promise<Place>;
  /** Opens a located place; the opened file is that same file. */
  open(place: Place, flags: number): Promise<FileHandle>;
  /** Creates the file `name` in `parent`, which must not exist, not even as a link. */
  create(parent: Place, name: string, flags: number, mode: number): Promise<{ readonly file: FileHandle; readonly realPath: string }>;
  /** Whether `place` is still found at its real path; checked after its contents were listed. */
  holds(place: Place): Promise<boolean>;
}

/**
 * Returns the target of a path that could not be opened: follows links as far as possible and appends the rest.
 *
 * Used only to choose the reported error (a missing file outside of the grant must look like a forbidden one). Nothing is opened with the
 * result, so a race can at most change the error.
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
    // Missing, not searchable or too long: the walk ends here.
    return "missing";
  }
}
