/**
 * Bundles the program, so that a start reads a few files instead of several hundred
 * (docs/decisions/0038-one-file-for-the-program.md).
 *
 * `client-….js` has everything that a client of a running host needs, `main-….js` what a host adds. Modules imported later stay separate
 * files, and packages that are not listed here stay packages.
 */

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { type OutputOptions, type Plugin, rolldown, type RolldownOutput } from "rolldown";
import { REPOSITORY } from "./run-command.ts";

/**
 * Packages of many small files that every start loads. The engine's package is not among them, because the sandbox reads its glue
 * code as published.
 */
const BUNDLED_PACKAGES = ["@jridgewell/sourcemap-codec", "@sinclair/typebox", "semver"];

/** Entry of `client-….js`: the program, with the commands that a running host answers. It imports no other file of the bundle. */
const CLIENT = "host/doors/cli/main.ts";

/** Entries of `main-….js`: a host in this process. */
const HOST = ["host/doors/cli/local-host.ts", "host/platform/current.ts"];

/** One file, because every start loads it first. */
const START = { start: "host/doors/cli/start.ts" };

/** Entries that are bundled together share code; the start, and entries of separate threads and processes, have copies. */
const PROGRAM = { main: CLIENT, mod: "host/mod.ts" };
const SANDBOXES = {
  "worker-node": "host/platform/threads/worker-node.ts",
  "worker-deno": "host/platform/threads/worker-deno.ts",
  "worker-starter": "host/platform/threads/worker-starter.ts",
  "service-main": "host/host/service-main.ts",
  "process-main": "host/platform/isolation/process-main.ts",
  "plugin-main": "host/platform/trusted/plugin-main.ts",
  "database-main": "host/platform/databases/database-main.ts",
};

/** Packages that the program loads by `require`, by the name that it gives: files of their own in a bundle without packages beside it. */
export const REQUIRED = {
  "@exodus/bytes/multi-byte.js": "multi-byte",
  pino: "pino",
  "undici/lib/dispatcher/client.js": "undici-client",
};

export const ENGINE = "@jitl/quickjs-wasmfile-release-sync";
/** Packages of such a bundle that stay as published: the sandbox checks its engine, and esbuild is a native program. */
const NEVER_BUNDLED = [ENGINE, "esbuild"];

/** Inputs of a bundle besides the sources. */
const ALSO_READ = ["package.json", "scripts/bundle-program.ts"];

/** Folder that `bin/program.mjs` searches; its bundles may be in use. */
const BUILDS = `${REPOSITORY}dist/builds`;
const KEPT_BUILDS = 3;

/** Inputs of a bundle: SHA-256 in Base64, by path relative to the repository. */
type Input = readonly [path: string, hash: string];

interface Bundle {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly inputs: readonly Input[];
  /** Names that the library exports. */
  readonly exported: readonly string[];
}

/**
 * Writes a bundle for this checkout, beside others, and makes it the current one. Safe if several processes do so at once.
 *
 * Returns its folder.
 */
export async function bundleForCheckout(): Promise<string> {
  const { files, inputs } = await bundleProgram();
  const folder = nameOf(files);
  const temporary = join(BUILDS, `.${process.pid}`);
  await rm(temporary, { recursive: true, force: true });
  await writeFiles(temporary, files);
  // An existing bundle of this name has the same content.
  await rename(temporary, join(BUILDS, folder)).catch(() => rm(temporary, { recursive: true }));
  await writeFile(`${temporary}.json`, JSON.stringify({ format: 2, folder, inputs }));
  await rename(`${temporary}.json`, join(BUILDS, "current.json"));
  await removeOld(folder);
  return join(BUILDS, folder);
}

/** Writes a bundle into the package's `dist/program/`, which is emptied first, with the entry files of the library. */
export async function bundleInto(folder: string): Promise<void> {
  const { files, exported } = await bundleProgram();
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, new Map([...files, ...libraryFiles(exported)]));
}

/** Returns the program with all packages that it imports, except `NEVER_BUNDLED`. For the single executable. */
export async function bundleWhole(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const sources = new Map<string, string>();
  const required = Object.fromEntries(Object.entries(REQUIRED).map(([specifier, name]) => [name, specifier]));
  const outputs = await Promise.all([
    bundleGroups({ main: PROGRAM.main }, sources, "whole"),
    bundle(START, { sources, kind: "whole" }),
    bundle(SANDBOXES, { sources, kind: "whole" }),
    bundle(required, { sources, kind: "required" }),
  ]);
  return new Map([...filesOf(outputs), ["THIRD-PARTY.txt", await thirdParties([...sources.keys(), `node_modules/${ENGINE}/`])]]);
}

