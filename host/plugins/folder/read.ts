/** Reads one plugin folder completely and consistently: the manifest and every file that the plugin can load (SPEC M11). */

import type { Problem } from "../../../manifests/mod.ts";
import { FileError, type Files, type Platform } from "../../platform/platform.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { findFolder, type FoundFolder, pathOf, type Place } from "./discover.ts";
import { checkSignature, MAX_SIGNATURE_BYTES, type PluginSignature } from "./signature.ts";
import { checkVendored } from "./vendored.ts";
import { createOwnFileReader, type OwnFileReader } from "./own-file.ts";
import { folderError, quote } from "./problems.ts";
import { FOLDER_BOUNDS, type FolderFile, MANIFEST_FILE, unreadable, type Walk, walkFolder } from "./walk.ts";

/** A folder's bytes at one moment. */
export interface FolderSnapshot {
  readonly kind: "read";
  readonly signature: string;
  /** `device:inode` of the folder. */
  readonly identity: string;
  /** Real path of the target, if the place is a link. */
  readonly linkTarget?: string;
  /** Real path of the folder. */
  readonly directory: string;
  readonly digest: string;
  /** Absent if the plugin is unsigned. */
  readonly signedBy?: PluginSignature;
  /** By "/"-separated path relative to the folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Total size of all files. */
  readonly bytes: number;
  readonly newestMs: number;
  /** Entries that were left out, and why. */
  readonly warnings: readonly Problem[];
}

/** The contents of a place. */
export type FolderState =
  | FolderSnapshot
  | { readonly kind: "gone"; readonly signature: string }
  | { readonly kind: "ignored"; readonly signature: string; readonly reason: string }
  | { readonly kind: "refused"; readonly signature: string; readonly problems: readonly Problem[] };

/** `changing`: the folder was written to while it was read, so the result is not known yet. */
export type FolderRead = FolderState | { readonly kind: "changing" };

/** Access to a folder: listing, and reading with checked paths. */
type FolderAccess = Pick<Platform, "files" | "guarded">;

/**
 * Reads the folder between two looks at it. Returns `changing` unless both are equal, so a snapshot never mixes two states of the folder.
 *
 * @param options `unsigned`: ignores a signature file
 */
export async function readFolder(
  { files, guarded }: FolderAccess,
  place: Place,
  options: { readonly unsigned?: boolean } = {},
): Promise<FolderRead> {
  const { found, walk: before } = await lookAt(files, place);
  if (before.kind !== "found") return toState(found, before);

  const contents = new Map<string, Uint8Array>();
  const read = createOwnFileReader(guarded, before.directory);
  const plain = readPlain(files, before.files);
  for (const [index, file] of before.files.entries()) {
    const bytes = plain[index] ?? (await readFile(read, file));
    if (bytes === "changing") return { kind: "changing" };
    if ("severity" in bytes) return { kind: "refused", signature: before.signature, problems: [bytes] };
    contents.set(file.path, bytes);
  }
  const { signatureFile } = options.unsigned === true ? {} : before;
  const signatureBytes = signatureFile && (await readFile(read, signatureFile, MAX_SIGNATURE_BYTES));

  const { walk: after } = await lookAt(files, place);
  if (after.kind !== "found" || after.strict !== before.strict) return { kind: "changing" };

  const { signature, identity, directory, newestMs, warnings } = before;
  const problems = await checkVendored(contents);
  if (problems.length > 0) return { kind: "refused", signature, problems };
  const bytes = before.files.reduce((total, file) => total + file.size, 0);
  const linkTarget = found?.linkTarget === undefined ? {} : { linkTarget: found.linkTarget };
  const digest = await digestFiles(contents);
  const signedBy = await signerOf(signatureBytes, digest);
  if (signedBy === "changing") return { kind: "changing" };
  if (signedBy !== undefined && "severity" in signedBy) return { kind: "refused", signature, problems: [signedBy] };
  const signed = signedBy === undefined ? {} : { signedBy };
  return { kind: "read", signature, identity, ...linkTarget, directory, digest, ...signed, files: contents, bytes, newestMs, warnings };
}

/** In a brief process, reads the plain files at once: those that lie exactly where the walk found them. */
function readPlain(files: Files, found: readonly FolderFile[]): readonly (Uint8Array | undefined)[] {
  if (!files.isBrief) return [];
  const { totalBytes } = FOLDER_BOUNDS;
  const paths = found.map(({ realPath }) => realPath);
  const read = files.readPlain(paths, { fileBytes: totalBytes, totalBytes });
  return read.map((bytes, index) => (bytes?.length === found[index]?.size ? bytes : undefined));
}

async function signerOf(
  bytes: Uint8Array | Problem | "changing" | undefined,
  digest: string,
): Promise<PluginSignature | Problem | "changing" | undefined> {
  return bytes instanceof Uint8Array ? await checkSignature(bytes, digest) : bytes;
}

/** The facts that are compared to notice a change. */
export interface FolderSign {
  readonly signature: string;
  /** Modification time of the newest file, in milliseconds since the epoch; absent without a plugin. */
  readonly newestMs?: number;
}

/** Looks without reading. Returns undefined while the folder is changing. */
export async function signFolder(files: Files, place: Place): Promise<FolderSign | undefined> {
  const { found, walk } = await lookAt(files, place);
  if (walk.kind === "found") return { signature: walk.signature, newestMs: walk.newestMs };
  const state = toState(found, walk);
  return state.kind === "changing" ? undefined : { signature: state.signature };
}

interface Look {
  readonly found?: FoundFolder;
  readonly walk: Walk;
}

async function lookAt(files: Files, place: Place): Promise<Look> {
  try {
    const found = await findFolder(files, place);
    if (found === undefined) return { walk: { kind: "gone", signature: "gone" } };
    if (found.ignored !== undefined) return { found, walk: { kind: "no_manifest", signature: `ignored ${found.ignored}` } };
    return { found, walk: await walkFolder(files, pathOf(place)) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    // Out of file descriptors, or something was removed: retry. An unreadable folder counts as gone.
    const isPassing = error.code === "busy" || error.code === "not_found";
    return { walk: isPassing ? { kind: "changing" } : { kind: "gone", signature: "gone" } };
  }
}

function toState(found: FoundFolder | undefined, walk: Exclude<Walk, { readonly kind: "found" }>): Exclude<FolderRead, FolderSnapshot> {
  if (walk.kind !== "no_manifest") return walk;
  const reason = found?.ignored ?? `No ${MANIFEST_FILE} at its root (subfolders are not searched)`;
  return { kind: "ignored", signature: walk.signature, reason };
}

async function readFile(
  read: OwnFileReader,
  file: FolderFile,
  maxBytes: number = FOLDER_BOUNDS.totalBytes,
): Promise<Uint8Array | Problem | "changing"> {
  try {
    const bytes = await read(file.realPath, maxBytes);
    return bytes.length === file.size ? bytes : "changing";
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === "too_large" && file.size > maxBytes)
      return folderError(`${quote(file.path)} is larger than ${maxBytes} bytes`, "delete it");
    // The file was regular and inside the folder a moment ago. Only a permission error is permanent.
    return error.code === "permission_denied" || error.code === "other" ? unreadable(file.path, error) : "changing";
  }
}
