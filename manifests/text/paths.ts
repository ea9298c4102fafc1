/**
 * Containment of paths, by text alone: links are not followed.
 *
 * Paths are normalised: "/"-separated, without `.`, `..`, doubled or trailing separators. Only a root (`/`, `C:/`) ends with a separator; it
 * contains every path of its system. Prefixes of URLs may end with one as well: `/v1/` contains `/v1/x`, but not `/v1`. Relative paths of
 * one folder can be compared too.
 */

/** Returns true if `path` is `folder` or below it. */
export function isAtOrBelow(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith("/") || path[folder.length] === "/";
}

/** Returns true if `path` is below `folder`, but not `folder` itself. */
export function isBelow(path: string, folder: string): boolean {
  return path.length !== folder.length && isAtOrBelow(path, folder);
}

/** Returns `path` relative to `folder`; undefined if it is not below `folder`. */
export function relativeBelow(path: string, folder: string): string | undefined {
  return isBelow(path, folder) ? path.slice(folder.length + (folder.endsWith("/") ? 0 : 1)) : undefined;
}

/**
 * Returns the place in the folder `to` that `path` has in the folder `from`; undefined if `path` is neither `from` nor below it.
 *
 * @example
 * ```ts
 * movedPath("/a/x", "/a", "/b"); // "/b/x"
 * movedPath("/a/x", "/", "/b"); // "/b/a/x"
 * ```
 */
export function movedPath(path: string, from: string, to: string): string | undefined {
  if (path === from) return to;
  const inside = relativeBelow(path, from);
  return inside === undefined ? undefined : `${to}${to.endsWith("/") ? "" : "/"}${inside}`;
}