/**
 * The files that `import "bascule"` and `require("bascule")` load first. Every runtime can parse them; they report an unsupported
 * runtime before they load anything that it cannot parse.
 */
function libraryFiles(exported: readonly string[]): ReadonlyMap<string, string> {
  const names = exported.join(", ");
  return new Map([
    [
      "library.mjs",
      `import runtime from "../../bin/runtime.cjs";\nruntime.requireRuntime();\nexport const { ${names} } = await import("./mod.js");\n`,
    ],
    ["library.cjs", `"use strict";\nrequire("../../bin/runtime.cjs").requireRuntime();\nmodule.exports = require("./mod.js");\n`],
  ]);
}

async function bundleProgram(): Promise<Bundle> {
  const sources = new Map<string, string>();
  const outputs = await Promise.all([
    bundleGroups(PROGRAM, sources, "package"),
    bundle(START, { sources, kind: "package" }),
    bundle(SANDBOXES, { sources, kind: "package" }),
  ]);
  const files = filesOf(outputs).set("THIRD-PARTY.txt", await thirdParties([...sources.keys()]));
  const exported = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.fileName === "mod.js" && file.type === "chunk" ? file.exports : [])),
  );
  const inputs = [...sources].map(([id, code]): Input => [id, hashOf(code)]);
  for (const path of ALSO_READ) inputs.push([path, hashOf(await readFile(REPOSITORY + path))]);
  return { files, inputs, exported };
}

function filesOf(outputs: readonly RolldownOutput[]): Map<string, string | Uint8Array> {
  const files = outputs.flatMap(({ output }) => output);
  return new Map(files.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]));
}

/** `package`: other packages are beside it. `whole`: they are inside. `required`: packages for `require`, whole. */
type BundleKind = "package" | "whole" | "required";

/**
 * Bundles the program in two passes. The first finds which modules the client really uses: most are imported through a layer's `mod.ts`,
 * which leads to all of the layer.
 *
 * @param sources receives the files that were read, by path relative to the repository
 * @throws {Error} if the client would load another file of the bundle
 */
async function bundleGroups(
  input: Readonly<Record<string, string>>,
  sources: Map<string, string>,
  kind: BundleKind,
): Promise<RolldownOutput> {
  const client = modulesAtOnce(await bundle({ client: CLIENT }, { kind, isUsedOnly: true }));
  let host: ReadonlySet<string> | undefined;
  const codeSplitting: OutputOptions["codeSplitting"] = {
    groups: [
      {
        debugName: "program",
        name(id, context) {
          if (client.has(id)) return "client";
          host ??= closureOf(HOST, (other) => context.getModuleInfo(other)?.importedIds);
          return host.has(id) ? "main" : null;
        },
      },
    ],
  };
  const whole = await bundle(input, { sources, kind, isUsedOnly: true, codeSplitting });
  for (const file of whole.output) {
    const extra = file.type === "chunk" && file.name === "client" ? file.imports.find((name) => !name.startsWith("node:")) : undefined;
    if (extra !== undefined)
      throw new Error(`The client would load ${extra} (split the module of the client that imports something large, or import it later)`);
  }
  return whole;
}

interface BundleOptions {
  /** Receives the files that were read, by path relative to the repository. */
  readonly sources?: Map<string, string>;
  readonly kind: BundleKind;
  /** Whether modules are taken only for what they export, not for what they do. */
  readonly isUsedOnly?: boolean;
  readonly codeSplitting?: OutputOptions["codeSplitting"];
}

async function bundle(input: Readonly<Record<string, string>>, options: BundleOptions): Promise<RolldownOutput> {
  const { sources, kind, isUsedOnly = false, codeSplitting } = options;
  const extension = kind === "required" ? ".cjs" : ".js";
  const bundler = await rolldown({
    cwd: REPOSITORY,
    input,
    platform: "node",
    tsconfig: false,
    external: (id) => /^[^./]/.test(id) && !isAbsolute(id) && (kind === "package" ? !isOf(BUNDLED_PACKAGES, id) : isOf(NEVER_BUNDLED, id)),
    ...(isUsedOnly && { treeshake: { moduleSideEffects: (id) => isUsedForEffects(id) } }),
    plugins: [...(sources === undefined ? [] : [noteSources(sources)]), ...(kind === "required" ? [] : [TAKE_BUILTINS])],
  });
  try {
    return await bundler.generate({
      format: kind === "required" ? "cjs" : "esm",
      entryFileNames: `[name]${extension}`,
      chunkFileNames: `[name]-[hash]${extension}`,
      // Keeps stack traces readable; other comments are removed because every start would read them.
      minify: false,
      comments: { legal: true, jsdoc: false, annotation: false },
      ...(codeSplitting !== undefined && { codeSplitting }),
    });
  } finally {
    await bundler.close();
  }
}

