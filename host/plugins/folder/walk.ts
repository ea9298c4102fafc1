/**
 * Lists the contents of one plugin folder within bounds, without reading them.
 *
 * The `signature` of the result is equal exactly when nothing relevant has changed. The reconcile scan and the wait for half-written files
 * compare it.
 */

import { type Problem, isAtOrBelow } from "../../../manifests/mod.ts";
import { unlessMissing } from "../../platform/or-undefined.ts";
import { type FileInfo, FileError, type Files } from "../../platform/platform.ts";
import { compareText } from "../../primitives/digest.ts";
import { folderError, folderWarning, quote } from "./problems.ts";
import { SIGNATURE_FILE } from "./signature.ts";

/** Maximum contents of a plugin folder. */
export interface FolderBounds {
  readonly files: number;
  /** Files, folders and links together, so that a tree of folders alone is bounded too. */
  readonly entries: number;
  readonly totalBytes: number;
  /** Nested folders, including the plugin's own. */
  readonly depth: number;
  readonly nameLength: number;
  /** Maximum number of problems listed. */
  readonly problems: number;
}

/** The bounds in force. */
export const FOLDER_BOUNDS: FolderBounds = Object.freeze({
  files: 2_000,
  entries: 6_000,
  totalBytes: 32 * 1024 * 1024,
  depth: 16,
  nameLength: 255,
  problems: 50,
});

/** One file that the plugin can load. */
export interface FolderFile {
  /** "/"-separated, relative to the plugin's folder. */
  readonly path: string;
  /** Absolute path without links at the time of listing. */
  readonly realPath: string;
  readonly size: number;
}

/** The contents of a folder at one moment. */
export type Walk =
  /** The directory does not exist. */
  | { readonly kind: "gone"; readonly signature: string }
  | { readonly kind: "no_manifest"; readonly signature: string }
  /** Something was removed while it was listed. */
  | { readonly kind: "changing" }
  | { readonly kind: "refused"; readonly signature: string; readonly problems: readonly Problem[] }
  | {
      readonly kind: "found";
      readonly signature: string;
      /** The signature plus every folder's modification time: if equal before and after reading, nothing was moved in between. */
      readonly strict: string;
      /** Real path of the folder. */
      readonly directory: string;
      /** `device:inode` of the folder itself: another value means that it was swapped. */
      readonly identity: string;
      readonly files: readonly FolderFile[];
      /** Not in `files`: a signature over the hash cannot be part of the hash (SPEC M12). */
      readonly signatureFile?: FolderFile;
      /** Modification time of the newest file, in milliseconds since the epoch. */
      readonly newestMs: number;
      /** Entries that were left out, and why. */
      readonly warnings: readonly Problem[];
    };

/** The manifest's exact name, at the folder's root (SPEC M1). */
export const MANIFEST_FILE = "manifest.json";

/** @returns the folder's contents; never rejects because of them */
export async function walkFolder(files: Files, directory: string): Promise<Walk> {
  try {
    const folder = await files.stat(directory);
    if (folder?.kind !== "directory") return { kind: "gone", signature: "gone" };
    const manifest = await files.lstat(`${directory}/${MANIFEST_FILE}`);
    if (manifest === undefined) return { kind: "no_manifest", signature: `no manifest ${identityOf(folder)}` };
    return await walkPlugin(files, await files.realPath(directory), folder);
  } catch (error) {
    return refusedBy(error, directory);
  }
}

/**
 * Returns true for names that editors and tools leave behind, and for declaration files. They are not read, so nothing can load them, and
 * they do not count (SPEC M11).
 */
export function isIgnoredName(name: string): boolean {
  // On case-insensitive systems `.GIT` is `.git`, whose settings can name programs.
  return IGNORED_NAMES.has(name.toLowerCase()) || IGNORED_PATTERN.test(name) || DECLARATIONS.test(name);
}

const IGNORED_NAMES: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".bascule", ".ds_store", "thumbs.db", "4913"]);

/** `main.ts~`, `.main.ts.swp`, `.#main.ts`, `#main.ts#`, `main.ts___jb_tmp___`, `.goutputstream-…`, `main.ts.tmp`. */
const IGNORED_PATTERN = /~$|^\..*\.sw[a-z]$|^\.?#|___jb_(?:tmp|old)___$|^\.goutputstream-|\.(?:tmp|crswap)$/;

