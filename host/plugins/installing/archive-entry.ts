/** Entries of archives, and checks that their paths stay inside the folder on every file system. */

import { isBelow } from "../../../manifests/mod.ts";
import { FOLDER_BOUNDS, type FolderBounds, isIgnoredName } from "../folder/walk.ts";
import { quote } from "../folder/problems.ts";
import { PackageError } from "./package-error.ts";

/** A regular file of an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Set if the file was executable. */
  readonly executable?: true;
}

/** Selects the bounds: a bundle is a zip file, and may be larger than a plugin. */
export interface ArchiveRequest {
  readonly bytes: Uint8Array;
  readonly as: "plugin" | "bundle";
}

/** Returns every regular file of an archive. @throws {PackageError} */
export type Unpack = (bytes: Uint8Array) => Promise<readonly ArchiveFile[]>;

/** Maximum content of an archive. */
export type ArchiveBounds = Pick<FolderBounds, "entries" | "totalBytes" | "depth" | "nameLength">;

/** Counts while an archive is read, so that nothing beyond the bounds is kept in memory. */
interface ArchiveCount {
  /** Counts one file, folder or header. */
  entry(): void;
  /** Counts bytes of a file. @throws {PackageError} */
  bytes(count: number): void;
  /** Returns the bytes left. */
  left(): number;
}

export function createArchiveCount(bounds: ArchiveBounds = FOLDER_BOUNDS): ArchiveCount {
  let entries = 0;
  let total = 0;
  return {
    entry() {
      entries += 1;
      if (entries > bounds.entries) throw new PackageError(`Holds more than ${bounds.entries} files and folders`);
    },
    bytes(count) {
      total += count;
      if (total > bounds.totalBytes) throw new PackageError(`Holds more than ${bounds.totalBytes / 1024 / 1024} MiB`);
    },
    left: () => bounds.totalBytes - total,
  };
}

/** Returns the path without a leading `./` and the trailing `/` of folders. @throws {PackageError} if the path is not safe. */
export function checkEntryPath(written: string, bounds: ArchiveBounds = FOLDER_BOUNDS): string {
  const path = written.replace(/^(?:\.\/)+/u, "").replace(/\/$/u, "");
  const refuse = (why: string): never => {
    throw new PackageError(`${quote(written)} ${why}`);
  };
  if (path === "" || path === ".") return "";
  if (/^[/\\]|^[A-Za-z]:/u.test(written)) refuse("is an absolute path");
  const steps = path.split("/");
  if (steps.includes("..")) refuse("leads out of the plugin's folder");
  if (steps.some((step) => step === "" || step === ".")) refuse("is a path with empty steps");
  // Same rule as in the reader of plugin folders (walk.ts), which would refuse the plugin afterwards.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\\\ufffd]/u.test(path)) refuse('has control, invisible or undecodable characters or a "\\" in its name');
  // NTFS drops trailing dots and spaces, and reads the text after a colon as a stream of the file.
  if (steps.some((step) => /[. ]$|:/u.test(step))) refuse("has a name that some systems change");
  if (steps.some((step) => step.length > bounds.nameLength)) refuse(`has a name of more than ${bounds.nameLength} characters`);
  // One level more, because many archives put everything into one folder.
  if (steps.length > bounds.depth + 1) refuse(`is nested more than ${bounds.depth} folders deep`);
  return path;
}

/**
 * Returns the files by path, without ignored names and without a single folder around all of them.
 *
 * @throws {PackageError} if paths collide.
 */
export function toPluginFiles(files: readonly ArchiveFile[]): ReadonlyMap<string, Uint8Array> {
  checkPaths(files);
  const wrapper = files.some(({ path }) => !path.includes("/")) ? undefined : sharedFolder(files);
  const inside = files.map(({ path, bytes }) => [wrapper === undefined ? path : path.slice(wrapper.length + 1), bytes] as const);
  return new Map(inside.filter(([path]) => !path.split("/").some(isIgnoredName)));
}

/**
 * @throws {PackageError} if two paths are equal on a file system that ignores case or Unicode composition, or a path is both a file and a
 * folder.
 */
export function checkPaths(files: readonly Pick<ArchiveFile, "path">[]): void {
  const byKey = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const { path } of files) {
    const key = foldedPath(path);
    const other = byKey.get(key);
    if (other !== undefined) throw new PackageError(`${quote(path)} and ${quote(other)} are one file on some systems`);
    byKey.set(key, path);
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const folder = path.slice(0, slash);
      const same = folders.get(foldedPath(folder));
      if (same !== undefined && same !== folder)
        throw new PackageError(`${quote(folder)} and ${quote(same)} are one folder on some systems`);
      folders.set(foldedPath(folder), folder);
    }
  }
  for (const [key, path] of byKey) if (folders.has(key)) throw new PackageError(`${quote(path)} is a file and a folder`);
}

function sharedFolder(files: readonly ArchiveFile[]): string | undefined {
  const [first] = new Set(files.map(({ path }) => path.slice(0, path.indexOf("/"))));
  return first !== undefined && files.every(({ path }) => isBelow(path, first)) ? first : undefined;
}

function foldedPath(path: string): string {
  return path.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");
}

/** @throws {PackageError} if the name is not UTF-8. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PackageError("Contains a name that is not UTF-8");
  }
}

/** Maps each byte to one character. */
export function latinText(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
