/** Source files of the repository, for tests that read code. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository, ending in a slash. */
export const REPOSITORY: string = fileURLToPath(new URL("../../", import.meta.url));

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns every `.ts` file below the folders, sorted by path, without declaration files and generated ones (`*.gen.ts`). */
export function sourceFiles(folders: readonly string[]): readonly SourceFile[] {
  const found: SourceFile[] = [];
  for (const folder of folders) {
    for (const entry of readdirSync(REPOSITORY + folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
      if (entry.name.endsWith(".d.ts") || entry.name.endsWith(".gen.ts")) continue;
      const path = `${entry.parentPath}/${entry.name}`.slice(REPOSITORY.length);
      found.push({ path, text: readFileSync(REPOSITORY + path, "utf8") });
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
