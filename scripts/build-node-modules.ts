/**
 * Writes `sandbox/loading/node-modules.gen.ts`: the modules for a plugin's `node:` imports (SPEC PB3).
 *
 * The base image has none of them: a plugin that imports one has it in its own image. `--check` compares.
 */

import { types } from "node:util";
import { build, type Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { REPOSITORY } from "./run-command.ts";
import { writeOrCheck } from "./write-or-check.ts";

const own = (file: string): string => `import * as all from "./${file}.ts"; export * from "./${file}.ts"; export default { ...all };`;
const ofPackage = (name: string, names: readonly string[]): string =>
  `import all from "${name}"; export default all; export const { ${names.join(", ")} } = all;`;
const ASSERT = `import * as all from "./assert.ts"; export * from "./assert.ts";`;
const STRICT = `Object.assign((value, message) => all.ok(value, message), all, { equal: all.strictEqual, notEqual: all.notStrictEqual, deepEqual: all.deepStrictEqual, notDeepEqual: all.notDeepStrictEqual })`;
const PATH = [
  "basename",
  "delimiter",
  "dirname",
  "extname",
  "format",
  "isAbsolute",
  "join",
  "normalize",
  "parse",
  "posix",
  "relative",
  "resolve",
  "sep",
  "toNamespacedPath",
];
// Its \`resolve\` reads the working directory from the process.
const PATH_MODULE = `${ofPackage(
  "path-browserify",
  PATH.filter((name) => name !== "toNamespacedPath"),
)} export const toNamespacedPath = (path) => path;`;

const STREAM = [
  ...[
    "Stream",
    "Readable",
    "Writable",
    "Duplex",
    "Transform",
    "PassThrough",
    "addAbortSignal",
    "compose",
    "finished",
    "pipeline",
    "destroy",
  ],
  ...["isDisturbed", "isErrored", "isReadable", "promises", "_isUint8Array", "_uint8ArrayToBuffer"],
];

/** Modules by name. To add one, add an entry here and in `docs/guide/packages.md`. */
const MODULES: Readonly<Record<string, string>> = {
  "node:assert": `${ASSERT} export const strict = ${STRICT}; strict.strict = strict; export default Object.assign((value, message) => all.ok(value, message), all, { strict });`,
  "node:assert/strict": `import * as all from "./assert.ts"; const strict = ${STRICT}; strict.strict = strict; export default strict;
export const { AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, match, doesNotMatch, fail, ifError, throws, rejects, doesNotThrow, doesNotReject } = strict; export { strict };`,
  "node:buffer": `import all from "buffer"; import { addBase64Url } from "./base64url.ts"; addBase64Url(all.Buffer); export default all; export const { Buffer, kMaxLength, constants, SlowBuffer } = all; export const { Blob, File, atob, btoa } = globalThis;`,
  "node:crypto": own("crypto"),
  "node:diagnostics_channel": own("diagnostics-channel"),
  "node:events": `import all from "events"; export default all; export const { EventEmitter, once, defaultMaxListeners, listenerCount } = all;
export const errorMonitor = Symbol("events.errorMonitor"); export const captureRejectionSymbol = Symbol.for("nodejs.rejection");
export const getEventListeners = (emitter, name) => emitter.listeners(name); export const setMaxListeners = (most, ...emitters) => { for (const one of emitters) one.setMaxListeners?.(most); };`,
  "node:module": `export const builtinModules = []; export const isBuiltin = () => false;
export const createRequire = () => { const require = (name) => { throw new Deno.errors.NotSupported("Cannot require \\"" + name + "\\" in a plugin: use import"); }; require.resolve = require; return require; };
export default { builtinModules, createRequire, isBuiltin };`,
  "node:os": own("os"),
  "node:path": PATH_MODULE,
  "node:path/posix": PATH_MODULE,
  "node:perf_hooks": `export const { performance } = globalThis; export default { performance };`,
  "node:process": own("process"),
  "node:querystring": own("querystring"),
  "node:stream": `import all from "readable-stream/lib/ours/browser.js"; export default all; export const { ${STREAM.join(", ")} } = all;`,
  "node:stream/promises": `import { promises } from "node:stream"; export default promises; export const { finished, pipeline } = promises;`,
  "node:stream/web": `const names = ["ReadableStream", "WritableStream", "TransformStream", "CompressionStream", "DecompressionStream", "TextDecoderStream", "TextEncoderStream", "ByteLengthQueuingStrategy", "CountQueuingStrategy"];
export const { ReadableStream, WritableStream, TransformStream, CompressionStream, DecompressionStream, TextDecoderStream, TextEncoderStream, ByteLengthQueuingStrategy, CountQueuingStrategy } = globalThis; export default Object.fromEntries(names.map((name) => [name, globalThis[name]]));`,
  "node:string_decoder": `import all from "string_decoder"; export default all; export const { StringDecoder } = all;`,
  "node:timers": own("timers"),
  "node:timers/promises": `const wait = (ms, value) => new Promise((resolve) => globalThis.setTimeout(resolve, ms, value)); export const setTimeout = wait; export const setImmediate = (value) => wait(0, value); export default { setTimeout, setImmediate };`,
  "node:tty": `export const isatty = () => false; export default { isatty };`,
  "node:url": own("url"),
  "node:util": own("util"),
  "node:util/types": `import { types } from "./util.ts"; export default types; export const { ${Object.keys(types).join(", ")} } = types;`,
  "node:zlib": own("zlib"),
};

const NOTICES = [
  "path-browserify",
  "events",
  "buffer",
  "base64-js",
  "ieee754",
  "readable-stream",
  "string_decoder",
  "@noble/hashes",
  "fflate",
];

/** Libraries look at these to learn where they run, so what a plugin lacks is undefined there, and throws when called elsewhere. */
const LOOKED_AT: ReadonlySet<string> = new Set(["node:process", "node:util/types"]);

/** Packages that the guest's code imports, by the file that has their types. */
const GUEST_PACKAGES: Readonly<Record<string, string>> = {
  "./fflate.gen.ts": `export * from "fflate";`,
  "./noble-hashes.gen.ts": ["hmac", "legacy", "pbkdf2", "scrypt", "sha2", "sha3"]
    .map((name) => `export * from "@noble/hashes/${name}.js";`)
    .join("\n"),
};

/** These packages have the names of Node's own modules. */
const PACKAGES: Readonly<Record<string, string>> = {
  buffer: "buffer/index.js",
  events: "events/events.js",
  string_decoder: "string_decoder/lib/string_decoder.js",
};

/** Modules that the others import as the plugin's own `node:` modules, so that all share one \`EventEmitter\` and one \`Buffer\`. */
const SHARED = ["buffer", "events"];

const modules: Record<string, string> = {};
for (const [name, contents] of Object.entries(MODULES)) modules[name] = await withAllNames(name, contents);
const notices = NOTICES.map((name) => `/*\n${name}:\n${readFileSync(`${REPOSITORY}node_modules/${name}/LICENSE`, "utf8").trim()}\n*/\n`);
writeOrCheck(
  "sandbox/loading/node-modules.gen.ts",
  [
    "/** What a plugin gets for `node:` names. Generated by `scripts/build-node-modules.ts`: do not edit. */\n",
    ...notices,
    `export const NODE_MODULES: Readonly<Record<string, string>> = ${JSON.stringify(modules, undefined, 2)};\n`,
  ].join("\n"),
);

/** Adds the functions and classes that Node's own module exports too, because an import of a missing name fails when the plugin loads. */
async function withAllNames(name: string, contents: string): Promise<string> {
  const { exports } = await bundle(contents);
  const real = (await import(name)) as Readonly<Record<string, unknown>>;
  const lacking = Object.keys(real).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && !exports.includes(key) && key !== "default");
  const valueOf = (key: string): string =>
    LOOKED_AT.has(name) || typeof real[key] !== "function" ? "undefined" : `absent(${JSON.stringify(name)}, ${JSON.stringify(key)})`;
  const source = `import { absent } from "./absent.ts"; import main from "bascule-own"; export * from "bascule-own";
${lacking.map((key, index) => `const $${String(index)} = ${valueOf(key)}; export { $${String(index)} as ${key} };`).join("\n")}
const absents = { ${lacking.map((key, index) => `${key}: $${String(index)}`).join(", ")} };
for (const key of Object.keys(absents)) if (!(key in main)) main[key] = absents[key];
export default main;`;
  return (await bundle(source, contents)).code;
}

