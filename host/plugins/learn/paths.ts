/** Merges many files into folders, but never into a folder that contains everything (SPEC P9). */

import { checkItem, isAtOrBelow, isBelow, type PermissionBases } from "../../../manifests/mod.ts";

/** Depth at which merging starts if there are too many paths. */
const DEEPEST = 32;

/** Bounds of merging. */
interface PathOptions {
  readonly kind: "read" | "write";
  readonly bases: PermissionBases;
  /** Number of files directly in a folder from which on the folder replaces them. */
  readonly folderFrom: number;
  /** Maximum number of lines; above it, folders are merged further up. */
  readonly maxItems: number;
  /** Returns true if the maximum covers the whole folder. */
  readonly isWithin: (path: string) => boolean;
}

/** Paths that cover the acts, each with the paths it replaces, and the paths that none may cover. */
interface PathItems {
  readonly items: ReadonlyMap<string, readonly string[]>;
  readonly tooWide: readonly string[];
  /** Paths that no item can name without matching others. */
  readonly nameless: readonly string[];
}

/**
 * Covers `paths`, which are absolute and distinct, with as few and as narrow items as possible. No item lies below another, so each is
 * needed.
 */
export function* coverPaths(paths: readonly string[], options: PathOptions): Generator<void, PathItems> {
  const items = new Map<string, string[]>();
  const tooWide: string[] = [];
  const nameless: string[] = [];
  for (const path of paths) {
    yield;
    if (isEverything(path, options.bases)) tooWide.push(path);
    else if (!isNameable(path, options.kind)) nameless.push(path);
    else items.set(path, [path]);
  }
  yield* dropCovered(items);
  for (const [folder, inside] of yield* groupAt(items, parentOf)) {
    yield;
    if (inside.length >= options.folderFrom) lift(items, folder, inside, options);
  }
  for (let depth = DEEPEST; items.size > options.maxItems && depth > 1; depth--) {
    for (const [folder, inside] of yield* groupAt(items, (item) => ancestor(item, depth))) {
      yield;
      lift(items, folder, inside, options);
    }
  }
  yield* dropCovered(items);
  return { items, tooWide, nameless };
}

/** Returns true if an item can name exactly this path, which then contains no `*`, `[` and the like. */
function isNameable(path: string, kind: PathOptions["kind"]): boolean {
  return checkItem(kind, path) === undefined && !/[*?[\]{}]/.test(path);
}

/** Paths that are never proposed: the root, and folders that contain the workspace, the plugin or the home folder. */
function isEverything(path: string, { workspace, plugin, home }: PermissionBases): boolean {
  if (path === "/" || (home !== undefined && isAtOrBelow(home, path))) return true;
  return [workspace, plugin].some((folder) => folder !== undefined && isBelow(folder, path));
}

/** Folders are merged only below a meaningful place: not into a token's own folder, nor near the root. */
function mayLift(folder: string, { bases, isWithin }: PathOptions): boolean {
  const { base: _base, ...tokens } = bases;
  if (isEverything(folder, bases) || Object.values(tokens).includes(folder)) return false;
  return depthOf(folder) > 2 && isWithin(folder);
}

function lift(items: Map<string, string[]>, folder: string, inside: readonly string[], options: PathOptions): void {
  if (!mayLift(folder, options)) return;
  const stoodFor = inside.flatMap((item) => items.get(item) ?? []);
  for (const item of inside) items.delete(item);
  items.set(folder, [...(items.get(folder) ?? []), ...stoodFor]);
}

/** Groups the items by folder, deepest folders first. */
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

/** Returns the ancestor at this depth; undefined if the path is not deeper. */
function ancestor(path: string, depth: number): string | undefined {
  const names = path.split("/");
  return names.length - 1 > depth ? names.slice(0, depth + 1).join("/") : undefined;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** Removes items that lie below another one. */
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
