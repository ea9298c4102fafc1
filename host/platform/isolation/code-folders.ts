/** The code that runs in the sandbox's process: bascule's own folders, and the packages that they import. */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { IS_EXECUTABLE, unpacked } from "../executable/executable.ts";

/** A bundle is one folder, this file's. For sources, these are the layers that the process loads. */
const IS_BUNDLE = import.meta.url.endsWith(".js");
const CODE_ROOT = fileURLToPath(new URL(IS_BUNDLE ? "./" : "../../../", import.meta.url));
const OWN_FOLDERS = IS_BUNDLE ? ["."] : ["manifests", "sandbox", "host/platform"];
/** Packages that these folders import. */
const PACKAGES = [
  "@exodus/bytes",
  "@jitl/quickjs-wasmfile-release-sync",
  "@jridgewell/sourcemap-codec",
  "@sinclair/typebox",
  "acorn",
  "amaro",
  "quickjs-emscripten",
  "semver",
];
/** Imports of the platform's other files are not included, because the process enters through `process-main.ts` only. */
const PACKAGE_FILE = "package.json";

/** Returns absolute paths, both as named and with links resolved. None if an executable runs its own code. */
export function codeFolders(runtime: "deno" | "node"): readonly string[] {
  if (IS_EXECUTABLE) return runtime === "deno" ? [unpacked("program")] : [];
  const paths = new Set(OWN_FOLDERS.map((folder) => resolve(CODE_ROOT, folder)));
  const described = folderUpwards(CODE_ROOT, PACKAGE_FILE);
  if (described !== undefined) paths.add(described);
  for (const name of PACKAGES) addPackage(name, CODE_ROOT, paths);
  return [...paths];
}

/** Adds a package and its dependencies. */
function addPackage(name: string, from: string, paths: Set<string>): void {
  const folder = folderUpwards(from, join("node_modules", name));
  if (folder === undefined || paths.has(folder)) return;
  const real = realpathSync(folder);
  paths.add(folder).add(real);
  // Reads the package's own list; a dependency that is not installed is not needed.
  const { dependencies = {} } = JSON.parse(readFileSync(join(real, PACKAGE_FILE), "utf8")) as { readonly dependencies?: object };
  for (const other of Object.keys(dependencies)) addPackage(other, real, paths);
}

function folderUpwards(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}
