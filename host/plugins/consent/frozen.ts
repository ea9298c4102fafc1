/** Compares a plugin with `bascule.lock`, file by file (SPEC H7). */

import type { Problem } from "../../../manifests/mod.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { folderError, quote } from "../folder/problems.ts";
import { MANIFEST_FILE } from "../folder/walk.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { ConsentChange } from "./change.ts";
import type { LockEntry } from "./lock-text.ts";
import type { Declared } from "./declared.ts";

/** Returns the SHA-256 of each file. */
export async function hashFiles(files: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const [path, bytes] of files) hashes.set(path, await sha256Hex(new Uint8Array(bytes)));
  return hashes;
}

/** Lists changed, added and removed files. */
export async function changedFiles(entry: Pick<LockEntry, "files">, files: PluginVersion["files"]): Promise<readonly FileChange[]> {
  const now = await hashFiles(files);
  const paths = [...new Set([...entry.files.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path): readonly FileChange[] => {
    if (!entry.files.has(path)) return [{ kind: "file", path, change: "added" }];
    if (!now.has(path)) return [{ kind: "file", path, change: "removed" }];
    return entry.files.get(path) === now.get(path) ? [] : [{ kind: "file", path, change: "changed" }];
  });
}

/**
 * Returns the accepted declaration of an entry. An older lock lacks `about`; it is filled in if the manifest file is unchanged.
 *
 * @param now declaration of the version
 */
export async function completed(
  { declared: declaration, files }: Pick<LockEntry, "declared"> & Partial<Pick<LockEntry, "files">>,
  version: PluginVersion,
  now: Declared,
): Promise<Declared> {
  const bytes = version.files.get(MANIFEST_FILE);
  if (declaration.about !== undefined || now.about === undefined || bytes === undefined) return declaration;
  const isSame = files?.get(MANIFEST_FILE) === (await sha256Hex(new Uint8Array(bytes)));
  return isSame ? { ...declaration, about: now.about } : declaration;
}

type FileChange = Extract<ConsentChange, { readonly kind: "file" }>;

/** Returns why a frozen host does not run this version; empty if it matches the lock. */
export async function frozenProblems(entry: LockEntry | undefined, version: PluginVersion): Promise<readonly Problem[]> {
  const { name, manifest, digest, files } = version;
  if (entry === undefined) return [folderError(`Plugin "${name}" is not in bascule.lock`, "start once without --frozen to lock it")];
  const signer = version.signedBy?.signer;
  if (entry.digest === digest && entry.signer === signer) return [];
  const said = [
    ...(entry.version === manifest.version ? [] : [`Version is ${quote(manifest.version)}, locked is ${quote(entry.version)}`]),
    ...(entry.signer === signer ? [] : [`Plugin is ${signerText(signer)}, locked is one ${signerText(entry.signer)}`]),
    ...(await changedFiles(entry, files)).map(({ path, change }) => `${quote(path)} ${FILE_TEXTS[change]}`),
  ];
  const fix = "restore the locked files, or start without --frozen and accept these";
  // A lock with inconsistent members is a difference as well.
  const lines = said.length === 0 ? ["The hash of the files differs from the locked one"] : said.slice(0, MAX_PROBLEMS);
  return lines.map((line) => folderError(`Differs from bascule.lock: ${line}`, fix));
}

const MAX_PROBLEMS = 50;

const FILE_TEXTS: Readonly<Record<FileChange["change"], string>> = {
  added: "is not in the lock",
  changed: "differs from the locked file",
  removed: "is locked but missing",
};

function signerText(signer: string | undefined): string {
  return signer === undefined ? "unsigned" : `signed by ${signer}`;
}
