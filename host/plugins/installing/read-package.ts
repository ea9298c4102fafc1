/** Reads a plugin's files from a folder, an archive or a repository into memory, within the bounds of a plugin's folder (SPEC I2). */

import type { PluginOrigin } from "../consent/lock-text.ts";
import { GitError } from "../../platform/processes/git-types.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { problemToText } from "../../../manifests/mod.ts";
import { FOLDER_BOUNDS } from "../folder/walk.ts";
import { readFolder } from "../folder/read.ts";
import { SIGNATURE_FILE } from "../folder/signature.ts";
import { quote } from "../folder/problems.ts";
import { type ArchiveFile, toPluginFiles } from "./archive-entry.ts";
import { PackageError } from "./package-error.ts";
import { MAX_TAR_BYTES } from "./read-archive.ts";
import type { Unpack } from "./archive-entry.ts";

/** Files by path, and the signature if there is one. */
export interface PackageFiles {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly signature?: Uint8Array;
  readonly origin: PluginOrigin;
}

const MAX_ARCHIVE_BYTES = 2 * FOLDER_BOUNDS.totalBytes;

/** Where a plugin can be installed from. */
type PackageSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string };

/**
 * Parses a path, or the URL of a repository: `https://…`, `ssh://…`, `git@host:path`, optionally followed by `#` and a branch or tag.
 *
 * @throws {PackageError} for other URLs.
 */
export function parseSource(text: string): PackageSource {
  const isScp = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:(?!\/\/)/u.test(text);
  if (!isScp && !/^[A-Za-z][A-Za-z0-9+.-]*::?/u.test(text)) return { kind: "path", path: text };
  const [url = "", ref, ...more] = text.split("#");
  const isLocal = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//u.test(url);
  if (!isScp && !isLocal && !/^(?:https|ssh):\/\/[^-]/u.test(url)) {
    throw new PackageError(`Cannot add a plugin from ${quote(text)} (give a folder, an archive, or a repository's https or ssh URL)`);
  }
  // Git, or the ssh that it starts, would read a leading dash as an option.
  if (/[\s\p{Cc}]/u.test(url) || /(?:@|\/\/|:)-/u.test(url)) throw new PackageError(`Not the URL of a repository: ${quote(text)}`);
  if (more.length > 0 || (ref !== undefined && !/^[A-Za-z0-9][\w./-]{0,200}$/u.test(ref)))
    throw new PackageError(`Not a branch or tag after "#": ${quote(text)}`);
  return { kind: "git", url, ...(ref !== undefined && { ref }) };
}

/** @param source with an absolute path, if it is a path. @throws {PackageError} */
export async function readPackage(
  platform: Pick<Platform, "files" | "guarded" | "git">,
  source: PackageSource,
  unpack: Unpack,
  signal: AbortSignal,
): Promise<PackageFiles> {
  if (source.kind === "git") return await fromRepository(platform, source, unpack, signal);
  try {
    const path = await platform.files.realPath(source.path);
    const info = await platform.files.stat(path);
    return info?.kind === "directory" ? await fromFolder(platform, path) : await fromArchive(platform, path, unpack);
  } catch (error) {
    if (error instanceof FileError) throw new PackageError(`Cannot read ${quote(source.path)}: ${error.code.replaceAll("_", " ")}`);
    throw error;
  }
}

async function fromRepository(
  { git }: Pick<Platform, "git">,
  source: Extract<PackageSource, { readonly kind: "git" }>,
  unpack: Unpack,
  signal: AbortSignal,
): Promise<PackageFiles> {
  const { url, ref } = source;
  try {
    const { commit, tar } = await git.fetch({ url, ...(ref !== undefined && { ref }), maxBytes: MAX_TAR_BYTES, signal });
    // With the branch or tag, so that `update` fetches the same one again.
    const from = `${withoutPassword(url)}${ref === undefined ? "" : `#${ref}`}`;
    return toPackage(await unpack(tar), { kind: "git", from, commit });
  } catch (error) {
    if (error instanceof GitError) throw new PackageError(`Cannot fetch ${quote(withoutPassword(url))}: ${withoutPassword(error.message)}`);
    throw error;
  }
}

/** Removes passwords from every URL in the text, because the lock is public. Over https the user name is often a token too. */
function withoutPassword(text: string): string {
  return text.replace(/(https?:\/\/)[^\s/]*@/gu, "$1").replace(/(ssh:\/\/[^\s/:@]*):[^\s/]*@/gu, "$1@");
}

async function fromFolder(platform: Pick<Platform, "files" | "guarded">, path: string): Promise<PackageFiles> {
  const slash = path.lastIndexOf("/");
  const state = await readFolder(platform, { root: path.slice(0, slash), rootIndex: 0, folder: path.slice(slash + 1) });
  if (state.kind === "refused") throw new PackageError(state.problems.map(problemToText).join("\n"));
  if (state.kind !== "read")
    throw new PackageError(`Not a plugin: ${quote(path)} has no manifest.json at its root (give the folder that holds one)`);
  const { files, signedBy } = state;
  return { files, ...(signedBy && { signature: new TextEncoder().encode(signedBy.text) }), origin: { kind: "folder" } };
}

async function fromArchive({ files }: Pick<Platform, "files">, path: string, unpack: Unpack): Promise<PackageFiles> {
  const bytes = await files.readBytes(path, MAX_ARCHIVE_BYTES);
  return toPackage(await unpack(bytes), { kind: "archive", from: path.slice(path.lastIndexOf("/") + 1) });
}

function toPackage(entries: readonly ArchiveFile[], origin: PluginOrigin): PackageFiles {
  const all = toPluginFiles(entries);
  const signature = all.get(SIGNATURE_FILE);
  const files = new Map([...all].filter(([path]) => path !== SIGNATURE_FILE));
  if (files.size > FOLDER_BOUNDS.files) throw new PackageError(`Holds more than ${FOLDER_BOUNDS.files} files`);
  return { files, ...(signature && { signature }), origin };
}
