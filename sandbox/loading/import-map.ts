/**
 * Resolves the names that a plugin's code may import (SPEC B7): `imports` of its manifest, as in deno.json, and for package names in it,
 * or in the code itself, the file listed in `vendor/vendor.json`.
 *
 * Both are read from the plugin's own files, which the host has checked. An image depends on nothing else.
 */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";

/** Files that contain `imports` and the vendored packages. */
const MANIFEST_FILE = "manifest.json";
const VENDOR_FILE = "vendor/vendor.json";

/** Target of an imported name. */
type ImportTarget =
  /** Path relative to the plugin's folder. */
  | { readonly kind: "file"; readonly file: string }
  /** A package that `imports` names but that was not vendored. */
  | { readonly kind: "not_vendored"; readonly package: string };

/** Maps imported names that are not paths to files. */
export interface ImportMap {
  /** Prefers an exact name, then the longest name that ends in "/". Returns undefined if none matches. */
  find(specifier: string): ImportTarget | undefined;
  /** The same as data, longest names first. For `import.meta.resolve`. */
  readonly entries: readonly (readonly [name: string, file: string])[];
}

/** Reads the import map of a plugin. Malformed parts are ignored, because the host refuses such plugins. */
export function readImportMap(files: ReadonlyMap<string, Uint8Array>): ImportMap {
  const imports = importsIn(files.get(MANIFEST_FILE));
  const vendored = importsIn(files.get(VENDOR_FILE));
  // Longest first: the longest name that ends in "/" wins. Exact names are looked up before.
  const names = [...imports.keys()].toSorted((a, b) => b.length - a.length);

  function find(specifier: string): ImportTarget | undefined {
    const exact = imports.get(specifier);
    if (exact !== undefined) return toTarget(exact);
    const prefix = names.find((name) => name.endsWith("/") && specifier.startsWith(name));
    const base = prefix === undefined ? undefined : imports.get(prefix);
    if (prefix !== undefined && base !== undefined) return toTarget(base + specifier.slice(prefix.length));
    // A specifier such as `npm:lodash-es@4/debounce` in the code itself needs no name in the manifest.
    return vendored.has(specifier) ? toTarget(specifier) : undefined;
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
    // The result of JSON.parse is a JsonValue.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
