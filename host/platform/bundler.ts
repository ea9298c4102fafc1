/** Makes ES modules of packages with esbuild, which a user of `bascule vendor` installs; and asks Deno where it keeps modules. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Loader, OnLoadResult, OnResolveResult, Plugin } from "esbuild";
import { type Esbuild, loadEsbuild } from "./esbuild.ts";
import { pack } from "./pack-bundler.ts";
import type { Bundler, BundleEntry, BundleOutcome, BundleRequest, ModuleGraph } from "./bundler-types.ts";

export function createBundler(): Bundler {
  return { bundle, denoGraph, pack };
}

async function bundle(request: BundleRequest): Promise<BundleOutcome> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return { ok: false, reason: "not_installed", message: "esbuild is not installed" };
  try {
    const first = await build(esbuild, request, new Set());
    const built = first.commonJs.size === 0 ? first : await build(esbuild, request, first.commonJs);
    return { ok: true, files: built.files, inputs: built.inputs };
  } catch (error) {
    return { ok: false, reason: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

interface Built {
  readonly files: ReadonlyMap<string, string>;
  readonly inputs: readonly string[];
  /** Entries whose package is CommonJS: its exports are known by name only. */
  readonly commonJs: ReadonlySet<string>;
}

/** @param commonJs entries that need their exports listed. */
async function build(esbuild: Esbuild, request: BundleRequest, commonJs: ReadonlySet<string>): Promise<Built> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: Object.fromEntries(request.entries.map((entry) => [entry.output, ENTRY + entry.output])),
    plugins: [entryModules(request, commonJs)],
    inject: [GLOBALS],
    define: { "process.env.NODE_ENV": '"production"' },
    absWorkingDir: request.directory,
    outdir: `${request.directory}/out`,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["deno", "module"],
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    logLevel: "silent",
    chunkNames: "chunk-[hash]",
  });
  const start = `${request.directory}/out/`.length;
  const isCommonJs = ({ output }: BundleEntry): boolean =>
    (metafile.inputs[`${ENTRY_SPACE}:${ENTRY}${output}`]?.imports ?? []).some(({ path }) => metafile.inputs[path]?.format === "cjs");
  return {
    files: new Map(outputFiles.map(({ path, text }) => [path.replaceAll("\\", "/").slice(start), text])),
    inputs: Object.keys(metafile.inputs),
    commonJs: new Set(request.entries.filter(isCommonJs).map(({ output }) => output)),
  };
}

const ENTRY = "bascule-entry:";
/** A namespace and a path are joined by a colon. */
const ENTRY_SPACE = "bascule-entry";
const GRAPH = "bascule-graph";

/** Node's globals, which Deno has too, for packages that use them without an import; a plugin has them as modules. */
const GLOBALS = "bascule-globals";
const GLOBALS_SOURCE = `export { Buffer } from "node:buffer"; export { default as process } from "node:process";`;

function entryModules({ entries, directory, graph }: BundleRequest, commonJs: ReadonlySet<string>): Plugin {
  const byName = new Map(entries.map((entry) => [ENTRY + entry.output, entry]));
  return {
    name: "bascule",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^bascule-entry:/ }, ({ path }) => ({ path, namespace: ENTRY_SPACE }));
      onLoad({ filter: /.*/, namespace: ENTRY_SPACE }, ({ path }) => {
        const entry = byName.get(path);
        return entry === undefined
          ? null
          : { contents: entrySource(entry, commonJs.has(entry.output)), resolveDir: directory, loader: "js" };
      });
      // What the sandbox has of Node's modules it has under these names, and it says what it has not.
      onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
      onResolve({ filter: NODE_MODULES }, ({ path }) => ({ path: `node:${path}`, external: true, sideEffects: false }));
      onResolve({ filter: /^bascule-globals$/ }, ({ path }) => ({ path, namespace: GLOBALS, sideEffects: false }));
      onLoad({ filter: /.*/, namespace: GLOBALS }, () => ({ contents: GLOBALS_SOURCE, loader: "js" }));
      if (graph === undefined) return;
      onResolve({ filter: /.*/ }, ({ path, importer }) => resolveInGraph(graph, path, importer));
      onLoad({ filter: /.*/, namespace: GRAPH }, ({ path }) => loadFromGraph(graph, path));
    },
  };
}

