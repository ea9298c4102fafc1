/**
 * What a plugin's code may import by name (SPEC B7): `imports` of its manifest, as in deno.json, and where they name a
 * package, the file that `vendor/vendor.json` has for it.
 *
 * Both are read from the plugin's own bytes, which the host has checked: an image depends on them and on nothing else.
 */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";

/** Where `imports` and the vendored packages are written. */
const MANIFEST_FILE = "manifest.json";
export const VENDOR_FILE = "vendor/vendor.json";

/** What a name in an import leads to. */
export type ImportTarget =
  /** Relative to the plugin's folder. */
  | { readonly kind: "file"; readonly file: string }
  /** A package that `imports` names and nobody vendored. */
  | { readonly kind: "not_vendored"; readonly package: string };

/** Names that are no paths, to files. */
export interface ImportMap {
  /** Exact names first, then the longest name that ends in "/"; undefined if there is none. */
  find(specifier: string): ImportTarget | undefined;
  /** The same as data, for `import.meta.resolve`: longest names first. */
  readonly entries: readonly (readonly [name: string, file: string])[];
}

/** The import map of a plugin. Whatever is not as it should be counts as absent: the host refuses such plugins. */
export function readImportMap(files: ReadonlyMap<string, Uint8Array>): ImportMap {
  const imports = importsIn(files.get(MANIFEST_FILE));
  const vendored = importsIn(files.get(VENDOR_FILE));
  // The longest name wins among those that end in "/", and an exact name before all of them.
  const names = [...imports.keys()].toSorted((a, b) => b.length - a.length);

  function find(specifier: string): ImportTarget | undefined {
    const exact = imports.get(specifier);
    if (exact !== undefined) return toTarget(exact);
    const prefix = names.find((name) => name.endsWith("/") && specifier.startsWith(name));
    const base = prefix === undefined ? undefined : imports.get(prefix);
    return prefix === undefined || base === undefined ? undefined : toTarget(base + specifier.slice(prefix.length));
  }

  function toTarget(written: string): ImportTarget {
    const path = written.startsWith("./") ? written : vendored.get(written);
    return path === undefined ? { kind: "not_vendored", package: written } : { kind: "file", file: path.replace(/^\.\//, "") };
  }

  return {
    find,
    entries: names.flatMap((name) => {
      const target = toTarget(imports.get(name) ?? "");
      return target.kind === "file" ? [[name, target.file] as const] : [];
    }),
  };
}

function importsIn(bytes: Uint8Array | undefined): ReadonlyMap<string, string> {
  if (bytes === undefined) return new Map();
  const document = parse(new TextDecoder().decode(bytes));
  const imports = isJsonObject(document) ? document["imports"] : undefined;
  if (!isJsonObject(imports)) return new Map();
  return new Map(Object.entries(imports).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function parse(text: string): JsonValue | undefined {
  try {
    // What JSON.parse answers is JSON.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
