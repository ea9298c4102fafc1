/** `vendor/vendor.json`: the files that `bascule vendor` put into a plugin, with their hashes (SPEC PB3). */

import { isJsonArray, isJsonObject, type JsonValue, type Problem } from "../../../manifests/mod.ts";
import { PACKAGE_BUILDS, type PackageBuild } from "../../platform/bundling/bundler-types.ts";
import { compareText, sha256Hex } from "../../primitives/digest.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { folderError, quote } from "./problems.ts";

export const VENDOR_FOLDER = "vendor/";
export const VENDOR_FILE = "vendor/vendor.json";

/** The file's contents. */
export interface Vendored {
  /** Files by import name of the manifest's `imports`: "npm:left-pad@^1" to "./vendor/left-pad.js". */
  readonly imports: Readonly<Record<string, string>>;
  /** The packages that were installed when it was vendored, by the same names. */
  readonly packages: Readonly<Record<string, VendoredPackage>>;
  /** SHA-256 in hex by path in the plugin's folder. */
  readonly files: Readonly<Record<string, string>>;
}

export interface VendoredPackage {
  readonly version: string;
  readonly license?: string;
  /** The build that was chosen; absent if an older version of bascule wrote the file. */
  readonly build?: PackageBuild;
  /** Paths of its files, with those that it shares with its peers. */
  readonly files?: readonly string[];
}

const ADVICE = "run `bascule vendor`, or restore the file";
const MAX_PROBLEMS = 20;
/** Files that code can import. */
const IMPORTABLE = /\.(?:[mc]?[jt]s|json)$/;

/** Returns the mismatches; empty for a plugin without the file. */
export async function checkVendored(files: ReadonlyMap<string, Uint8Array>): Promise<readonly Problem[]> {
  const bytes = files.get(VENDOR_FILE);
  if (bytes === undefined) return [];
  const vendored = parseVendored(new TextDecoder().decode(bytes));
  if (vendored === undefined) return [folderError(`"${VENDOR_FILE}" was not written by \`bascule vendor\``, "run it again")];
  const problems: Problem[] = [];
  for (const [path, hash] of Object.entries(vendored.files)) {
    const content = files.get(path);
    if (content === undefined) problems.push(folderError(`File ${quote(path)} is missing, but "${VENDOR_FILE}" lists it`, ADVICE));
    else if ((await sha256Hex(content.slice())) !== hash) {
      problems.push(folderError(`File ${quote(path)} is not the vendored one: its hash differs from that in "${VENDOR_FILE}"`, ADVICE));
    }
  }
  for (const path of files.keys()) {
    const isNew = path.startsWith(VENDOR_FOLDER) && path !== VENDOR_FILE && IMPORTABLE.test(path) && !Object.hasOwn(vendored.files, path);
    if (isNew)
      problems.push(folderError(`File ${quote(path)} is not in "${VENDOR_FILE}"`, "move it out of vendor/, or run `bascule vendor`"));
  }
  for (const [name, target] of Object.entries(vendored.imports)) {
    if (Object.hasOwn(vendored.files, target.replace(/^\.\//, ""))) continue;
    problems.push(folderError(`"${VENDOR_FILE}" maps ${quote(name)} to ${quote(target)}, which it does not list`, "run `bascule vendor`"));
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** Returns undefined if the text is not valid. */
export function parseVendored(text: string): Vendored | undefined {
  const document = tryJson(text);
  if (!isJsonObject(document)) return undefined;
  const imports = textsIn(document["imports"]);
  const files = textsIn(document["files"]);
  const packages = document["packages"];
  if (imports === undefined || files === undefined || !isJsonObject(packages)) return undefined;
  if (!Object.keys(files).every((path) => path.startsWith(VENDOR_FOLDER))) return undefined;
  return { imports, files, packages: Object.fromEntries(Object.entries(packages).map(([target, value]) => [target, readPackage(value)])) };
}

function readPackage(value: JsonValue): VendoredPackage {
  const { version, license, build, files } = isJsonObject(value) ? value : {};
  const known = PACKAGE_BUILDS.find((one) => one === build);
  return {
    version: typeof version === "string" ? version : "0.0.0",
    ...(typeof license === "string" && { license }),
    ...(known !== undefined && { build: known }),
    ...(isJsonArray(files) && { files: files.filter((path) => typeof path === "string") }),
  };
}

/** Returns the file's text. */
export function vendoredToJson({ imports, packages, files }: Vendored): string {
  const sorted = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
  return `${JSON.stringify({ imports: sorted(imports), packages: sorted(packages), files: sorted(files) }, undefined, 2)}\n`;
}

function textsIn(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
}
