/**
 * Path items: normalisation, tokens and globs (SPEC PA2, C4).
 *
 * Purely lexical and the same on every system. Globs are matched segment by segment, without a RegExp of text from outside: `*`
 * and `?` stay within a segment, `**` is a whole segment and stands for any number of segments.
 */

import { foldName } from "../text/fold-name.ts";
import { hasLoneSurrogate } from "../text/hidden-text.ts";
import { printable } from "../text/names.ts";
import { movedPath } from "../text/paths.ts";
import type { PermissionBases } from "./permissions.ts";

/** Maximum path length; Linux's PATH_MAX. */
const MAX_PATH_LENGTH = 4_096;
/** Maximum length of a name in a path; no usual file system allows more, and the limit bounds the matching. */
const MAX_SEGMENT_LENGTH = 255;
const MAX_ITEM_LENGTH = 1_024;
/** Bounds that keep matching linear in practice, because a guest chooses the paths and a manifest the patterns. */
const MAX_GLOB_LENGTH = 256;
const MAX_GLOBSTARS = 2;
const MAX_PARENTS = 32;

const TOKENS = ["plugin", "workspace", "data", "tmp", "home"] as const;

/** An absolute path: a folder or file with its contents, or a pattern. */
export interface PathPattern {
  /** Literal segments at the beginning. */
  readonly prefix: readonly string[];
  /** Segments after the prefix, of which the first is a pattern; empty for a literal path. */
  readonly glob: readonly string[];
}

/** Expands `~` and `~/…`. */
export function expandHome(path: string, home: string): string {
  return movedPath(path, "~", home) ?? path;
}

/**
 * Makes `path` absolute, `/`-separated, without `.`, `..`, doubled or trailing separators.
 *
 * Below a base with a drive letter `\` separates too. Returns undefined if the path is empty, too long (4,096 characters, 255 per
 * name), contains a NUL or a lone surrogate, is a UNC, device or stream name, or neither it nor `base` is absolute.
 *
 * @example
 * ```ts
 * normalizePath("../a//b/", "/work/x"); // "/work/a/b"
 * normalizePath("b\\c", "C:/work"); // "C:/work/b/c"
 * ```
 */
export function normalizePath(path: string, base: string): string | undefined {
  if (path === "" || path.length > MAX_PATH_LENGTH || path.includes("\0") || hasLoneSurrogate(path)) return undefined;
  const isWindows = /^[A-Za-z]:/.test(base);
  const slashed = isWindows ? path.replaceAll("\\", "/") : path;
  if (isWindows && slashed.startsWith("//")) return undefined;

  const drive = isWindows ? /^[A-Za-z]:(?=\/|$)/.exec(slashed)?.[0] : undefined;
  const isAbsolute = drive !== undefined || slashed.startsWith("/");
  if (!isAbsolute && !isAbsolutePath(base)) return undefined;

  const root = isWindows ? (drive ?? base.slice(0, 2)).toUpperCase() : "";
  const rest = drive === undefined ? slashed : slashed.slice(drive.length);
  const segments = fold(isAbsolute ? rest : `${isWindows ? base.slice(2).replaceAll("\\", "/") : base}/${rest}`);
  if (segments.some((segment) => segment.length > MAX_SEGMENT_LENGTH || (isWindows && isWindowsAlias(segment)))) return undefined;
  const normal = `${root}/${segments.join("/")}`;
  return normal.length > MAX_PATH_LENGTH ? undefined : normal;
}

