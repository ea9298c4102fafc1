/** Reads a plugin's own code, whatever the state of its `vendor/`. */

import type { Platform } from "../../platform/platform.ts";
import { createOwnFileReader } from "../folder/own-file.ts";
import { FOLDER_BOUNDS, walkFolder } from "../folder/walk.ts";

/** Returns code files by path; empty if the folder cannot be read. @param directory real path of the plugin's folder. */
export async function readSources(
  platform: Pick<Platform, "files" | "guarded">,
  directory: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const walk = await walkFolder(platform.files, directory);
  const sources = new Map<string, Uint8Array>();
  if (walk.kind !== "found") return sources;
  const read = createOwnFileReader(platform.guarded, directory);
  for (const { path, realPath } of walk.files) {
    if (/\.m?[jt]s$/.test(path) && !path.startsWith("vendor/")) sources.set(path, await read(realPath, FOLDER_BOUNDS.totalBytes));
  }
  return sources;
}
