/**
 * Makes the single executable, which needs no Node on the machine that runs it (docs/decisions/0061-one-executable.md).
 *
 * The base is the Node of package.json. Offline: everything comes from `node_modules`.
 */

import { createHash } from "node:crypto";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundleWhole, ENGINE, REQUIRED } from "./bundle-program.ts";
import { REPOSITORY, runCommand } from "./run-command.ts";

/** Ending of the executable's name on this platform. */
export const SUFFIX: string = process.platform === "win32" ? ".exe" : "";
const NODE = `${REPOSITORY}node_modules/node/bin/node${SUFFIX}`;
/** Bytes in Node's file that `postject` changes; part of Node's documentation of single executables. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
/** Files of the engine's package that a program loads. */
const ENGINE_FILES = ["package.json", "dist/index.mjs", "dist/emscripten-module.mjs", "dist/emscripten-module.wasm"];

/** Writes the executable, and the licences of everything inside beside it. */
export async function makeExecutable(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(join(dirname(path), ".dist-"));
  try {
    const assets = join(folder, "assets");
    await writeAssets(assets);
    const names = (await readdir(assets, { recursive: true, withFileTypes: true })).flatMap((entry) =>
      entry.isFile()
        ? join(entry.parentPath, entry.name)
            .slice(assets.length + 1)
            .replaceAll("\\", "/")
        : [],
    );
    const config = {
      main: join(assets, "executable.cjs"),
      output: join(folder, "blob"),
      disableExperimentalSEAWarning: true,
      // Node's options come from the environment, as with every Node, and never from arguments, which may be words of others.
      execArgvExtension: "env",
      assets: Object.fromEntries(names.toSorted().map((name) => [name, join(assets, name)])),
    };
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    await run(NODE, ["--experimental-sea-config", join(folder, "config.json")]);
    const made = join(folder, `made${SUFFIX}`);
    await copyFile(NODE, made);
    await chmod(made, 0o755);
    const isMac = process.platform === "darwin";
    if (isMac) await run("codesign", ["--remove-signature", made]);
    await run("postject", [
      made,
      "NODE_SEA_BLOB",
      config.output,
      "--sentinel-fuse",
      FUSE,
      ...(isMac ? ["--macho-segment-name", "NODE_SEA"] : []),
    ]);
    if (isMac) await run("codesign", ["--sign", "-", made]);
    await copyFile(join(assets, "program/THIRD-PARTY.txt"), `${path}-licenses.txt`);
    await rename(made, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes what is inside, by the paths that it has below the executable. */
async function writeAssets(folder: string): Promise<void> {
  const program = join(folder, "program");
  const engine = `node_modules/${ENGINE}`;
  await mkdir(program, { recursive: true });
  for (const [name, contents] of await bundleWhole()) await writeFile(join(program, name), contents);
  for (const file of ENGINE_FILES) await cp(`${REPOSITORY}${engine}/${file}`, join(program, engine, file));
  for (const name of ["package.json", "plugins", "templates"])
    await cp(REPOSITORY + name, join(folder, "package", name), { recursive: true });
  const packages = {
    ...Object.fromEntries(Object.entries(REQUIRED).map(([specifier, name]) => [specifier, `program/${name}.cjs`])),
    [ENGINE]: `program/${engine}/dist/index.mjs`,
    [`${ENGINE}/emscripten-module`]: `program/${engine}/dist/emscripten-module.mjs`,
    [`${ENGINE}/wasm`]: `program/${engine}/dist/emscripten-module.wasm`,
  };
  await writeFile(join(folder, "packages.json"), JSON.stringify(packages));
  await copyFile(`${REPOSITORY}bin/executable.cjs`, join(folder, "executable.cjs"));
  await writeFile(join(folder, "digest"), await digestOf(folder));
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder, { recursive: true })).toSorted())
    if ((await stat(join(folder, name))).isFile())
      hash
        .update(`${name}\0`)
        .update(await readFile(join(folder, name)))
        .update("\0");
  return hash.digest("hex");
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args);
  if (code !== 0) throw new Error(`Cannot make the executable: ${command} failed\n${output}`);
}
