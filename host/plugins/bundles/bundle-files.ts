/** Reads a bundle's files from its archive or a folder, and writes them to the folder where the host keeps them (SPEC M10). */

import { isBundleManifest } from "../../../manifests/mod.ts";
import { type ArchiveFile, checkEntryPath, checkPaths, latinText, type Unpack } from "../installing/archive-entry.ts";
import { PackageError } from "../installing/package-error.ts";
import { isZip, readZip } from "../installing/zip.ts";
import { FileError, type Files } from "../../platform/platform.ts";
import { FOLDER_BOUNDS, type FolderBounds } from "../folder/walk.ts";
import { quote } from "../folder/problems.ts";

/** All files of a bundle. None is left out, because the server decides what it loads. */
export interface BundleFiles {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths of executable files. */
  readonly executables: ReadonlySet<string>;
  /** True if the bundle has a signature. The host cannot verify it: it does not know the certificates. */
  readonly signed: boolean;
}

/** Larger than the bounds of plugins, because bundles contain their dependencies. */
export const BUNDLE_BOUNDS: FolderBounds = Object.freeze({
  ...FOLDER_BOUNDS,
  files: 20_000,
  entries: 30_000,
  totalBytes: 256 * 1024 * 1024,
  depth: 32,
});
const MAX_ARCHIVE_BYTES = 128 * 1024 * 1024;
export const BUNDLE_MANIFEST = "manifest.json";
/** Number of concurrent writes: each file is synced to the disk. */
const AT_ONCE = 8;

/** Returns true if the path has a bundle's extension, or is a folder or zip file with a bundle's manifest. @param path absolute */
export async function isBundle(files: Files, path: string): Promise<boolean> {
  if (/\.(?:mcpb|dxt)$/iu.test(path)) return true;
  try {
    const info = await files.stat(path);
    const manifest =
      info?.kind === "directory"
        ? await files.readBytes(`${path}/${BUNDLE_MANIFEST}`, MAX_MANIFEST_BYTES)
        : (await readBundle(files, path)).files.get(BUNDLE_MANIFEST);
    return manifest !== undefined && isBundleManifest(new TextDecoder().decode(manifest));
  } catch (error) {
    // Reading it as a plugin reports the error.
    if (error instanceof PackageError || error instanceof FileError) return false;
    throw error;
  }
}

const MAX_MANIFEST_BYTES = 1024 * 1024;

/**
 * @param path absolute, of a file or a folder
 * @param unpack reads the archive. Default: on this thread, for a command with one user
 * @throws {PackageError} if it does not contain valid files.
 */
export async function readBundle(files: Files, path: string, unpack: Unpack = unpackHere): Promise<BundleFiles> {
  try {
    const real = await files.realPath(path);
    if ((await files.stat(real))?.kind === "directory") return await readBundleFolder(files, real);
    return await readBundleArchive(await files.readBytes(real, MAX_ARCHIVE_BYTES), unpack);
  } catch (error) {
    if (error instanceof FileError) throw new PackageError(`Cannot read ${quote(path)}: ${error.code.replaceAll("_", " ")}`);
    throw error;
  }
}

const unpackHere: Unpack = async (bytes) => await Promise.resolve(readBundleEntries(bytes));

/** Reads an archive without its signature. @throws {PackageError} if it is not a valid zip file. */
export function readBundleEntries(archive: Uint8Array): readonly ArchiveFile[] {
  if (!isZip(archive)) throw new PackageError("Not a bundle: not a zip file");
  return readZip(archive, BUNDLE_BOUNDS);
}

async function readBundleArchive(bytes: Uint8Array, unpack: Unpack): Promise<BundleFiles> {
  const archive = withoutSignature(bytes);
  const entries = await unpack(archive);
  if (entries.length > BUNDLE_BOUNDS.files) throw new PackageError(`Holds more than ${BUNDLE_BOUNDS.files} files`);
  checkPaths(entries);
  return {
    files: new Map(entries.map((entry) => [entry.path, entry.bytes])),
    executables: new Set(entries.flatMap(({ path, executable }) => (executable === true ? [path] : []))),
    signed: archive.length < bytes.length,
  };
}

const SIGNATURE_START = "MCPB_SIG_V1";
const SIGNATURE_END = "MCPB_SIG_END";

/** Removes the signature that `mcpb sign` appends: a mark, a length of four bytes, that many bytes, a mark. */
function withoutSignature(bytes: Uint8Array): Uint8Array {
  const end = bytes.length - SIGNATURE_END.length;
  if (end < 0 || latinText(bytes, end, SIGNATURE_END.length) !== SIGNATURE_END) return bytes;
  const head = SIGNATURE_START.length + 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Searches from the end, and accepts only a length that spans exactly from mark to mark.
  for (let start = end - head; start >= 0 && end - start <= MAX_SIGNATURE_BYTES; start -= 1) {
    if (latinText(bytes, start, SIGNATURE_START.length) !== SIGNATURE_START) continue;
    if (view.getUint32(start + SIGNATURE_START.length, true) === end - start - head) return bytes.subarray(0, start);
  }
  return bytes;
}

const MAX_SIGNATURE_BYTES = 64 * 1024;

/** Accepts regular files and folders only. @throws {PackageError} @throws {FileError} */
export async function readBundleFolder(files: Files, folder: string): Promise<BundleFiles> {
  const found = new Map<string, Uint8Array>();
  const executables = new Set<string>();
  let entries = 0;
  let total = 0;
  const visit = async (prefix: string): Promise<void> => {
    for (const { name } of await files.list(`${folder}/${prefix}`)) {
      const path = checkEntryPath(`${prefix}${name}`, BUNDLE_BOUNDS);
      entries += 1;
      if (entries > BUNDLE_BOUNDS.entries) throw new PackageError(`Holds more than ${BUNDLE_BOUNDS.entries} files and folders`);
      const info = await files.lstat(`${folder}/${path}`);
      if (info?.kind === "directory") {
        await visit(`${path}/`);
        continue;
      }
      if (info?.kind !== "file") throw new PackageError(`${quote(path)} is neither a file nor a folder`);
      const bytes = await files.readBytes(`${folder}/${path}`, BUNDLE_BOUNDS.totalBytes - total);
      total += bytes.length;
      found.set(path, bytes);
      if ((info.mode & 0o111) !== 0) executables.add(path);
      if (found.size > BUNDLE_BOUNDS.files) throw new PackageError(`Holds more than ${BUNDLE_BOUNDS.files} files`);
    }
  };
  await visit("");
  checkPaths([...found.keys()].map((path) => ({ path })));
  return { files: found, executables, signed: false };
}

/** Replaces the folder. @param programs paths to make executable */
export async function writeBundle(
  files: Files,
  folder: string,
  bundle: Pick<BundleFiles, "files">,
  programs: ReadonlySet<string>,
): Promise<void> {
  const draft = `${folder}.new`;
  await files.remove(draft);
  for (const parent of new Set([...bundle.files.keys()].map((path) => `${draft}/${path}`.replace(/\/[^/]*$/u, ""))))
    await files.makeDirectory(parent);
  const rest = bundle.files.entries();
  const write = async (): Promise<void> => {
    for (const [path, bytes] of rest) await files.writeAtomic(`${draft}/${path}`, bytes, programs.has(path) ? 0o777 : 0o666);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  await files.remove(folder);
  await files.rename(draft, folder);
}