/** They hold no code: regenerated types must not look like a change of the plugin (SPEC M8). */
const DECLARATIONS = /\.d\.[cm]?ts$/;

interface Visit {
  readonly files: Files;
  readonly root: string;
  readonly found: FolderFile[];
  readonly lines: string[];
  readonly folderTimes: number[];
  readonly problems: Problem[];
  readonly warnings: Problem[];
  signatureFile?: FolderFile;
  entries: number;
  totalBytes: number;
  newestMs: number;
}

/** Ends a walk at a bound; the rest is not listed. */
class BoundReached extends Error {}

async function walkPlugin(files: Files, root: string, folder: FileInfo): Promise<Walk> {
  const identity = identityOf(folder);
  const visit: Visit = {
    ...{ files, root, found: [], lines: [`${root}\0${identity}`], folderTimes: [folder.modifiedMs] },
    ...{ problems: [], warnings: [], entries: 0, totalBytes: 0, newestMs: 0 },
  };
  try {
    await visitDirectory(visit, "", [root]);
  } catch (error) {
    if (!(error instanceof BoundReached)) throw error;
  }
  const signature = visit.lines.join("\n");
  if (visit.problems.length === 0 && !visit.found.some((file) => file.path === MANIFEST_FILE)) {
    visit.problems.push(folderError(`"${MANIFEST_FILE}" is not a regular file`, "make it a file that holds the manifest"));
  }
  if (visit.problems.length > 0) return { kind: "refused", signature, problems: visit.problems };
  const { found, newestMs, warnings, signatureFile } = visit;
  const strict = `${signature}\n${visit.folderTimes.join(" ")}`;
  return {
    kind: "found",
    signature,
    strict,
    directory: root,
    identity,
    files: found,
    ...(signatureFile && { signatureFile }),
    newestMs,
    warnings,
  };
}

/** @param trail real paths of the folders from the plugin's down to this one, to detect links that lead back up */
async function visitDirectory(visit: Visit, prefix: string, trail: readonly string[]): Promise<void> {
  const directory = trail.at(-1) ?? visit.root;
  const entries = await visit.files.list(directory);
  for (const { name } of entries.toSorted((a, b) => compareText(a.name, b.name))) {
    const path = prefix + name;
    if (isIgnoredName(name)) continue;
    visit.entries += 1;
    if (visit.entries > FOLDER_BOUNDS.entries) refuseAll(visit, `Holds more than ${FOLDER_BOUNDS.entries} files and folders`);
    if (!checkName(visit, name, path)) continue;
    await visitEntry(visit, `${directory}/${name}`, path, trail);
  }
}

async function visitEntry(visit: Visit, absolute: string, path: string, trail: readonly string[]): Promise<void> {
  const info = await visit.files.lstat(absolute);
  if (info === undefined) throw new FileError("not_found", "Went away while its folder was listed");
  visit.lines.push(describe(path, info));
  if (path === SIGNATURE_FILE) return noteSignature(visit, absolute, info);
  if (info.kind === "symlink") return visitLink(visit, absolute, path, trail);
  if (info.kind === "directory") return enter(visit, path, info, [...trail, absolute]);
  if (info.kind === "file") return addFile(visit, path, absolute, info);
  warn(visit, `Left out ${quote(path)}: neither a regular file nor a folder`, "put a regular file in its place, or remove it");
}

function noteSignature(visit: Visit, absolute: string, info: FileInfo): void {
  if (info.kind !== "file")
    return refuse(visit, folderError(`"${SIGNATURE_FILE}" is not a regular file`, "delete it, or sign the plugin again"));
  visit.signatureFile = { path: SIGNATURE_FILE, realPath: absolute, size: info.size };
  visit.newestMs = Math.max(visit.newestMs, info.modifiedMs);
}

