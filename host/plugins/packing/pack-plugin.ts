/** Packs a plugin into a self-contained one: a single module with all its imports, and the files it reads (SPEC B7, PB3). */

import { isJsonObject, type JsonObject, type Manifest, manifestToJson } from "../../../manifests/mod.ts";
import { createModuleResolver } from "../../../sandbox/mod.ts";
import type { Bundler } from "../../platform/bundling/bundler-types.ts";
import { compareText, digestFiles } from "../../primitives/digest.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { VENDOR_FILE } from "../folder/vendored.ts";
import { MANIFEST_FILE } from "../folder/walk.ts";
import { PACKED_MAIN, PACKED_MAP, packEntries, packedManifest } from "./packed-manifest.ts";

interface PackPluginRequest {
  readonly bundler: Pick<Bundler, "pack" | "withoutEsbuild">;
  /** The plugin's files, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly manifest: Manifest;
}

export interface PackedPlugin {
  readonly ok: true;
  /** Files by path; the manifest comes last. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The hash of the packed plugin (SPEC M11). */
  readonly digest: string;
  /** Code files that no entry point imports, so they are left out. */
  readonly leftOut: readonly string[];
  /** Warnings for the author. */
  readonly notes: readonly string[];
}

type PackPluginOutcome = PackedPlugin | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

/** Writes nothing. The same files give the same bytes. */
export async function packPlugin({ bundler, files, manifest }: PackPluginRequest): Promise<PackPluginOutcome> {
  const entries = packEntries(manifest);
  const notes: string[] = [];
  const made = await bundler.pack({
    entry: entries.entry,
    files,
    resolve: await createModuleResolver(files),
    compilerOptions: readCompilerOptions(files.get("deno.json"), notes),
  });
  const { reason, advice } = bundler.withoutEsbuild;
  if (!made.ok && made.reason === "not_installed") return { ok: false, message: `Plugins are packed by esbuild, ${reason}`, advice };
  if (!made.ok) return { ok: false, message: made.message, advice: [] };
  if (/\bimport\(\s*[^"'\s)]/.test(made.code))
    notes.push("A dynamic import has a computed name: it cannot load the plugin's own modules, which are now one file");

  const inside = new Set(made.inputs);
  const packed = new Map<string, Uint8Array>();
  const leftOut: string[] = [];
  for (const [path, bytes] of files) {
    if (path === VENDOR_FILE || ABOUT_CODE.test(path)) continue;
    // Imported data files are kept too, because Deno.readTextFile may read them.
    if (!CODE.test(path)) packed.set(path, bytes);
    else if (!inside.has(path)) leftOut.push(path);
  }
  const text = new TextEncoder();
  packed.set(PACKED_MAP, text.encode(made.map));
  packed.set(PACKED_MAIN, text.encode(made.code));
  // Written last, because the manifest makes the folder a plugin.
  packed.delete(MANIFEST_FILE);
  packed.set(MANIFEST_FILE, text.encode(manifestToJson(packedManifest(manifest, entries))));
  return { ok: true, files: packed, digest: await digestFiles(packed), leftOut: leftOut.toSorted(compareText), notes };
}

const CODE = /\.[mc]?[jt]sx?$/;
/** Tests, types, and files that only authoring tools read. */
const ABOUT_CODE = /(?:[._]test\.[mc]?[jt]sx?|\.d\.[mc]?ts|\.snap)$|^(?:deno|tsconfig|package|package-lock)\.json$|^deno\.lock$/;

/** Reads the options for TypeScript and JSX from where Deno reads them. */
function readCompilerOptions(bytes: Uint8Array | undefined, notes: string[]): Readonly<Record<string, string | boolean>> {
  if (bytes === undefined) return {};
  const config = parse(bytes);
  if (config === undefined) notes.push('"deno.json" is not plain JSON: its compilerOptions are not used');
  const written = config?.["compilerOptions"];
  if (written === undefined || !isJsonObject(written)) return {};
  const known = Object.entries(written).filter(
    (entry): entry is [string, string | boolean] =>
      OPTIONS.has(entry[0]) && (typeof entry[1] === "string" || typeof entry[1] === "boolean"),
  );
  // Deno's "precompile" mode gives the same result.
  return Object.fromEntries(known.map(([name, value]) => [name, value === "precompile" ? "react-jsx" : value]));
}

const OPTIONS: ReadonlySet<string> = new Set([
  ...["jsx", "jsxFactory", "jsxFragmentFactory", "jsxImportSource"],
  ...["experimentalDecorators", "useDefineForClassFields"],
]);

function parse(bytes: Uint8Array | undefined): JsonObject | undefined {
  const document = tryJson(new TextDecoder().decode(bytes));
  return document !== undefined && isJsonObject(document) ? document : undefined;
}
