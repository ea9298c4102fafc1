/** Finds the manifest's schema for editors, relative to a new plugin's folder. */

import { relativeBelow } from "../../../manifests/mod.ts";
import type { Files } from "../../platform/platform.ts";
import { parentOf } from "./paths.ts";

const SCHEMA = "manifests/manifest.schema.json";

/** Returns the relative path to this package's schema; undefined if the package is outside the project. */
export async function schemaFrom(files: Files, folder: string, root: string): Promise<string | undefined> {
  for (const base of [root, `${root}/node_modules/bascule`]) {
    const file = `${base}/${SCHEMA}`;
    if ((await files.stat(file))?.kind === "file") return relativePath(folder, file);
  }
  return undefined;
}

function relativePath(folder: string, file: string): string {
  let up = "";
  for (let from = folder; from !== "/"; from = parentOf(from)) {
    const below = relativeBelow(file, from);
    if (below !== undefined) return `${up}${below}`;
    up += "../";
  }
  return file;
}
