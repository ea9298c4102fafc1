/** Makes a self-contained plugin of a plugin: one module with all that it imports, and what it reads (SPEC B7, PB3). */

import { isJsonObject, type JsonObject, type JsonValue, type Manifest, manifestToJson } from "../../../manifests/mod.ts";
import { createModuleResolver } from "../../../sandbox/mod.ts";
import type { Bundler } from "../../platform/bundling/bundler-types.ts";
import { compareText, digestFiles } from "../../primitives/digest.ts";
import { VENDOR_FILE } from "../folder/vendored.ts";
import { MANIFEST_FILE } from "../folder/walk.ts";
import { PACKED_MAIN, PACKED_MAP, packEntries, packedManifest } from "./packed-manifest.ts";

export interface PackPluginRequest {
  readonly bundler: Pick<Bundler, "pack">;
  /** The plugin's files, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly manifest: Manifest;
}

export interface PackedPlugin {
  readonly ok: true;
  /** By path; the manifest last. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What a host calls the packed plugin (SPEC M11). */
  readonly digest: string;
  /** Code that no entry point needs, and that is therefore not in it. */
  readonly leftOut: readonly string[];
  /** What may surprise. */
  readonly notes: readonly string[];
}

export type PackPluginOutcome = PackedPlugin | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

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
  if (!made.ok) return made.reason === "not_installed" ? NOT_INSTALLED : { ok: false, message: made.message, advice: [] };
  if (/\bimport\(\s*[^"'\s)]/.test(made.code))
    notes.push("It imports something whose name is known only when it runs: of the plugin's own modules there are none left then");

  const inside = new Set(made.inputs);
  const packed = new Map<string, Uint8Array>();
  const leftOut: string[] = [];
  for (const [path, bytes] of files) {
    if (path === VENDOR_FILE || ABOUT_CODE.test(path)) continue;
    // What is read with `import` may also be read with Deno.readTextFile.
    if (!CODE.test(path)) packed.set(path, bytes);
    else if (!inside.has(path)) leftOut.push(path);
  }
  const text = new TextEncoder();
  packed.set(PACKED_MAP, text.encode(made.map));
  packed.set(PACKED_MAIN, text.encode(made.code));
  // The last to be written: the folder is a plugin then.
  packed.delete(MANIFEST_FILE);
  packed.set(MANIFEST_FILE, text.encode(manifestToJson(packedManifest(manifest, entries))));
  return { ok: true, files: packed, digest: await digestFiles(packed), leftOut: leftOut.toSorted(compareText), notes };
}

const NOT_INSTALLED: PackPluginOutcome = {
  ok: false,
  message: "Plugins are packed by esbuild, which is not installed",
  advice: ["npm install --save-dev esbuild"],
};

const CODE = /\.[mc]?[jt]sx?$/;
/** Tests, types, and what only tools for authors read. */
const ABOUT_CODE = /(?:[._]test\.[mc]?[jt]sx?|\.d\.[mc]?ts|\.snap)$|^(?:deno|tsconfig|package|package-lock)\.json$|^deno\.lock$/;

/** What TypeScript and JSX mean is said where Deno looks for it. */
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
  // Deno's own kind of JSX is another way to the same.
  return Object.fromEntries(known.map(([name, value]) => [name, value === "precompile" ? "react-jsx" : value]));
}

const OPTIONS: ReadonlySet<string> = new Set([
  ...["jsx", "jsxFactory", "jsxFragmentFactory", "jsxImportSource"],
  ...["experimentalDecorators", "useDefineForClassFields"],
]);

function parse(bytes: Uint8Array | undefined): JsonObject | undefined {
  try {
    // What JSON.parse answers is JSON.
    const document = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
    return isJsonObject(document) ? document : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
