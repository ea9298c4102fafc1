/** Fills a plugin's `vendor/` with packages that npm or jsr clients have installed (SPEC PB3, B7). */

import satisfies from "semver/functions/satisfies.js";
import { compareText, sha256Hex } from "../../primitives/digest.ts";
import { VENDOR_FILE, VENDOR_FOLDER, type Vendored, type VendoredPackage, vendoredToJson } from "../folder/vendored.ts";
import { nodeModuleNames } from "../../../sandbox/mod.ts";
import type { BundleEntry, BundleOutcome, ModuleGraph } from "../../platform/bundling/bundler-types.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { importedNames } from "./imported-names.ts";
import { tryVendored } from "./try-vendored.ts";
import { installedName, type PackageSpecifier, parsePackageSpecifier } from "./package-specifier.ts";

/** Packages to vendor, and where. */
interface VendorRequest {
  readonly platform: Pick<Platform, "files" | "bundler" | "workers" | "log">;
  /** Real path of the plugin's folder. */
  readonly directory: string;
  /** The manifest's `imports`. */
  readonly imports: Readonly<Record<string, string>>;
  /** The plugin's files by path, to find the names imported from packages that do not declare their exports. */
  readonly sources: ReadonlyMap<string, Uint8Array>;
}

export type VendorOutcome =
  /** Everything was written. */
  | {
      readonly ok: true;
      readonly packages: Readonly<Record<string, VendoredPackage>>;
      readonly written: readonly string[];
      /** Node modules that packages import and plugins do not have: using them throws. */
      readonly missing: readonly string[];
    }
  | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

/** A package that an import names. */
interface Wanted {
  /** The name in the plugin's code. */
  readonly name: string;
  /** The target in `imports`. */
  readonly target: string;
  readonly package: PackageSpecifier;
}

/** A package that was found. */
type Found = { readonly entry: string; readonly facts: VendoredPackage; readonly folder?: string; readonly graph?: ModuleGraph };

/**
 * Bundles each package in `imports` into one file, and shared code into separate files; writes nothing if a package is missing or does not
 * load.
 */
export async function vendorPlugin(request: VendorRequest): Promise<VendorOutcome> {
  const { directory, platform, sources } = request;
  const wanted = readWanted(request.imports);
  if (typeof wanted === "string") return refused(wanted);
  const outputs = nameOutputs(wanted);
  const entries: BundleEntry[] = [];
  const packages: Record<string, VendoredPackage> = {};
  const licences = new Map<string, Uint8Array>();
  const graphs: ModuleGraph[] = [];
  for (const [index, one] of wanted.entries()) {
    const found = await find(one, request);
    if ("ok" in found) return found;
    packages[one.target] = found.facts;
    const output = outputs[index] ?? "";
    const { registry, name } = one.package;
    entries.push({ output, specifier: found.entry, package: `${registry}:${name}`, names: importedNames(sources, one.name) });
    if (found.graph !== undefined) graphs.push(found.graph);
    const licence = found.folder === undefined ? undefined : await readLicence(platform, found.folder);
    if (licence !== undefined) licences.set(`${output}.LICENSE.txt`, licence);
  }
  const made =
    entries.length === 0
      ? { ok: true as const, files: new Map<string, string>(), inputs: [], missing: [] }
      : await bundle(request, entries, graphs);
  if (!made.ok) return made;
  const tried = wanted.map(({ target }, index) => ({ target, output: outputs[index] ?? "" }));
  const broken = tried.length === 0 ? undefined : await tryVendored(platform, tried, made.files);
  if (broken !== undefined) return refused(`${broken} (nothing was written)`, "a version or a package for browsers or Deno");

  const contents = new Map<string, Uint8Array>([...made.files].map(([file, text]) => [file, new TextEncoder().encode(text)]));
  for (const [file, bytes] of licences) contents.set(file, bytes);
  const files: Record<string, string> = {};
  for (const [file, bytes] of contents) files[VENDOR_FOLDER + file] = await sha256Hex(bytes.slice());
  const imports = Object.fromEntries(wanted.map(({ target }, index) => [target, `./${VENDOR_FOLDER}${outputs[index] ?? ""}.js`]));
  await write(request, contents, { imports, packages, files });
  const written = [...contents.keys()].map((file) => VENDOR_FOLDER + file).toSorted(compareText);
  return { ok: true, packages, written, missing: made.missing };

  async function bundle(
    { platform: { bundler } }: VendorRequest,
    all: readonly BundleEntry[],
    found: readonly ModuleGraph[],
  ): Promise<Extract<BundleOutcome, { readonly ok: true }> | Extract<VendorOutcome, { readonly ok: false }>> {
    const graph = found.length === 0 ? {} : { graph: mergeGraphs(found) };
    const outcome = await bundler.bundle({ entries: all, directory, nodeModules: await nodeModuleNames(), ...graph });
    if (outcome.ok) return outcome;
    if (outcome.reason === "not_installed")
      return refused("Bundling packages requires esbuild, which is not installed", "npm install --save-dev esbuild");
    return refused(`Cannot bundle the packages: ${outcome.message}`);
  }
}

function refused(message: string, ...advice: readonly string[]): Extract<VendorOutcome, { readonly ok: false }> {
  return { ok: false, message, advice };
}

function readWanted(imports: Readonly<Record<string, string>>): readonly Wanted[] | string {
  const wanted: Wanted[] = [];
  for (const [name, target] of Object.entries(imports)) {
    if (target.startsWith("./")) continue;
    const specifier = parsePackageSpecifier(target);
    if (specifier === undefined || name.endsWith("/"))
      return `"${name}": "${target}" does not name one module of a package (list each imported module)`;
    wanted.push({ name, target, package: specifier });
  }
  return wanted;
}