const NODE_MODULES =
  /^(?:assert|buffer|child_process|crypto|dns|events|fs|http|https|module|net|os|path|process|punycode|querystring|readline|stream|string_decoder|timers|tls|tty|url|util|vm|worker_threads|zlib)(?:\/|$)/;

/** `export *` leaves the default out, and finds nothing in a CommonJS package. */
function entrySource({ specifier, names }: BundleEntry, isCommonJs: boolean): string {
  const from = JSON.stringify(specifier);
  const all = `import * as all from ${from}; export default all.default;`;
  if (!isCommonJs) return `export * from ${from}; ${all}`;
  const listed = names.filter((name) => name !== "default").map((name) => `export const ${name} = all.${name} ?? all.default?.${name};`);
  return [all, ...listed].join("\n");
}

function resolveInGraph(graph: ModuleGraph, path: string, importer: string): OnResolveResult | null {
  const asked = graph.modules.get(importer)?.imports.get(path) ?? path;
  const specifier = graph.redirects.get(asked) ?? asked;
  return graph.modules.has(specifier) ? { path: specifier, namespace: GRAPH } : null;
}

async function loadFromGraph(graph: ModuleGraph, specifier: string): Promise<OnLoadResult | null> {
  const module = graph.modules.get(specifier);
  if (module === undefined) return null;
  return { contents: await readFile(module.local, "utf8"), loader: loaderOf(specifier) };
}

function loaderOf(specifier: string): Loader {
  const extension = /\.([a-z]+)$/.exec(specifier.replace(/[?#].*$/s, ""))?.[1];
  if (extension === "ts" || extension === "mts") return "ts";
  if (extension === "tsx" || extension === "jsx" || extension === "json") return extension;
  return "js";
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** `deno info` may fetch what it does not have, as `deno` always does. */
async function denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string> {
  const answer = await runDeno(["info", "--json", specifier], directory);
  if (answer === undefined) return "Deno is not installed";
  let document: unknown;
  try {
    document = JSON.parse(answer);
  } catch (error) {
    if (error instanceof SyntaxError) return "Deno answered something else than JSON";
    throw error;
  }
  return toGraph(document);
}

function runDeno(args: readonly string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("deno", args, { cwd, maxBuffer: MAX_OUTPUT_BYTES, timeout: 120_000 }, (error, stdout) => {
      resolve(error !== null && stdout === "" ? undefined : stdout);
    });
  });
}

/** https://docs.deno.com/runtime/reference/cli/info/ */
export function toGraph(document: unknown): ModuleGraph | string {
  const modules = new Map<string, { readonly local: string; readonly imports: ReadonlyMap<string, string> }>();
  for (const module of listAt(document, "modules")) {
    const specifier = textAt(module, "specifier");
    const error = textAt(module, "error");
    if (error !== "") return error;
    const imports = new Map(
      listAt(module, "dependencies").map((dependency) => [
        textAt(dependency, "specifier"),
        textAt(fieldAt(dependency, "code"), "specifier"),
      ]),
    );
    if (specifier !== "" && textAt(module, "local") !== "") modules.set(specifier, { local: textAt(module, "local"), imports });
  }
  const redirects = fieldAt(document, "redirects");
  const pairs = typeof redirects === "object" && redirects !== null ? Object.entries(redirects) : [];
  return { modules, redirects: new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string")) };
}

function fieldAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = fieldAt(value, key);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, key: string): string {
  const text = fieldAt(value, key);
  return typeof text === "string" ? text : "";
}