async function bundle(contents: string, inner?: string): Promise<{ readonly code: string; readonly exports: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: `${REPOSITORY}sandbox/guest/node`, sourcefile: "entry.js" },
    plugins: [innerModule(inner), nodeModules()],
    nodePaths: [`${REPOSITORY}node_modules`],
    mainFields: ["module", "main"],
    // `path.resolve` reads the working directory from it.
    inject: [`${REPOSITORY}sandbox/guest/node/process-global.ts`],
    absWorkingDir: REPOSITORY,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    minify: true,
    keepNames: true,
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (file === undefined || output === undefined) throw new Error("esbuild wrote no output");
  return { code: file.text.trim(), exports: output.exports };
}

function innerModule(contents: string | undefined): Plugin {
  return {
    name: "inner",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^bascule-own$/ }, ({ path }) => ({ path, namespace: "own" }));
      onLoad({ filter: /.*/, namespace: "own" }, () => ({
        contents: contents ?? "",
        resolveDir: `${REPOSITORY}sandbox/guest/node`,
        loader: "js",
      }));
    },
  };
}

function nodeModules(): Plugin {
  return {
    name: "node-modules",
    setup(build) {
      build.onResolve(
        { filter: /^(?:node:.+|(?:buffer|events|string_decoder|abort-controller|process)\/?)$/ },
        ({ path, kind, importer }) => {
          const name = path.replace(/^node:|\/$/g, "");
          // The entry of a shared module bundles the package of that name.
          if (path.startsWith("node:")) return { path, external: true };
          if (name === "abort-controller") return { path: name, namespace: "globals" };
          if (name === "process") return { path: `${REPOSITORY}sandbox/guest/node/process.ts` };
          if (importer.includes("node_modules") && SHARED.includes(name) && kind === "require-call")
            return { path: name, namespace: "required" };
          return { path: `${REPOSITORY}node_modules/${PACKAGES[name] ?? ""}` };
        },
      );
      build.onResolve({ filter: /^\.\/(?:buffer|fflate|noble-hashes)\.gen\.ts$/ }, ({ path }) =>
        path === "./buffer.gen.ts" ? { path: "node:buffer", external: true } : { path, namespace: "packages" },
      );
      build.onLoad({ filter: /.*/, namespace: "packages" }, ({ path }) => ({
        contents: GUEST_PACKAGES[path] ?? "",
        resolveDir: REPOSITORY,
      }));
      build.onResolve({ filter: /^bascule-default:/ }, ({ path }) => ({
        path: path.slice("bascule-default:".length),
        namespace: "default",
      }));
      build.onLoad({ filter: /.*/, namespace: "globals" }, () => ({ contents: "module.exports = globalThis;" }));
      build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
        contents: `module.exports = require("bascule-default:${path}").value;`,
      }));
      build.onLoad({ filter: /.*/, namespace: "default" }, ({ path }) => ({
        contents: `export { default as value } from "node:${path}";`,
      }));
    },
  };
}