/** `@std/assert` becomes `std-assert.js`; a name that is taken gets a number. */
function nameOutputs(wanted: readonly Wanted[]): readonly string[] {
  const taken = new Set<string>();
  return wanted.map(({ name }) => {
    const plain =
      name
        .replace(/^(?:npm|jsr):/, "")
        .toLowerCase()
        .replace(/[^a-z0-9.]+/g, "-")
        .replace(/^[-.]+|[-.]+$/g, "") || "package";
    let output = plain;
    for (let number = 2; taken.has(output) || output.startsWith("chunk-"); number++) output = `${plain}-${number}`;
    taken.add(output);
    return output;
  });
}

async function find(
  wanted: Wanted,
  { platform, directory }: VendorRequest,
): Promise<Found | Extract<VendorOutcome, { readonly ok: false }>> {
  const { package: specifier, target } = wanted;
  const installed = installedName(specifier);
  const folder = await findInstalled(platform, directory, installed);
  if (folder !== undefined) {
    const facts = await readFacts(platform, folder);
    if (specifier.range !== undefined && /\d/.test(specifier.range) && !satisfies(facts.version, specifier.range)) {
      return refused(
        `"${target}" is requested, but version ${facts.version} is installed in "${folder}"`,
        `npm install ${installed}@${specifier.range}`,
      );
    }
    return { entry: `${installed}${specifier.subpath ?? ""}`, facts, folder };
  }
  if (specifier.registry === "npm")
    return refused(`"${target}" is not installed`, `npm install --save-dev ${installed}${atRange(specifier)}`);
  const graph = await platform.bundler.denoGraph(target, directory);
  if (typeof graph !== "string") return { entry: target, facts: factsFromGraph(graph, target), graph };
  return refused(
    `"${target}" is neither in node_modules nor known to Deno: ${graph}`,
    `deno cache ${target}`,
    `npx jsr add ${specifier.name}`,
  );
}

function atRange({ range }: PackageSpecifier): string {
  return range === undefined ? "" : `@${range}`;
}

/** Searches upwards from the plugin, as Node does. */
async function findInstalled({ files }: VendorRequest["platform"], directory: string, name: string): Promise<string | undefined> {
  for (let folder = directory; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    const candidate = `${folder}/node_modules/${name}`;
    if ((await files.stat(`${candidate}/package.json`))?.kind === "file") return candidate;
    if (folder === "") return undefined;
  }
}

async function readFacts({ files }: VendorRequest["platform"], folder: string): Promise<VendoredPackage> {
  const document: unknown = JSON.parse(await files.readText(`${folder}/package.json`));
  const field = (name: string): unknown => (typeof document === "object" && document !== null ? Reflect.get(document, name) : undefined);
  const [version, license] = [field("version"), field("license")];
  return { version: typeof version === "string" ? version : "0.0.0", ...(typeof license === "string" && { license }) };
}

/** Reads the version from a URL such as `https://jsr.io/@std/assert/1.0.13/mod.ts`. */
function factsFromGraph({ redirects, modules }: ModuleGraph, target: string): VendoredPackage {
  const resolved = redirects.get(target) ?? [...modules.keys()][0] ?? "";
  return { version: /^https:\/\/jsr\.io\/@[^/]+\/[^/]+\/([^/]+)\//.exec(resolved)?.[1] ?? "0.0.0" };
}

function mergeGraphs(graphs: readonly ModuleGraph[]): ModuleGraph {
  return {
    modules: new Map(graphs.flatMap(({ modules }) => [...modules])),
    redirects: new Map(graphs.flatMap(({ redirects }) => [...redirects])),
  };
}

async function readLicence({ files }: VendorRequest["platform"], folder: string): Promise<Uint8Array | undefined> {
  const names = (await files.list(folder)).map(({ name }) => name).filter((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  const [name] = names.toSorted(compareText);
  return name === undefined ? undefined : await files.readBytes(`${folder}/${name}`, MAX_LICENCE_BYTES);
}

const MAX_LICENCE_BYTES = 1024 * 1024;

/** Removes files that only an earlier run wrote; other files stay. The list is written last. */
async function write(
  { platform: { files }, directory }: VendorRequest,
  contents: ReadonlyMap<string, Uint8Array>,
  vendored: Vendored,
): Promise<void> {
  const before = await readBefore(files, directory);
  await files.makeDirectory(`${directory}/${VENDOR_FOLDER}`);
  for (const [file, bytes] of contents) await files.writeAtomic(`${directory}/${VENDOR_FOLDER}${file}`, bytes);
  for (const path of before) if (!Object.hasOwn(vendored.files, path)) await files.remove(`${directory}/${path}`);
  await files.writeAtomic(`${directory}/${VENDOR_FILE}`, vendoredToJson(vendored));
}

async function readBefore(files: Platform["files"], directory: string): Promise<readonly string[]> {
  try {
    const document: unknown = JSON.parse(await files.readText(`${directory}/${VENDOR_FILE}`));
    const listed: unknown = typeof document === "object" && document !== null ? Reflect.get(document, "files") : undefined;
    // Removes only plain names in vendor/, whatever the file lists.
    return typeof listed === "object" && listed !== null ? Object.keys(listed).filter((path) => /^vendor\/[\w.-]*\w$/.test(path)) : [];
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof FileError && error.code === "not_found")) return [];
    throw error;
  }
}
