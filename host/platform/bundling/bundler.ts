/**
 * Bundles packages into ES modules with esbuild, which a user of `bascule vendor` installs; asks Deno for the location of cached modules.
 */

import { readFile } from "node:fs/promises";
import type { Loader, Metafile, OnLoadResult, OnResolveResult, Plugin } from "esbuild";
import { errorText } from "../error-text.ts";
import { type Esbuild, loadEsbuild } from "./esbuild.ts";
import { MISSING, nodeShims } from "../node-shims.ts";
import { pack } from "./pack-bundler.ts";
import { runGuarded } from "../processes/run-guarded.ts";
import type { Bundler, BundleEntry, BundleOutcome, BundleRequest, ModuleGraph } from "./bundler-types.ts";

export function createBundler(): Bundler {
  return { bundle, denoGraph, pack };
}

async function bundle(request: BundleRequest): Promise<BundleOutcome> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return { ok: false, reason: "not_installed", message: "esbuild is not installed" };
  try {
    const { files, inputs, missing } = await buildForGuest(esbuild, request);
    return { ok: true, files, inputs, missing: [...new Set([...missing.values()].flat())].toSorted() };
  } catch (error) {
    return { ok: false, reason: "failed", message: errorText(error) };
  }
}

interface Built {
  readonly files: ReadonlyMap<string, string>;
  readonly inputs: readonly string[];
  /** Missing Node modules, by entry. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
}

/** Builds each package for the platform that suits it. Packages for the same platform are built together, so that they share imports. */
async function buildForGuest(esbuild: Esbuild, request: BundleRequest): Promise<Built> {
  const forBrowsers = new Set<string>();
  for (const [name, entries] of Map.groupBy(request.entries, (entry) => entry.package))
    if (await needsBrowserBuild(esbuild, { ...request, entries })) forBrowsers.add(name);
  const built: Built[] = [];
  for (const platform of ["neutral", "browser"] as const) {
    const entries = request.entries.filter((entry) => forBrowsers.has(entry.package) === (platform === "browser"));
    if (entries.length > 0) built.push(await buildListed(esbuild, { ...request, entries }, platform));
  }
  return {
    files: new Map(built.flatMap(({ files }) => [...files])),
    inputs: built.flatMap(({ inputs }) => inputs),
    missing: new Map(built.flatMap(({ missing }) => [...missing])),
  };
}

/**
 * Whether the browser build of a package lacks fewer Node modules than the neutral build, which resolves packages as Deno and bundlers do.
 * Browser builds are not the default because they may need a document, which a plugin does not have. Each package is judged alone, so that
 * no other package changes the result.
 */
async function needsBrowserBuild(esbuild: Esbuild, request: BundleRequest): Promise<boolean> {
  const missing = countMissing(await buildListed(esbuild, request, "neutral"));
  if (missing === 0) return false;
  const browser = await attempt(() => buildListed(esbuild, request, "browser"));
  return browser !== undefined && countMissing(browser) < missing;
}

/** A package that does not build for browsers gets the neutral build. */
async function attempt(build: () => Promise<Built>): Promise<Built | undefined> {
  return await build().catch((error: unknown) => {
    if (error instanceof Error && "errors" in error) return undefined;
    throw error;
  });
}

function countMissing({ missing }: Built): number {
  return [...missing.values()].reduce((sum, names) => sum + names.length, 0);
}

/** Builds twice if needed: CommonJS packages do not declare their exports, so the names that the plugin imports are listed. */
async function buildListed(esbuild: Esbuild, request: BundleRequest, platform: How["platform"]): Promise<Built> {
  const first = await build(esbuild, request, { platform, commonJs: new Set() });
  return first.commonJs.size === 0 ? first : await build(esbuild, request, { platform, commonJs: first.commonJs });
}

interface How {
  readonly platform: "neutral" | "browser";
  /** Entries that need their exports listed. */
  readonly commonJs: ReadonlySet<string>;
}

async function build(esbuild: Esbuild, request: BundleRequest, how: How): Promise<Built & Pick<How, "commonJs">> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: Object.fromEntries(request.entries.map((entry) => [entry.output, ENTRY + entry.output])),
    plugins: [entryModules(request, how.commonJs), nodeShims(request.nodeModules), ...graphModules(request.graph)],
    inject: [GLOBALS],
    define: { "process.env.NODE_ENV": '"production"' },
    absWorkingDir: request.directory,
    outdir: `${request.directory}/out`,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: how.platform,
    mainFields: [...(how.platform === "browser" ? ["browser"] : []), "module", "main"],
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
    missing: new Map(request.entries.map(({ output }) => [output, missingIn(metafile, `out/${output}.js`)])),
  };
}

/** Collects missing modules from the output file and from the chunks it shares with others. */
function missingIn({ outputs }: Metafile, start: string): readonly string[] {
  const seen = new Set([start]);
  const found = new Set<string>();
  for (const file of seen) {
    const { inputs = {}, imports = [] } = outputs[file] ?? {};
    for (const { path, external } of imports) if (external !== true) seen.add(path);
    for (const [input, { bytesInOutput }] of Object.entries(inputs))
      if (bytesInOutput > 0 && input.startsWith(`${MISSING}:`)) found.add(input.slice(MISSING.length + 1));
  }
  return [...found];
}

const ENTRY = "bascule-entry:";
/** esbuild joins a namespace and a path with a colon. */
const ENTRY_SPACE = "bascule-entry";
const GRAPH = "bascule-graph";

/** Node's globals, which Deno has too, for packages that use them without an import. The sandbox offers them as modules. */
const GLOBALS = "bascule-globals";
const GLOBALS_SOURCE = `export { Buffer } from "node:buffer"; export { default as process } from "node:process";`;

function entryModules({ entries, directory }: BundleRequest, commonJs: ReadonlySet<string>): Plugin {
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
      onResolve({ filter: /^bascule-globals$/ }, ({ path }) => ({ path, namespace: GLOBALS, sideEffects: false }));
      onLoad({ filter: /.*/, namespace: GLOBALS }, () => ({ contents: GLOBALS_SOURCE, loader: "js" }));
    },
  };
}

function graphModules(graph: ModuleGraph | undefined): readonly Plugin[] {
  if (graph === undefined) return [];
  const setup: Plugin["setup"] = ({ onResolve, onLoad }) => {
    onResolve({ filter: /.*/ }, ({ path, importer }) => resolveInGraph(graph, path, importer));
    onLoad({ filter: /.*/, namespace: GRAPH }, ({ path }) => loadFromGraph(graph, path));
  };
  return [{ name: "bascule-graph", setup }];
}

/** `export *` omits the default export, and finds nothing in a CommonJS package. */
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
const DENO_MS = 120_000;

/** Returns the module graph from `deno info`, which may fetch missing modules as `deno` always does. */
async function denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string> {
  const answer = await runDeno(["info", "--json", specifier], directory);
  if (answer === undefined) return "Deno is not installed";
  let document: unknown;
  try {
    document = JSON.parse(answer);
  } catch (error) {
    if (error instanceof SyntaxError) return "Deno's answer is not JSON";
    throw error;
  }
  return toGraph(document);
}

async function runDeno(args: readonly string[], cwd: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(DENO_MS);
  const ended = await runGuarded({ file: "deno", args, cwd, maxBytes: MAX_OUTPUT_BYTES, signal });
  if (ended.kind !== "ended" || (ended.exitCode !== 0 && ended.output.length === 0)) return undefined;
  return new TextDecoder().decode(ended.output);
}

/** Reads the output of https://docs.deno.com/runtime/reference/cli/info/ */
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
