/** Converts between paths on the command line and absolute paths, which use `/`. */

import { normalizePath } from "../../../manifests/mod.ts";
import { usageError } from "./cli-error.ts";

/**
 * Returns an absolute, normalised path.
 *
 * @throws {CliError} if it contains a NUL or a lone surrogate
 */
export function absolutePath(written: string, base: string): string {
  const path = normalizePath(written, base);
  if (path === undefined) throw usageError(`Invalid path "${written}"`);
  return path;
}

/** Returns the parent folder; for the root, the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (/^[A-Za-z]:/u.test(path) && slash <= 2) return `${path.slice(0, 2)}/`;
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** Returns the last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns `path` relative to `cwd`, or absolute if that is shorter. */
export function pathFrom(cwd: string, path: string): string {
  if (path === cwd) return ".";
  const [from, to] = [cwd, path].map((each) => each.split("/").filter((part) => part !== ""));
  if (from === undefined || to === undefined) return path;
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1;
  const relative = [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/");
  return shared === 0 || relative.length > path.length ? path : relative;
}

/** Quotes a word for a shell if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