/** Packages may be imported for what they do; no module of the program is. */
function isUsedForEffects(id: string): boolean {
  return isAbsolute(id) && id.includes("/node_modules/") && !BUNDLED_PACKAGES.some((name) => id.includes(`/node_modules/${name}/`));
}

/** Modules of the entries' files, and of the files that those import at once. */
function modulesAtOnce({ output }: RolldownOutput): ReadonlySet<string> {
  const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
  const names = new Set([...chunks.values()].flatMap(({ fileName, isEntry }) => (isEntry ? [fileName] : [])));
  for (const name of names) for (const other of chunks.get(name)?.imports ?? []) names.add(other);
  return new Set([...names].flatMap((name) => Object.keys(chunks.get(name)?.modules ?? {})));
}

function isOf(packages: readonly string[], id: string): boolean {
  return packages.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Hashes the modules as they were read, so that an edit during the build does not match. */
function noteSources(sources: Map<string, string>): Plugin {
  return {
    name: "note-sources",
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const code = isAbsolute(id) ? this.getModuleInfo(id)?.code : undefined;
        if (typeof code === "string") sources.set(relative(REPOSITORY, id).replaceAll("\\", "/"), code);
      }
    },
  };
}

/**
 * Takes Node's own modules by `process.getBuiltinModule`. An `import` of one reads all of its exports, which loads parts that the program
 * does not use: 8 ms instead of 3 for `node:crypto`.
 */
const TAKE_BUILTINS: Plugin = {
  name: "take-builtins",
  renderChunk(code) {
    const taken = code.replace(
      /^import (?:\{([^{}]+)\}|(?:\* as )?([\w$]+)) from ("node:[a-z0-9/_]+");$/gm,
      (_line, names: string | undefined, whole: string, module: string) =>
        `const ${names === undefined ? whole : `{${names.replaceAll(" as ", ": ")}}`} = globalThis.process.getBuiltinModule(${module});`,
    );
    return taken === code ? null : { code: taken, map: null };
  },
};

/** Modules that are loaded together with the entries, by path; dynamic imports are excluded. */
function closureOf(paths: readonly string[], importsOf: (id: string) => readonly string[] | undefined): ReadonlySet<string> {
  const found = new Set(paths.map((path) => join(REPOSITORY, path)));
  for (const id of found) for (const other of importsOf(id) ?? []) if (isAbsolute(other)) found.add(other);
  return found;
}

/** Licence notices of the bundled packages. */
async function thirdParties(paths: readonly string[]): Promise<string> {
  const folders = new Set(paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const parts: string[] = [];
  for (const folder of [...folders].toSorted()) {
    const { name, version, license } = JSON.parse(await readFile(join(REPOSITORY, folder, "package.json"), "utf8")) as Readonly<
      Record<string, string>
    >;
    const file = (await readdir(join(REPOSITORY, folder))).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
    if (file === undefined) throw new Error(`Cannot bundle ${name ?? folder}: it has no licence file (take it out of BUNDLED_PACKAGES)`);
    parts.push(`${name ?? ""} ${version ?? ""} (${license ?? ""})\n\n${(await readFile(join(REPOSITORY, folder, file), "utf8")).trim()}\n`);
  }
  return `These packages are part of bascule's files here.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

async function writeFiles(folder: string, files: Bundle["files"]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, contents] of files) await writeFile(join(folder, name), contents);
}

/** Keeps recent bundles: a running program still loads files of its own. */
async function removeOld(current: string): Promise<void> {
  const names = (await readdir(BUILDS)).filter((name) => FOLDER_NAME.test(name) && name !== current);
  const dated = await Promise.all(names.map(async (name) => ({ name, atMs: (await stat(join(BUILDS, name))).mtimeMs })));
  const old = dated.toSorted((a, b) => b.atMs - a.atMs).slice(KEPT_BUILDS - 1);
  await Promise.all(old.map(({ name }) => rm(join(BUILDS, name), { recursive: true, force: true })));
}

const FOLDER_NAME = /^[0-9a-f]{16}$/;

function nameOf(files: Bundle["files"]): string {
  const hash = createHash("sha256");
  for (const [name, contents] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}\0`).update(contents).update("\0");
  return hash.digest("hex").slice(0, 16);
}

function hashOf(contents: string | Uint8Array): string {
  return createHash("sha256").update(contents).digest("base64");
}
