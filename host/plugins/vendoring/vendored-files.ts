/** Reads what an earlier run left in `vendor/`, and writes the new contents. */

import { FileError, type Platform } from "../../platform/platform.ts";
import { compareText, sha256Hex } from "../../primitives/digest.ts";
import { parseVendored, VENDOR_FILE, VENDOR_FOLDER, type Vendored, type VendoredPackage, vendoredToJson } from "../folder/vendored.ts";
import type { AbsentPackage, LocatedPackage } from "./locate-packages.ts";

/** Contents of `vendor/` before a run. */
export interface VendoredBefore {
  /** By target, as `vendor.json` lists them. */
  readonly packages: ReadonlyMap<string, VendoredPackage>;
  /** Names of the files without ".js", by target. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Hashes by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Versions by registry and name: `npm:lodash-es`. */
  readonly versions: ReadonlyMap<string, string>;
  /** Whether the files of a package serve as they are: same version, unchanged on disk, and built with these sub-paths and peers. */
  isKept(found: LocatedPackage | AbsentPackage): boolean;
}

/** @param targets all targets that the plugin imports now */
export async function readVendored(files: Platform["files"], directory: string, targets: ReadonlySet<string>): Promise<VendoredBefore> {
  const vendored = parseVendored(await readOr(files, `${directory}/${VENDOR_FILE}`, "{}")) ?? { imports: {}, packages: {}, files: {} };
  const intact = new Set<string>();
  for (const [path, hash] of Object.entries(vendored.files)) {
    const isThere = PLAIN.test(path) && (await files.stat(`${directory}/${path}`))?.kind === "file";
    if (isThere && (await sha256Hex((await files.readBytes(`${directory}/${path}`)).slice())) === hash) intact.add(path);
  }
  const packages = new Map(Object.entries(vendored.packages));
  const ofOthers = new Set([...packages].filter(([target]) => !targets.has(target)).flatMap(([, { files: own = [] }]) => own));

  function isKept(found: LocatedPackage | AbsentPackage): boolean {
    return found.wanted.every(({ target }) => {
      const known = packages.get(target);
      if (known?.build === undefined || known.files === undefined) return false;
      const isSame = !("version" in found) || found.version === known.version;
      return isSame && known.files.every((path) => intact.has(path) && !ofOthers.has(path));
    });
  }

  return {
    packages,
    isKept,
    outputs: new Map(
      Object.entries(vendored.imports).map(([target, path]) => [target, path.slice(`./${VENDOR_FOLDER}`.length).replace(/\.js$/, "")]),
    ),
    files: new Map(Object.entries(vendored.files)),
    versions: new Map(
      [...packages].map(([target, { version }]) => [target.replace(/^(npm|jsr):\/?((?:@[^/]+\/)?[^/@]+).*$/, "$1:$2"), version]),
    ),
  };
}

/** Only plain names in `vendor/` are read, kept or removed, whatever the file lists. */
const PLAIN = /^vendor\/[\w.-]*\w$/;

/** The new list, with the contents of the files that are new. */
export interface VendoredAfter extends Vendored {
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** Removes files that only an earlier run wrote; other files stay. The list is written last. @returns paths of the files in the list */
export async function writeVendored(
  files: Platform["files"],
  directory: string,
  before: VendoredBefore,
  after: VendoredAfter,
): Promise<readonly string[]> {
  const { contents, ...vendored } = after;
  await files.makeDirectory(`${directory}/${VENDOR_FOLDER}`);
  for (const [path, bytes] of contents) await files.writeAtomic(`${directory}/${path}`, bytes);
  for (const path of before.files.keys())
    if (PLAIN.test(path) && !Object.hasOwn(vendored.files, path)) await files.remove(`${directory}/${path}`);
  await files.writeAtomic(`${directory}/${VENDOR_FILE}`, vendoredToJson(vendored));
  return Object.keys(vendored.files).toSorted(compareText);
}

async function readOr(files: Platform["files"], path: string, otherwise: string): Promise<string> {
  try {
    return await files.readText(path);
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return otherwise;
    throw error;
  }
}
