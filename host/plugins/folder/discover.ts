/** Finds possible plugins: the direct children of the plugin roots (SPEC M1, H1). */

import { isAtOrBelow } from "../../../manifests/mod.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import { FileError, type FileKind, type Files } from "../../platform/platform.ts";
import { compareText } from "../../primitives/digest.ts";
import { quote } from "./problems.ts";
import { isIgnoredName } from "./walk.ts";

/** Maximum folders of one root; the rest is ignored. */
export const MAX_FOLDERS = 4_096;

/** A possible plugin: a name in a root. */
export interface Place {
  /** Absolute path of the plugin root. */
  readonly root: string;
  /** Position of the root, which decides between equal names. */
  readonly rootIndex: number;
  readonly folder: string;
}

/** A direct child of a plugin root that is a directory or a link to one. */
export interface FoundFolder {
  readonly place: Place;
  /** Why it cannot be a plugin; absent if its contents decide. */
  readonly ignored?: string;
  /** Real path of the target, if it is a link. */
  readonly linkTarget?: string;
}

/** The present location of a root. */
interface FoundRoot {
  /** `device:inode`. */
  readonly identity: string;
  /** Differs from the root's own path if that is a link. */
  readonly realPath: string;
}

/** The present contents of the roots. */
export interface Discovery {
  /** By root, then by name. */
  readonly folders: readonly FoundFolder[];
  /** Existing roots, by path. */
  readonly roots: ReadonlyMap<string, FoundRoot>;
  /** Every link on the way to roots and plugins: changing one changes which code runs. */
  readonly links: readonly string[];
  /** Roots that could not be read, one line each. */
  readonly notices: readonly string[];
}

/** Returns the absolute path of a place. */
export function pathOf(place: Place): string {
  return `${place.root}/${place.folder}`;
}

/** Returns the place for a path, if it is a direct child of a root. */
export function placeOf(roots: readonly string[], path: string): Place | undefined {
  const slash = path.lastIndexOf("/");
  const rootIndex = roots.indexOf(path.slice(0, slash));
  const root = roots[rootIndex];
  return root === undefined ? undefined : { root, rootIndex, folder: path.slice(slash + 1) };
}

/**
 * Lists every root's direct children, without opening anything. Nested manifests are not searched.
 *
 * @param roots absolute paths; a root that is named twice, also through a link, is read once
 */
export async function discover(files: Files, roots: readonly string[]): Promise<Discovery> {
  const folders: FoundFolder[] = [];
  const found = new Map<string, FoundRoot>();
  const notices: string[] = [];
  for (const [rootIndex, root] of roots.entries()) {
    try {
      const identity = await identify(files, root, notices);
      if (identity === undefined || [...found.values()].some((other) => other.identity === identity)) continue;
      folders.push(...(await listRoot(files, root, rootIndex, notices)));
      found.set(root, { identity, realPath: await files.realPath(root) });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const why = error.code.replaceAll("_", " ");
      notices.push(`Cannot read plugin root ${quote(root)}: ${why} (make it readable for the user who runs bascule)`);
    }
  }
  return { folders, roots: found, links: await linksTo(files, folders, found), notices };
}

async function linksTo(files: Files, folders: readonly FoundFolder[], roots: Discovery["roots"]): Promise<readonly string[]> {
  const linked = folders.flatMap(({ place, linkTarget }) => (linkTarget === undefined ? [] : [pathOf(place)]));
  const chains = await Promise.all([...roots.keys(), ...linked].map(async (path) => await files.linksOn(path)));
  return [...new Set(chains.flat())];
}

/** Looks at one place. Returns undefined if it is neither a directory nor a link to one. */
export async function findFolder(files: Files, place: Place): Promise<FoundFolder | undefined> {
  const info = await files.lstat(pathOf(place));
  if (info?.kind !== "directory" && info?.kind !== "symlink") return undefined;
  return describe(files, place, info.kind);
}

/** Returns `device:inode` of the folder at the root's path, or undefined if there is none or it cannot be read. */
export async function identityOfRoot(files: Pick<Files, "stat">, root: string): Promise<string | undefined> {
  const info = await orUndefined(files.stat(root));
  return info?.kind === "directory" ? `${info.device}:${info.inode}` : undefined;
}

async function identify(files: Files, root: string, notices: string[]): Promise<string | undefined> {
  const info = await files.stat(root);
  if (info?.kind === "directory") return `${info.device}:${info.inode}`;
  const problem =
    info === undefined
      ? 'does not exist (create it, or remove it from "plugins")'
      : "is not a folder (name the folder that holds the plugins)";
  notices.push(`Plugin root ${quote(root)} ${problem}`);
  return undefined;
}

async function listRoot(files: Files, root: string, rootIndex: number, notices: string[]): Promise<FoundFolder[]> {
  const entries = (await files.list(root)).filter((entry) => entry.kind === "directory" || entry.kind === "symlink");
  const sorted = entries.toSorted((a, b) => compareText(a.name, b.name));
  if (sorted.length > MAX_FOLDERS) {
    notices.push(`Plugin root ${quote(root)} holds ${sorted.length} folders: only the first ${MAX_FOLDERS} by name are used`);
  }
  const folders: FoundFolder[] = [];
  for (const { name, kind } of sorted.slice(0, MAX_FOLDERS)) {
    const found = await describe(files, { root, rootIndex, folder: name }, kind);
    if (found !== undefined) folders.push(found);
  }
  return folders;
}

async function describe(files: Files, place: Place, kind: FileKind): Promise<FoundFolder | undefined> {
  if (place.folder.startsWith(".") || isIgnoredName(place.folder)) return { place, ignored: "Hidden and temporary folders are ignored" };
  if (kind === "directory") return { place };

  const linkTarget = await orUndefined(files.realPath(pathOf(place)));
  if (linkTarget === undefined) return { place, ignored: "Its link target does not exist" };
  const info = await files.stat(linkTarget);
  if (info?.kind !== "directory") return undefined;
  // Such a plugin would contain itself and every other one.
  if (isAtOrBelow(await files.realPath(place.root), linkTarget)) {
    return { place, ignored: "Its link leads to a folder that contains the plugin root" };
  }
  return { place, linkTarget };
}
