/** Bundles packages into ES modules with esbuild, which a user of `bascule vendor` installs. */

import type { Message, Metafile, Plugin } from "esbuild";
import { errorText } from "../error-text.ts";
import { MISSING, nodeShims } from "../node-shims.ts";
import {
  type BundledEntry,
  type Bundler,
  type BundleEntry,
  type BundleOutcome,
  type BundleRequest,
  type MissingModule,
  type PackageBuild,
  PROBE,
} from "./bundler-types.ts";
import { denoGraph, graphModules } from "./deno-graph.ts";
import { type Esbuild, loadEsbuild, WITHOUT_ESBUILD } from "./esbuild.ts";
import { pack } from "./pack-bundler.ts";
import { fetchPackages } from "./package-client.ts";

export function createBundler(): Bundler {
  return { bundle, denoGraph, fetchPackages, pack, withoutEsbuild: WITHOUT_ESBUILD };
}

async function bundle(request: BundleRequest): Promise<BundleOutcome> {
  const esbuild = await loadEsbuild();
  if (esbuild === undefined) return { ok: false, reason: "not_installed", message: "esbuild is not installed" };
  try {
    return await build(esbuild, request);
  } catch (error) {
    return { ok: false, reason: "failed", message: buildErrorText(error) };
  }
}

const MAX_ERRORS = 3;

/** Returns the first errors of esbuild, each with its place in a package. */
function buildErrorText(error: unknown): string {
  const errors: unknown = typeof error === "object" && error !== null && "errors" in error ? error.errors : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return errorText(error);
  // esbuild's BuildFailure has this shape.
  const messages = (errors as readonly Message[]).slice(0, MAX_ERRORS).map(({ text, location }) => {
    const place = location === null ? "" : ` (${inPackage(location.file)}:${String(location.line)}:${String(location.column + 1)})`;
    return text.replace(/[^\s"]*node_modules\//g, "node_modules/") + place;
  });
  return messages.join("; ");
}

interface Resolution {
  readonly platform: "neutral" | "browser";
  readonly mainFields: readonly string[];
  readonly conditions: readonly string[];
}

const RESOLUTIONS: Readonly<Record<PackageBuild, Resolution>> = {
  default: { platform: "neutral", mainFields: ["module", "main"], conditions: ["deno", "module"] },
  browser: { platform: "browser", mainFields: ["browser", "module", "main"], conditions: ["deno", "module"] },
  node: { platform: "neutral", mainFields: ["main", "module"], conditions: ["node"] },
};

async function build(esbuild: Esbuild, request: BundleRequest): Promise<Extract<BundleOutcome, { readonly ok: true }>> {
  const { platform, mainFields, conditions } = RESOLUTIONS[request.build];
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: Object.fromEntries(request.entries.map((entry) => [entry.output, ENTRY + entry.output])),
    plugins: [entryModules(request), nodeShims(request.nodeModules), ...graphModules(request.graph)],
    inject: [GLOBALS],
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis", __dirname: '"/"', __filename: '"/index.js"' },
    absWorkingDir: request.directory,
    outdir: `${request.directory}/out`,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    sourcemap: "external",
    sourcesContent: false,
    format: "esm",
    platform,
    mainFields: [...mainFields],
    conditions: [...conditions],
    target: "es2022",
    charset: "utf8",
    legalComments: "inline",
    logLevel: "silent",
    chunkNames: "chunk-[hash]",
  });
  const start = `${request.directory}/out/`.length;
  const texts = new Map(outputFiles.map(({ path, text }) => [path.replaceAll("\\", "/").slice(start), text]));
  const isMap = (path: string): boolean => path.endsWith(".map");
  return {
    ok: true,
    files: new Map([...texts].filter(([path]) => !isMap(path))),
    maps: new Map([...texts].filter(([path]) => isMap(path))),
    entries: new Map(request.entries.map(({ output }) => [output, bundledEntry(metafile, output)])),
  };
}

function bundledEntry(metafile: Metafile, output: string): BundledEntry {
  const [own] = metafile.inputs[`${ENTRY_SPACE}:${ENTRY}${output}`]?.imports ?? [];
  return { isCommonJs: own !== undefined && metafile.inputs[own.path]?.format === "cjs", missing: missingIn(metafile, `out/${output}.js`) };
}

/** Collects missing modules from the output file and from the chunks it shares with others. */
function missingIn({ inputs: all, outputs }: Metafile, start: string): readonly MissingModule[] {
  const files = new Set([start]);
  const found = new Set<string>();
  const used = new Set<string>();
  for (const file of files) {
    const { inputs = {}, imports = [] } = outputs[file] ?? {};
    for (const { path, external } of imports) if (external !== true) files.add(path);
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0) continue;
      used.add(input);
      if (input.startsWith(`${MISSING}:`)) found.add(input);
    }
  }
  return [...found].toSorted().map((input) => {
    const importer = [...used].find((one) => all[one]?.imports.some(({ path }) => path === input) === true);
    return { module: input.slice(MISSING.length + 1), ...(importer !== undefined && { importer: inPackage(importer) }) };
  });
}

/** `../../node_modules/.pnpm/…/node_modules/x/y.js` becomes `node_modules/x/y.js`. */
function inPackage(path: string): string {
  const at = path.lastIndexOf("node_modules/");
  return at === -1 ? path : path.slice(at);
}

const ENTRY = "bascule-entry:";
/** esbuild joins a namespace and a path with a colon. */
const ENTRY_SPACE = "bascule-entry";

/** Node's globals, which Deno has too, for packages that use them without an import. The sandbox offers them as modules. */
const GLOBALS = "bascule-globals";
const GLOBALS_SOURCE = `export { Buffer } from "node:buffer"; export { default as process } from "node:process"; export { setImmediate, clearImmediate } from "node:timers";`;

function entryModules({ entries, directory }: BundleRequest): Plugin {
  const byName = new Map(entries.map((entry) => [ENTRY + entry.output, entry]));
  return {
    name: "bascule",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^bascule-entry:/ }, ({ path }) => ({ path, namespace: ENTRY_SPACE }));
      onLoad({ filter: /.*/, namespace: ENTRY_SPACE }, ({ path }) => {
        const entry = byName.get(path);
        return entry === undefined ? null : { contents: entrySource(entry), resolveDir: entry.from ?? directory, loader: "js" };
      });
      onResolve({ filter: /^bascule-globals$/ }, ({ path }) => ({ path, namespace: GLOBALS, sideEffects: false }));
      onLoad({ filter: /.*/, namespace: GLOBALS }, () => ({ contents: GLOBALS_SOURCE, loader: "js" }));
    },
  };
}

/**
 * `export *` omits the default export, and finds nothing in a CommonJS package, whose names are listed once a probe has read them. A
 * transpiled CommonJS package may lack a default export; its default is then the whole module, as on Node.
 */
function entrySource({ specifier, exports }: BundleEntry): string {
  const from = JSON.stringify(specifier);
  const all = `export * from ${from}; import * as all from ${from};`;
  if (exports === undefined) return `${all} export default all.default; export { all as ${PROBE} };`;
  const named = exports.names.map((name, index) => `const $${index} = all[${JSON.stringify(name)}]; export { $${index} as ${name} };`);
  const own = { absent: "", own: "export default all.default;", module: "export default all;" }[exports.default];
  return [all, own, ...named].join("\n");
}
