/** Finds the files that a module needs, by patterns, which is accurate enough for test files. */

/** Names in `from "…"`, `import "…"` and `import("…")`. Matches in a text or a comment resolve to nothing. */
export function importsOf(code: string): readonly string[] {
  return [...code.matchAll(IMPORT)].map(([, name]) => name ?? "");
}

const IMPORT = /\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']/g;

/** Reads `starts` and all files they import. `resolve` returns the path of a name in a file, or undefined for other modules. */
export async function readClosure(
  starts: readonly string[],
  resolve: (name: string, from: string) => string | undefined,
  read: (path: string) => Promise<Uint8Array | undefined>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const bytes = await read(path);
    if (bytes === undefined) continue;
    found.set(path, bytes);
    if (!/\.m?[jt]s$/.test(path)) continue;
    for (const name of importsOf(new TextDecoder().decode(bytes))) {
      const target = resolve(name, path);
      if (target !== undefined) waiting.push(target);
    }
  }
  return found;
}
