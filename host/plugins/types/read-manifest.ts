/** Reads only the manifest of a plugin folder. */

import { MANIFEST_BOUNDS, type Manifest, parseManifest, type Problem } from "../../../manifests/mod.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { decodeManifest } from "../folder/compile.ts";
import { createOwnFileReader } from "../folder/own-file.ts";
import { folderError } from "../folder/problems.ts";
import { unreadable } from "../folder/walk.ts";

/** A manifest, or its problems; undefined if the folder has none. */
export type ManifestRead =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: readonly Problem[] }
  | undefined;

const MANIFEST = "manifest.json";

/** @param directory real path of the folder; a manifest that is a link out of it is refused. */
export async function readManifest({ files, guarded }: Pick<Platform, "files" | "guarded">, directory: string): Promise<ManifestRead> {
  const path = `${directory}/${MANIFEST}`;
  if ((await files.lstat(path)) === undefined) return undefined;
  try {
    const bytes = await createOwnFileReader(guarded, directory)(path, MANIFEST_BOUNDS.maxBytes);
    const text = decodeManifest(bytes);
    if (text === undefined) return { ok: false, problems: [folderError(`"${MANIFEST}" is not UTF-8 text`, "save it as UTF-8")] };
    const parsed = parseManifest(text, {});
    return parsed.ok ? { ok: true, manifest: parsed.value } : parsed;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { ok: false, problems: [unreadable(path, error)] };
  }
}