/** Returns true for `/a` and `C:/a`. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

/** Splits a normalised path into its segments. */
export function pathSegments(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** Returns why `item` is not a path item, or undefined if it is. */
export function checkPathItem(item: string): string | undefined {
  if (item === "") return 'A path item is empty; write "." for the folder itself';
  if (item.length > MAX_ITEM_LENGTH) return `A path item has at most ${MAX_ITEM_LENGTH} characters`;
  if (item.includes("\0") || hasLoneSurrogate(item)) return "A path item contains a NUL or a lone surrogate";
  if (item.includes("\\")) return 'A path item contains "\\"; write "/" between folders on every system';
  if (/[[\]{}]/.test(item)) return 'Patterns support "*", "?" and "**", not "[…]" or "{…}"; name the paths one by one, or their folder';
  if (item.startsWith("!")) return 'A pattern cannot be negated with "!"; put the path into "deny"';
  if (item === "~" || item.startsWith("~/")) return '"~" is not expanded; write "$home"';
  return checkSegments(item.split("/"));
}

/** Resolves `item` to an absolute pattern; undefined if it begins with a token that `bases` lacks. */
export function toPathPattern(item: string, bases: PermissionBases): PathPattern | undefined {
  const [head = "", ...tail] = item.split("/");
  const token = TOKENS.find((name) => head === `$${name}`);
  const base = token === undefined ? bases.base : bases[token];
  if (base === undefined) return undefined;

  const rest = token === undefined ? item : tail.join("/");
  const segments = rest.split("/");
  const firstGlob = segments.findIndex(isGlobSegment);
  const literal = firstGlob === -1 ? rest : segments.slice(0, firstGlob).join("/");
  const isRooted = token === undefined && item.startsWith("/");
  const written = normalizePath(literal === "" ? (isRooted ? "/" : ".") : literal, base);
  if (written === undefined) return undefined;
  const { named } = bases;
  const absolute = (named && movedPath(written, named.as, named.is)) ?? written;

  const glob = firstGlob === -1 ? [] : segments.slice(firstGlob).filter((segment) => segment !== "" && segment !== ".");
  // `a/**` equals the literal `a`, which includes its contents.
  return { prefix: pathSegments(absolute), glob: glob.every((segment) => segment === "**") ? [] : glob };
}

/** Folds a pattern for matching folded paths (`foldName`). */
export function foldPattern({ prefix, glob }: PathPattern): PathPattern {
  return { prefix: prefix.map(foldName), glob: glob.map(foldName) };
}

/**
 * Returns true if the pattern covers the path. A literal covers its contents; a glob covers whole paths that it matches and, with
 * `below` (for denials), their contents.
 */
export function patternCovers(pattern: PathPattern, path: readonly string[], below: boolean): boolean {
  if (!startsWith(path, pattern.prefix)) return false;
  if (pattern.glob.length === 0) return true;
  return runGlob(pattern.glob, path.slice(pattern.prefix.length)).some((state) => state.isMatch && (below || state.isEnd));
}

/** Returns true if the pattern could cover something below `path`, excluding `path` itself (SPEC PA5). */
export function patternReachesBelow(pattern: PathPattern, path: readonly string[]): boolean {
  if (path.length < pattern.prefix.length) return startsWith(pattern.prefix, path);
  if (pattern.glob.length === 0 || !startsWith(path, pattern.prefix)) return false;
  return runGlob(pattern.glob, path.slice(pattern.prefix.length)).some((state) => state.isEnd && state.isAlive);
}

/** Returns true for a segment with a wildcard. */
export function isGlobSegment(segment: string): boolean {
  return segment.includes("*") || segment.includes("?");
}

/** Returns true if `path` begins with all of `prefix`. */
export function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((segment, index) => segment === path[index]);
}

function checkSegments(segments: readonly string[]): string | undefined {
  const [head = ""] = segments;
  const firstGlob = segments.findIndex(isGlobSegment);
  const last = segments.lastIndexOf("..");
  if (head.startsWith("$") && !TOKENS.some((token) => head === `$${token}`)) {
    return `"${printable(head)}" is not a known folder; write one of ${TOKENS.map((token) => `$${token}`).join(" ")}`;
  }
  if (head.startsWith("$") && last !== -1) return `".." leaves "${printable(head)}"; name the other folder itself`;
  if (firstGlob !== -1 && last > firstGlob) return '".." after a pattern is ambiguous; write the path without it';
  if (segments.filter((segment) => segment === "..").length > MAX_PARENTS) return `A path item has at most ${MAX_PARENTS} ".."`;
  if (segments.some((segment) => segment.includes("**") && segment !== "**"))
    return '"**" stands alone between "/"; write "**/*.ext" instead of "**.ext"';
  if (segments.filter((segment) => segment === "**").length > MAX_GLOBSTARS) return `A pattern has at most ${MAX_GLOBSTARS} "**"`;
  if (firstGlob !== -1 && segments.join("/").length > MAX_GLOB_LENGTH) return `A pattern has at most ${MAX_GLOB_LENGTH} characters`;
  return undefined;
}

function fold(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}

/** Names that Windows maps to another file: streams (`a:b`), and trailing dots and spaces, which it drops. */
function isWindowsAlias(segment: string): boolean {
  return segment.includes(":") || segment.endsWith(".") || segment.endsWith(" ");
}

/** State after each prefix of the path: whether the pattern matches it, and whether it could match more. */
interface GlobState {
  readonly isMatch: boolean;
  readonly isAlive: boolean;
  /** Whether the whole path was read. */
  readonly isEnd: boolean;
}

function runGlob(glob: readonly string[], path: readonly string[]): GlobState[] {
  let places = skipGlobstars(glob, new Set([0]));
  const states = [stateOf(glob, places, path.length === 0)];
  for (const [index, segment] of path.entries()) {
    const next = new Set<number>();
    for (const place of places) {
      const wanted = glob[place];
      if (wanted === "**") next.add(place);
      else if (wanted !== undefined && matchSegment(wanted, segment)) next.add(place + 1);
    }
    places = skipGlobstars(glob, next);
    states.push(stateOf(glob, places, index === path.length - 1));
    if (places.size === 0) break;
  }
  return states;
}

/** A `**` also matches zero segments, so a position before one includes the position after it. */
function skipGlobstars(glob: readonly string[], places: Set<number>): Set<number> {
  // A Set visits entries that are added during the loop.
  for (const place of places) if (glob[place] === "**") places.add(place + 1);
  return places;
}

function stateOf(glob: readonly string[], places: ReadonlySet<number>, isEnd: boolean): GlobState {
  return { isMatch: places.has(glob.length), isAlive: [...places].some((place) => place < glob.length), isEnd };
}

/** Matches wildcards within a segment. A mismatch retries only the last `*`, so the work is at most |pattern| × |text|. */
function matchSegment(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length;) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at++;
      resume = i;
    } else if (wanted !== undefined && (wanted === "?" || wanted === text[i])) {
      at++;
      i++;
    } else if (star !== -1) {
      at = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
