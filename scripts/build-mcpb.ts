/** Builds bascule's own MCP bundle: the packed program with the packages that it needs, for clients that install `.mcpb` files. */

import { globSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { bundleInto } from "./bundle-program.ts";
import { REPOSITORY } from "./run-command.ts";

/** Files of the checkout that `bascule mcp` needs, besides the bundled program. */
const OWN_FILES = ["package.json", "LICENSE", "bin/*", "manifests/manifest.schema.json"];
/** Files of packages that only compilers, readers and the packages' own tools use. */
const NOT_RUN = /\.(?:map|md|markdown|[cm]?ts|tsbuildinfo)$|\/\./i;
/** Zip archives record a time for each file; a constant one makes equal bundles equal byte for byte. */
const MTIME = new Date(1980, 0, 1);

/** Writes the bundle into the folder. Returns its path. */
export async function buildMcpb(target: string): Promise<string> {
  const manifest = await readFile(`${REPOSITORY}extensions/mcpb/manifest.json`, "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const files: Zippable = { "manifest.json": Buffer.from(manifest), "icon.png": await readFile(`${REPOSITORY}extensions/icon.png`) };
  for (const path of globSync(OWN_FILES, { cwd: REPOSITORY })) files[`server/${path}`] = await readFile(REPOSITORY + path);
  await addProgram(files);
  await addPackages(files);
  const path = join(target, `bascule-${version}.mcpb`);
  await mkdir(target, { recursive: true });
  await writeFile(path, zipSync(sorted(files), { mtime: MTIME }));
  return path;
}

async function addProgram(files: Zippable): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-mcpb-"));
  try {
    await bundleInto(folder);
    for (const name of await readdir(folder)) files[`server/dist/program/${name}`] = await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds the packages that `npm install bascule` would install, at the versions of the lock file. */
async function addPackages(files: Zippable): Promise<void> {
  const lock = JSON.parse(await readFile(`${REPOSITORY}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, Readonly<Partial<Record<"dev" | "devOptional" | "optional" | "peer", boolean>>>>>;
  };
  for (const [path, { dev, devOptional, optional, peer }] of Object.entries(lock.packages)) {
    if (path === "" || dev === true || devOptional === true || optional === true || peer === true) continue;
    for (const entry of await readdir(REPOSITORY + path, { withFileTypes: true, recursive: true })) {
      const file = join(entry.parentPath, entry.name).slice(REPOSITORY.length).replaceAll("\\", "/");
      // Nested packages have entries of their own in the lock file.
      const isNested = dirname(file.slice(path.length)).includes("/node_modules/");
      if (entry.isFile() && !isNested && !NOT_RUN.test(file)) files[`server/${file}`] = await readFile(REPOSITORY + file);
    }
  }
}

function sorted(files: Zippable): Zippable {
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
