/** Names that a plugin's code imports from a package, because CommonJS packages do not declare their exports. */

const CODE = /\.m?[jt]s$/;

/**
 * Returns the names in `import { a, b as c } from "name"` and `export { d } from "name"`, sorted. May include names of types, which is
 * harmless.
 */
export function importedNames(sources: ReadonlyMap<string, Uint8Array>, name: string): readonly string[] {
  const names = new Set<string>();
  for (const [path, bytes] of sources) {
    if (!CODE.test(path) || path.startsWith("vendor/")) continue;
    for (const [, list = "", from] of new TextDecoder().decode(bytes).matchAll(LIST)) if (from === name) addAll(names, list);
  }
  return [...names].toSorted();
}

const LIST = /\{([^{}]{0,4000})\}\s*from\s*["']([^"'\n]{1,200})["']/g;

function addAll(names: Set<string>, list: string): void {
  for (const item of list.split(",")) {
    const imported = /^\s*(?:type\s+)?([A-Za-z_$][\w$]*)(?:\s+as\s+[\w$]+)?\s*$/.exec(item)?.[1];
    if (imported !== undefined && imported !== "default") names.add(imported);
  }
}
