/**
 * Bundles the program, so that a start reads a few files instead of several hundred
 * (docs/decisions/0038-one-file-for-the-program.md).
 *
 * `main-….js` has everything that every start needs. Modules imported later stay separate files, and packages that are not listed
 * here stay packages.
 */

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { type Plugin, rolldown, type RolldownOutput } from "rolldown";
import { REPOSITORY } from "./run-command.ts";

/**
 * Packages of many small files that every start loads. The engine's package is not among them, because the sandbox reads its glue
 * code as published.
 */
const BUNDLED_PACKAGES = ["@jridgewell/sourcemap-codec", "@sinclair/typebox", "semver"];

/** Entries of `main-….js`: the program, and the command whose start time matters most. */
const AT_ONCE = ["host/doors/cli/main.ts", "host/doors/cli/commands/call.ts"];

/** Entries that are bundled together share code; entries of separate threads and processes have copies. */
const PROGRAM = { cli: "host/doors/cli/main.ts", mod: "host/mod.ts" };
const SANDBOXES = {
  "worker-node": "host/platform/threads/worker-node.ts",
  "worker-deno": "host/platform/threads/worker-deno.ts",
  "worker-starter": "host/platform/threads/worker-starter.ts",
  "service-main": "host/host/service-main.ts",
  "process-main": "host/platform/isolation/process-main.ts",
  "plugin-main": "host/platform/trusted/plugin-main.ts",
};

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

/** Writes a bundle for this checkout, beside others, and makes it the current one. Safe if several processes do so at once. */
export async function bundleForCheckout(): Promise<void> {
  const { files, inputs } = await bundleProgram();
  const folder = nameOf(files);
  const temporary = join(BUILDS, `.${process.pid}`);
  await rm(temporary, { recursive: true, force: true });
  await writeFiles(temporary, files);
  // An existing bundle of this name has the same content.
  await rename(temporary, join(BUILDS, folder)).catch(() => rm(temporary, { recursive: true }));
  await writeFile(`${temporary}.json`, JSON.stringify({ format: 1, folder, inputs }));
  await rename(`${temporary}.json`, join(BUILDS, "current.json"));
  await removeOld(folder);
}

/** Writes a bundle into the package's `dist/program/`, which is emptied first, with the entry files of the library. */
export async function bundleInto(folder: string): Promise<void> {
  const { files, exported } = await bundleProgram();
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, new Map([...files, ...libraryFiles(exported)]));
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
  const outputs = await Promise.all([bundle(PROGRAM, AT_ONCE, sources), bundle(SANDBOXES, [], sources)]);
  const files = new Map<string, string | Uint8Array>();
  for (const { output } of outputs) for (const file of output) files.set(file.fileName, file.type === "chunk" ? file.code : file.source);
  files.set("THIRD-PARTY.txt", await thirdParties([...sources.keys()]));
  const exported = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.fileName === "mod.js" && file.type === "chunk" ? file.exports : [])),
  );
  const inputs = [...sources].map(([id, code]): Input => [id, hashOf(code)]);
  for (const path of ALSO_READ) inputs.push([path, hashOf(await readFile(REPOSITORY + path))]);
  return { files, inputs, exported };
}

/** @param sources receives the files that were read, by path relative to the repository. */
async function bundle(
  input: Readonly<Record<string, string>>,
  atOnce: readonly string[],
  sources: Map<string, string>,
): Promise<RolldownOutput> {
  let closure: ReadonlySet<string> | undefined;
  const bundler = await rolldown({
    cwd: REPOSITORY,
    input,
    platform: "node",
    tsconfig: false,
    external: (id) => /^[^./]/.test(id) && !isAbsolute(id) && !BUNDLED_PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [noteSources(sources)],
  });
  try {
    return await bundler.generate({
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Keeps stack traces readable; other comments are removed because every start would read them.
      minify: false,
      comments: { legal: true, jsdoc: false, annotation: false },
      codeSplitting: {
        groups: [
          {
            debugName: "main",
            name(id, context) {
              closure ??= closureOf(atOnce, (other) => context.getModuleInfo(other)?.importedIds);
              return closure.has(id) ? "main" : null;
            },
          },
        ],
      },
    });
  } finally {
    await bundler.close();
  }
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