/** Treats a link as its target, if that is inside the plugin's folder. */
async function visitLink(visit: Visit, absolute: string, path: string, trail: readonly string[]): Promise<void> {
  // A dangling link and a loop of links lead nowhere.
  const target = await visit.files.realPath(absolute).catch(unlessMissing(undefined, ["not_found", "symlink_loop", "not_a_directory"]));
  visit.lines.push(`${path}\0${target ?? "nowhere"}`);
  if (target === undefined) return warn(visit, `Left out ${quote(path)}: its link target does not exist`, "remove the link");
  if (!isAtOrBelow(target, visit.root)) {
    return refuse(visit, folderError(`${quote(path)} is a link that leaves the plugin's folder`, "copy what it links to into the folder"));
  }
  const info = await visit.files.stat(target);
  if (info === undefined) throw new FileError("not_found", "Went away while its folder was listed");
  visit.lines.push(describe(path, info));
  if (info.kind === "file") return addFile(visit, path, target, info);
  if (info.kind !== "directory")
    return warn(visit, `Left out ${quote(path)}: neither a regular file nor a folder`, "put a regular file in its place, or remove it");
  if (trail.includes(target)) return warn(visit, `Left out ${quote(path)}: its link leads to a folder that contains it`, "remove the link");
  return enter(visit, path, info, [...trail, target]);
}

/** @param trail ends with the folder to enter */
async function enter(visit: Visit, path: string, info: FileInfo, trail: readonly string[]): Promise<void> {
  visit.folderTimes.push(info.modifiedMs);
  if (trail.length > FOLDER_BOUNDS.depth) {
    return refuse(visit, folderError(`${quote(path)} is nested more than ${FOLDER_BOUNDS.depth} folders deep`, "move it up"));
  }
  return visitDirectory(visit, `${path}/`, trail);
}

function addFile(visit: Visit, path: string, realPath: string, info: FileInfo): void {
  visit.found.push({ path, realPath, size: info.size });
  visit.totalBytes += info.size;
  visit.newestMs = Math.max(visit.newestMs, info.modifiedMs);
  if (visit.found.length > FOLDER_BOUNDS.files) refuseAll(visit, `Holds more than ${FOLDER_BOUNDS.files} files`);
  if (visit.totalBytes > FOLDER_BOUNDS.totalBytes) refuseAll(visit, `Holds more than ${FOLDER_BOUNDS.totalBytes / 1024 / 1024} MiB`);
}

function checkName(visit: Visit, name: string, path: string): boolean {
  // U+FFFD replaces invalid UTF-8: such a file could not be found again by its name.
  const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\\\ufffd]/u.test(name);
  if (odd) refuse(visit, folderError(`${quote(path)} has control, invisible or undecodable characters or a "\\" in its name`, "rename it"));
  const long = name.length > FOLDER_BOUNDS.nameLength;
  if (long) refuse(visit, folderError(`${quote(path)} has a name of more than ${FOLDER_BOUNDS.nameLength} characters`, "shorten it"));
  return !odd && !long;
}

function refuse(visit: Visit, problem: Problem): void {
  visit.problems.push(problem);
  if (visit.problems.length >= FOLDER_BOUNDS.problems) throw new BoundReached();
}

function refuseAll(visit: Visit, message: string): never {
  visit.problems.push(folderError(message, "move unneeded files out of the plugin's folder"));
  throw new BoundReached();
}

function warn(visit: Visit, message: string, fix: string): void {
  if (visit.warnings.length < FOLDER_BOUNDS.problems) visit.warnings.push(folderWarning(message, fix));
}

/** Omits a folder's own time: editors touch it with temporary files that do not count. */
function describe(path: string, info: FileInfo): string {
  const time = info.kind === "directory" ? "" : `${info.size}:${info.modifiedMs}`;
  return `${path}\0${info.kind}\0${identityOf(info)}\0${time}`;
}

function identityOf(info: FileInfo): string {
  return `${info.device}:${info.inode}`;
}

function refusedBy(error: unknown, directory: string): Walk {
  if (!(error instanceof FileError)) throw error;
  if (error.code === "not_found" || error.code === "not_a_directory" || error.code === "busy") return { kind: "changing" };
  return { kind: "refused", signature: `unreadable ${error.code}`, problems: [unreadable(directory, error)] };
}

/** The problem of an entry that could not be read. */
export function unreadable(path: string, error: FileError): Problem {
  return folderError(`Cannot read ${quote(path)}: ${error.code.replaceAll("_", " ")}`, "make it readable for the user who runs bascule");
}
