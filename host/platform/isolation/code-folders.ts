/** The code that runs in the sandbox's process: our own folders, and the packages that they import. */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A bundle is one folder, this file's; the sources are the layers that the process enters. */
const IS_BUNDLE = import.meta.url.endsWith(".js");
const CODE_ROOT = fileURLToPath(new URL(IS_BUNDLE ? "./" : "../../../", import.meta.url));
const OWN_FOLDERS = IS_BUNDLE ? ["."] : ["manifests", "sandbox", "host/platform"];
/** What those folders import. */
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
/** What the platform's other files import is not among them: the process enters by `process-main.ts` only. */
const PACKAGE_FILE = "package.json";

/** Absolute paths, as they are named and as they really are. */
export function codeFolders(): readonly string[] {
  const paths = new Set(OWN_FOLDERS.map((folder) => resolve(CODE_ROOT, folder)));
  const described = folderUpwards(CODE_ROOT, PACKAGE_FILE);
  if (described !== undefined) paths.add(described);
  for (const name of PACKAGES) addPackage(name, CODE_ROOT, paths);
  return [...paths];
}

/** A package and what it depends on. */
function addPackage(name: string, from: string, paths: Set<string>): void {
  const folder = folderUpwards(from, join("node_modules", name));
  if (folder === undefined || paths.has(folder)) return;
  const real = realpathSync(folder);
  paths.add(folder).add(real);
  // Its own words; what is not there is not needed.
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
