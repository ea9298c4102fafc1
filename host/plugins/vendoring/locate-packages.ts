/** Finds packages on disk: in `node_modules`, in Deno's cache, or downloaded for this run. */

import { isJsonObject } from "../../../manifests/mod.ts";
import type { ModuleGraph } from "../../platform/bundling/bundler-types.ts";
import { toHex } from "../../platform/bytes.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareText } from "../../primitives/digest.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import satisfies from "semver/functions/satisfies.js";
import { takenLines } from "./npmrc.ts";
import { installedName, type PackageSpecifier } from "./package-specifier.ts";
import type { Wanted } from "./wanted.ts";

/** A package with all its modules that a plugin imports. */
export interface LocatedPackage {
  /** `npm:lodash-es`. */
  readonly key: string;
  readonly wanted: readonly Wanted[];
  readonly version: string;
  readonly license?: string;
  /** Name to import it by, from code in `from`. Absent for a package in Deno's cache. */
  readonly importName?: string;
  /** Folder from which `node_modules` is searched upwards. */
  readonly from?: string;
  readonly graph?: ModuleGraph;
  /** Names of packages that share an instance with it: its peers. */
  readonly peers: ReadonlySet<string>;
  readonly dependencies: ReadonlySet<string>;
  readonly licence?: Uint8Array;
}

/** A package that is not on disk. */
export interface AbsentPackage {
  readonly key: string;
  readonly wanted: readonly Wanted[];
  /** Version in `node_modules` that does not satisfy the range. */
  readonly otherVersion?: string;
}

type LocatePlatform = Pick<Platform, "files" | "bundler" | "environment" | "random">;

const MAX_LICENCE_BYTES = 1024 * 1024;

function keyOf({ registry, name }: PackageSpecifier): string {
  return `${registry}:${name}`;
}

/** Groups modules by package, in the order of the first of each. */
export function byPackage(wanted: readonly Wanted[]): ReadonlyMap<string, readonly Wanted[]> {
  return Map.groupBy(wanted, (one) => keyOf(one.package));
}

/** Searches `node_modules` upwards from a folder, as Node does. */
export async function locate(
  files: Platform["files"],
  from: string,
  [key, wanted]: readonly [string, readonly Wanted[]],
): Promise<LocatedPackage | AbsentPackage> {
  const [first] = wanted;
  if (first === undefined) return { key, wanted };
  const installed = installedName(first.package);
  let otherVersion: string | undefined;
  // A dependency in package.json may have another name than its package.
  for (const importName of new Set([installed, packageName(first.name)])) {
    const folder = await findFolder(files, from, importName);
    const facts = folder === undefined ? undefined : await readFacts(files, folder);
    if (folder === undefined || facts === undefined || (importName !== installed && facts.name !== installed)) continue;
    const { version, license, peers, dependencies } = facts;
    if (wanted.every(({ package: { range } }) => isSatisfied(version, range))) {
      const licence = await readLicence(files, folder);
      return {
        ...{ key, wanted, version, importName, from, peers, dependencies },
        ...(license !== undefined && { license }),
        ...(licence !== undefined && { licence }),
      };
    }
    otherVersion = version;
  }
  return { key, wanted, ...(otherVersion !== undefined && { otherVersion }) };
}

export function isLocated(found: LocatedPackage | AbsentPackage): found is LocatedPackage {
  return "version" in found;
}

/** Returns the version in `node_modules`; undefined if the package is not there. */
export async function installedVersion(files: Platform["files"], from: string, name: string): Promise<string | undefined> {
  const folder = /^(?:@[\w.-]+\/)?\w[\w.-]*$/.test(name) ? await findFolder(files, from, name) : undefined;
  return folder === undefined ? undefined : (await readFacts(files, folder)).version;
}

/** A tag such as `latest` is satisfied by any version. */
function isSatisfied(version: string, range: string | undefined): boolean {
  return range === undefined || !/\d/.test(range) || satisfies(version, range);
}

function packageName(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier.replace(/^(?:npm|jsr):\/?/, ""))?.[0] ?? specifier;
}

async function findFolder(files: Platform["files"], from: string, name: string): Promise<string | undefined> {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    const candidate = `${folder}/node_modules/${name}`;
    if ((await files.stat(`${candidate}/package.json`))?.kind === "file") return candidate;
    if (folder === "") return undefined;
  }
}

