/** Finds folders that stand for many files, and never one that stands for everything (SPEC P9). */

import { checkItem, type PermissionBases } from "../../../manifests/mod.ts";
import { isBelow } from "../../audit/acts.ts";

/** Names below the root from which on paths are first taken together, where there are too many. */
const DEEPEST = 32;

/** How far paths may be taken together. */
export interface PathWish {
  readonly kind: "read" | "write";
  readonly bases: PermissionBases;
  /** So many files directly in a folder stand for the folder. */
  readonly folderFrom: number;
  /** So many lines at most; beyond it folders are taken together further up. */
  readonly maxItems: number;
  /** Whether the maximum covers the whole of it. */
  readonly isWithin: (path: string) => boolean;
}

/** Paths that cover what was done, each with what it stands for; and what none may stand for. */
export interface PathItems {
  readonly items: ReadonlyMap<string, readonly string[]>;
  readonly tooWide: readonly string[];
  /** Those that no item can name without naming others. */
  readonly nameless: readonly string[];
}

/**
 * The fewest and narrowest paths that cover all of `paths`, which are absolute and distinct.
 *
 * None of the items lies below another, so each is needed.
 */
export function* coverPaths(paths: readonly string[], wish: PathWish): Generator<void, PathItems> {
  const items = new Map<string, string[]>();
  const tooWide: string[] = [];
  const nameless: string[] = [];
  for (const path of paths) {
    yield;
    if (isEverything(path, wish.bases)) tooWide.push(path);
    else if (!isNameable(path, wish.kind)) nameless.push(path);
    else items.set(path, [path]);
  }
  yield* dropCovered(items);
  for (const [folder, inside] of yield* groupAt(items, parentOf)) {
    yield;
    if (inside.length >= wish.folderFrom) lift(items, folder, inside, wish);
  }
  for (let depth = DEEPEST; items.size > wish.maxItems && depth > 1; depth--) {
    for (const [folder, inside] of yield* groupAt(items, (item) => ancestor(item, depth))) {
      yield;
      lift(items, folder, inside, wish);
    }
  }
  yield* dropCovered(items);
  return { items, tooWide, nameless };
}

/** The grammar of items has a word for that very path: it holds no `*`, `[` and the like. */
function isNameable(path: string, kind: PathWish["kind"]): boolean {
  return checkItem(kind, path) === undefined && !/[*?[\]{}]/.test(path);
}

/** Never proposed, whoever asked for it: the disk, and whatever holds the workspace, the plugin or the home folder. */
function isEverything(path: string, { workspace, plugin, home }: PermissionBases): boolean {
  if (path === "/" || (home !== undefined && isBelow(home, path))) return true;
  return [workspace, plugin].some((folder) => folder !== undefined && folder !== path && isBelow(folder, path));
}

/** A folder is taken for its files only below a place that means something: not for a token's own folder, nor near the root. */
function mayLift(folder: string, { bases, isWithin }: PathWish): boolean {
  const { base: _base, ...tokens } = bases;
  if (isEverything(folder, bases) || Object.values(tokens).includes(folder)) return false;
  return depthOf(folder) > 2 && isWithin(folder);
}

function lift(items: Map<string, string[]>, folder: string, inside: readonly string[], wish: PathWish): void {
  if (!mayLift(folder, wish)) return;
  const stoodFor = inside.flatMap((item) => items.get(item) ?? []);
  for (const item of inside) items.delete(item);
  items.set(folder, [...(items.get(folder) ?? []), ...stoodFor]);
}

/** The items that `folderOf` puts together; the deepest folders first. */
function* groupAt(
  items: ReadonlyMap<string, unknown>,
  folderOf: (item: string) => string | undefined,
): Generator<void, readonly (readonly [string, readonly string[]])[]> {
  const folders = new Map<string, string[]>();
  for (const item of items.keys()) {
    yield;
    const folder = folderOf(item);
    if (folder === undefined) continue;
    const inside = folders.get(folder);
    if (inside === undefined) folders.set(folder, [item]);
    else inside.push(item);
  }
  const depths = new Map<string, number>();
  for (const folder of folders.keys()) {
    yield;
    depths.set(folder, depthOf(folder));
  }
  return [...folders].toSorted(([a], [b]) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0));
}

/** The folder so many names below the root that holds the path; undefined where the path is no deeper. */
function ancestor(path: string, depth: number): string | undefined {
  const names = path.split("/");
  return names.length - 1 > depth ? names.slice(0, depth + 1).join("/") : undefined;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** An item below another one adds nothing. */
function* dropCovered(items: Map<string, string[]>): Generator<void, void> {
  for (const [item, stoodFor] of [...items]) {
    yield;
    for (let above = parentOf(item); above !== item; above = above === "/" ? item : parentOf(above)) {
      const wider = items.get(above);
      if (wider === undefined) continue;
      wider.push(...stoodFor);
      items.delete(item);
      break;
    }
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}
