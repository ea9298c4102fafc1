/** Paths as people write them on a command line. Absolute paths use `/`. */

import { normalizePath } from "../../../manifests/mod.ts";
import { usageError } from "./cli-error.ts";

/**
 * An absolute, normalised path.
 *
 * @throws {CliError} if it holds a NUL or a lone surrogate.
 */
export function absolutePath(written: string, base: string): string {
  const path = normalizePath(written, base);
  if (path === undefined) throw usageError(`Cannot use "${written}" as a path`);
  return path;
}

/** The folder that holds `path`; the root is its own. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (/^[A-Za-z]:/u.test(path) && slash <= 2) return `${path.slice(0, 2)}/`;
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** How a person in `cwd` would write `path`: relative where that is no longer than the absolute form. */
export function pathFrom(cwd: string, path: string): string {
  if (path === cwd) return ".";
  const [from, to] = [cwd, path].map((each) => each.split("/").filter((part) => part !== ""));
  if (from === undefined || to === undefined) return path;
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1;
  const relative = [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/");
  return shared === 0 || relative.length > path.length ? path : relative;
}

/** A word as a shell takes it: quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