interface Facts {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly peers: ReadonlySet<string>;
  readonly dependencies: ReadonlySet<string>;
}

async function readFacts(files: Platform["files"], folder: string): Promise<Facts> {
  const document = tryJson(await files.readText(`${folder}/package.json`));
  const field = (name: string): unknown => (isJsonObject(document) ? document[name] : undefined);
  const text = (name: string): string | undefined => {
    const value = field(name);
    return typeof value === "string" ? value : undefined;
  };
  const names = (value: unknown): ReadonlySet<string> => new Set(isJsonObject(value) ? Object.keys(value) : []);
  const license = text("license");
  return {
    name: text("name") ?? "",
    version: text("version") ?? "0.0.0",
    ...(license !== undefined && { license }),
    peers: names(field("peerDependencies")),
    dependencies: names(field("dependencies")),
  };
}

async function readLicence(files: Platform["files"], folder: string): Promise<Uint8Array | undefined> {
  const names = (await files.list(folder)).map(({ name }) => name).filter((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  const [name] = names.toSorted(compareText);
  return name === undefined ? undefined : await files.readBytes(`${folder}/${name}`, MAX_LICENCE_BYTES);
}

/** Finds a jsr package with Deno. @returns a message if Deno does not find it */
export async function locateInDeno(
  { bundler }: Pick<Platform, "bundler">,
  directory: string,
  { key, wanted }: AbsentPackage,
): Promise<LocatedPackage | string> {
  const graphs: ModuleGraph[] = [];
  for (const { target } of wanted) {
    const graph = await bundler.denoGraph(target, directory);
    if (typeof graph === "string") return graph;
    graphs.push(graph);
  }
  const graph = {
    modules: new Map(graphs.flatMap(({ modules }) => [...modules])),
    redirects: new Map(graphs.flatMap(({ redirects }) => [...redirects])),
  };
  return { key, wanted, version: versionIn(graph, wanted[0]?.target ?? ""), graph, peers: new Set(), dependencies: new Set() };
}

/** Reads the version from a URL such as `https://jsr.io/@std/assert/1.0.13/mod.ts`. */
function versionIn({ redirects, modules }: ModuleGraph, target: string): string {
  const resolved = redirects.get(target) ?? [...modules.keys()][0] ?? "";
  return /^https:\/\/jsr\.io\/@[^/]+\/[^/]+\/([^/]+)\//.exec(resolved)?.[1] ?? "0.0.0";
}

/** Packages that were downloaded for one run. Disposing of them removes the folder. */
export interface Downloaded extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Downloads packages into a folder of the user's cache.
 *
 * @param pinned versions to take, by key; other packages get the newest that their range allows
 * @returns a message if that fails
 */
export async function download(
  { files, bundler, environment, random }: LocatePlatform,
  directory: string,
  absent: readonly AbsentPackage[],
  pinned: ReadonlyMap<string, string>,
): Promise<Downloaded | string> {
  const foreign: string[] = [];
  const packages = absent.map(({ key, wanted: [first] }) => {
    const range = first?.package.range ?? "latest";
    const known = pinned.get(key);
    if (!isOfRegistry(range)) foreign.push(`${key}: "${range}" is not a version, a range or a tag of a registry`);
    return `${first === undefined ? key : installedName(first.package)}@${known !== undefined && isOfRegistry(known) && isSatisfied(known, first?.package.range) ? known : range}`;
  });
  if (foreign.length > 0) return foreign.join("; ");
  const folder = `${environment.cache}/packages/${toHex(random.bytes(8))}`;
  await files.makeDirectory(folder);
  const dispose = async (): Promise<void> => await files.remove(folder);
  const failed = await bundler.fetchPackages({ packages, folder, npmrc: await readNpmrc(files, directory) });
  if (failed === undefined) return { folder, [Symbol.asyncDispose]: dispose };
  await dispose();
  return failed;
}

/** A version, a range or a tag. Anything else names a file, a repository or an address. */
function isOfRegistry(range: string): boolean {
  return /^[\w.^~<>=|*+\- ]+$/.test(range);
}

/** Returns what a download takes of the nearest `.npmrc`, which npm itself reads only in the folder where it runs. */
async function readNpmrc(files: Platform["files"], directory: string): Promise<string> {
  for (let folder = directory; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/")))
    if ((await files.stat(`${folder}/.npmrc`))?.kind === "file") return takenLines(await files.readText(`${folder}/.npmrc`));
  return "";
}
