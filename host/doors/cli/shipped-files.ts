/** Files of this package that commands copy: plugins and templates. */

import { type Manifest, parseManifest, problemToText } from "../../../manifests/mod.ts";
import type { Files } from "../../platform/platform.ts";

/** Returns the paths of all files in a folder, relative to it. */
export async function pathsIn(files: Pick<Files, "list">, folder: string, below = ""): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { name, kind } of await files.list(`${folder}/${below}`)) {
    if (kind === "directory") paths.push(...(await pathsIn(files, folder, `${below}${name}/`)));
    else paths.push(`${below}${name}`);
  }
  return paths;
}

/** Reads the manifest of a plugin or template that ships. */
export function shippedManifest(text: string): Manifest {
  const parsed = parseManifest(text);
  if (!parsed.ok) throw new Error(`A shipped manifest is invalid: ${parsed.problems.map(problemToText).join("; ")}`);
  return parsed.value;
}
