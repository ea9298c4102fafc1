/** Packs a plugin's modules into one with esbuild, from bytes already in memory: no other file on disk is read. */

import type { Loader, OnLoadArgs, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { type Esbuild, loadEsbuild } from "./esbuild.ts";
import type { PackOutcome, PackRequest } from "./bundler-types.ts";

/** Packs a plugin. Errors in its code are returned with their position, not thrown. */
export async function pack(request: PackRequest): Promise<PackOutcome> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return { ok: false, reason: "not_installed", message: "esbuild is not installed" };
  try {
    return await build(esbuild, request);
  } catch (error) {
    return { ok: false, reason: "failed", message: error instanceof Error ? withoutSpace(error.message) : String(error) };
  }
}

/** Namespace of the plugin's files; esbuild shows them as `bascule-plugin:lib/x.ts`. */
const SPACE = "bascule-plugin";
const ENTRY = "(packed).js";
/** Module with one `import.meta` per file that uses it. In a single module all files would share one. */
const METAS = "bascule-metas";
const META_PREFIX = "$bascule_meta_";

function withoutSpace(text: string): string {
  return text.replaceAll(`${SPACE}:`, "");
}

async function build(esbuild: Esbuild, request: PackRequest): Promise<PackOutcome> {
  const tsconfigRaw = { compilerOptions: request.compilerOptions };
  const metas = [...request.files].filter(([path, bytes]) => CODE.test(path) && usesMeta(decode(bytes))).map(([path]) => path);
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [{ in: ENTRY, out: "main" }],
    plugins: [pluginFiles(esbuild, request, metas)],
    inject: metas.length === 0 ? [] : [METAS],
    tsconfigRaw,
    outdir: "/packed",
    bundle: true,
    write: false,
    metafile: true,
    sourcemap: "linked",
    sourcesContent: false,
    format: "esm",
    platform: "neutral",
    // The newest syntax that the engine parses; it lacks `using`.
    target: "es2022",
    // Keeps the author's names in stacks and in `error.name`.
    keepNames: true,
    charset: "utf8",
    legalComments: "inline",
    logLevel: "silent",
  });
  const textOf = (suffix: string): string => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  const inputs = Object.keys(metafile.inputs).filter((input) => input.startsWith(`${SPACE}:`));
  return {
    ok: true,
    code: textOf(".js"),
    map: toPluginMap(textOf(".js.map")),
    inputs: inputs.map((input) => withoutSpace(input).replace(/ with \{.*$/s, "")).filter((path) => path !== ENTRY),
  };
}

function pluginFiles(esbuild: Esbuild, request: PackRequest, metas: readonly string[]): Plugin {
  return {
    name: "bascule-pack",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^bascule-metas$/ }, ({ path }) => ({ path, namespace: METAS, sideEffects: false }));
      onLoad({ filter: /.*/, namespace: METAS }, () => ({ contents: metaModule(metas), loader: "js" }));
      onResolve({ filter: /.*/ }, (args) => resolve(request, args));
      onLoad({ filter: /.*/, namespace: SPACE }, (args) => load(esbuild, request, args, metas));
    },
  };
}

function resolve({ resolve: lead }: PackRequest, { kind, path, importer }: OnResolveArgs): OnResolveResult {
  if (kind === "entry-point") return { path, namespace: SPACE };
  const target = lead(importer, path);
  if ("refused" in target) return { errors: [{ text: target.refused }] };
  return "external" in target ? { path: target.external, external: true, sideEffects: false } : { path: target.file, namespace: SPACE };
}

const CODE = /\.[mc]?[jt]sx?$/;

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Whether the code may use `import.meta`. False positives are harmless. */
function usesMeta(code: string): boolean {
  return /\bimport\s*\.\s*meta\b/.test(code);
}

async function load(
  esbuild: Esbuild,
  { entry, files, compilerOptions }: PackRequest,
  { path, with: attributes }: OnLoadArgs,
  metas: readonly string[],
): Promise<OnLoadResult> {
  if (path === ENTRY) return { contents: entry, loader: "js" };
  const bytes = files.get(path) ?? new Uint8Array();
  if (attributes["type"] === "text") return { contents: bytes, loader: "text" };
  if (attributes["type"] === "bytes") return { contents: bytes, loader: "binary" };
  const loader = loaderOf(path);
  if (loader === undefined) return { errors: [{ text: 'It is neither code nor JSON; for its text write `with { type: "text" }`' }] };
  const text = decode(bytes);
  if (!metas.includes(path)) return { contents: text, loader };
  const { code } = await esbuild.transform(text, {
    define: { "import.meta": META_PREFIX + String(metas.indexOf(path)) },
    tsconfigRaw: { compilerOptions },
    ...{ loader, sourcefile: path, sourcemap: "inline", sourcesContent: false, target: "es2022", charset: "utf8", logLevel: "silent" },
  });
  return { contents: code, loader: "js" };
}

function loaderOf(path: string): Loader | undefined {
  const extension = /\.[mc]?([jt]sx?|json)$/.exec(path)?.[1];
  return extension === "ts" || extension === "tsx" || extension === "js" || extension === "jsx" || extension === "json"
    ? extension
    : undefined;
}

/** Returns the source of each file's `import.meta` as the file itself would see it, on Deno too. */
function metaModule(paths: readonly string[]): string {
  return [
    `const meta = (path) => {
  const { href: url } = new URL(path.split("/").map(encodeURIComponent).join("/"), import.meta.url);
  const filename = import.meta.dirname === undefined ? undefined : import.meta.dirname.replace(/\\/$/, "") + "/" + path;
  const dirname = filename?.slice(0, filename.lastIndexOf("/"));
  const resolve = (name) => (/^\\.\\.?\\//.test(name) ? new URL(name, url).href : import.meta.resolve(name));
  return { url, filename, dirname, main: false, resolve };
};`,
    ...paths.map((path, index) => `export const ${META_PREFIX}${String(index)} = /* @__PURE__ */ meta(${JSON.stringify(path)});`),
  ].join("\n");
}

/** Returns the source map with paths inside the plugin. */
function toPluginMap(text: string): string {
  // esbuild writes this shape.
  const map = JSON.parse(text) as { readonly sources: readonly string[] };
  return `${JSON.stringify({ ...map, sources: map.sources.map(withoutSpace) })}\n`;
}
