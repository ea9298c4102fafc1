/** Finds exported symbols that no other file imports. */

import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";
import { type ExportedName, type SourceImport, scanSource } from "./source-scan.ts";

/**
 * Returns one line for each unused export.
 *
 * @param sources files whose exports must be imported
 * @param users further files that may import them
 * @param isFace true for files whose exports are for callers that the scan does not see
 */
export function unusedExports(
  sources: readonly SourceFile[],
  users: readonly SourceFile[],
  isFace: (path: string) => boolean,
): readonly string[] {
  const used = new Map<string, Set<string>>();
  const exported = new Map<string, readonly ExportedName[]>();
  for (const file of sources) exported.set(file.path, record(file).exports);
  for (const file of users) record(file);
  return sources.flatMap(({ path }) => {
    const names = used.get(path);
    if (isFace(path) || names?.has(EVERYTHING) === true) return [];
    const unused = (exported.get(path) ?? []).filter(({ name }) => names?.has(name) !== true);
    return unused.map(({ name, line }) => `${path}:${String(line)}: no other file imports "${name}" (remove \`export\`, or the symbol)`);
  });

  function record(file: SourceFile): ReturnType<typeof scanSource> {
    const scan = scanSource(file.text);
    for (const found of scan.imports) addUse(file.path, found);
    return scan;
  }

  function addUse(from: string, { specifier, names, takesAll }: SourceImport): void {
    if (!specifier.startsWith(".")) return;
    const target = posix.join(posix.dirname(from), specifier);
    const known = used.get(target) ?? new Set();
    for (const name of takesAll ? [EVERYTHING] : names) known.add(name);
    used.set(target, known);
  }
}

/** Stands for all names of a file, for `import * as` and `import()`. Not an identifier, so it equals no name. */
const EVERYTHING = "*";
