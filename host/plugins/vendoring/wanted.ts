/** Decides which packages a plugin needs: from its manifest, from its code, and from the files that list packages. */

import { type FoundImport, packageOfUrl } from "../../../sandbox/mod.ts";
import { alternativeToModule } from "./alternatives.ts";
import type { PackageList } from "./package-lists.ts";
import { type PackageSpecifier, parsePackageSpecifier } from "./package-specifier.ts";

/** A module of a package that the plugin imports. */
export interface Wanted {
  /** The name in the plugin's code. */
  readonly name: string;
  /** The package as `vendor/vendor.json` names it: `npm:lodash-es@4/debounce`. */
  readonly target: string;
  readonly package: PackageSpecifier;
  /** The first import in the code; absent if only the manifest names it. */
  readonly place?: FoundImport;
}

interface Plan {
  readonly wanted: readonly Wanted[];
  /** Names to add to the manifest's `imports`. */
  readonly added: Readonly<Record<string, string>>;
  readonly refused: readonly Unresolved[];
}

/** An import that no list explains. */
interface Unresolved {
  readonly message: string;
  readonly advice: readonly string[];
}

interface PlanRequest {
  /** Name of the plugin, for advice. */
  readonly plugin: string;
  /** The manifest's `imports`. */
  readonly imports: Readonly<Record<string, string>>;
  readonly found: readonly FoundImport[];
  readonly lists: readonly PackageList[];
  /** Names of Node's modules that plugins have, with `node:`. */
  readonly nodeModules: ReadonlySet<string>;
  /** Real path of the plugin's folder. */
  readonly directory: string;
  /** Version of a package in `node_modules`; undefined if it is not there. */
  installedVersion(name: string): Promise<string | undefined>;
}

export async function planPackages(request: PlanRequest): Promise<Plan> {
  const wanted = new Map<string, Wanted>();
  const added: Record<string, string> = {};
  const refused: Unresolved[] = [];

  function want(name: string, target: string, place: FoundImport | undefined): void {
    const specifier = parsePackageSpecifier(target);
    if (specifier !== undefined) wanted.set(name, { name, target, package: specifier, ...(place !== undefined && { place }) });
    else refused.push({ message: `"${name}": "${target}" does not name a module of a package${at(place)}`, advice: [EXAMPLE] });
  }

  const places = new Map(request.found.map((one) => [one.specifier, one]));
  for (const [name, target] of Object.entries(request.imports))
    if (!target.startsWith("./") && !name.endsWith("/")) want(name, target, places.get(name));
  for (const one of request.found) {
    const { specifier } = one;
    if (wanted.has(specifier) || isOwn(specifier, request.nodeModules)) continue;
    if (/^(?:npm|jsr):/.test(specifier)) want(specifier, specifier, one);
    else {
      const mapped = mapName(request.imports, specifier);
      if (mapped?.target.startsWith("./") === true) continue;
      const listed = mapped ?? (await findListed(request, specifier));
      if (listed === undefined) refused.push(unresolved(one, request.plugin));
      else if ("refused" in listed) refused.push({ message: `${listed.refused}${at(one)}`, advice: listed.advice });
      else {
        if (mapped?.isPrefix !== true) added[listed.entry[0]] = listed.entry[1];
        if (!listed.target.startsWith("./")) want(specifier, listed.target, one);
      }
    }
  }
  return { wanted: [...wanted.values()], added, refused };
}

const EXAMPLE = 'write a package such as "npm:lodash-es@^4/debounce"';

/** Relative paths, addresses of files, Node's modules, and bascule's own name are not packages to vendor. */
function isOwn(specifier: string, nodeModules: ReadonlySet<string>): boolean {
  return /^(?:\.{0,2}\/|file:|data:|node:)|^bascule(?:\/|$)/.test(specifier) || nodeModules.has(`node:${specifier}`);
}

/** A target, and the entry for the manifest that leads to it. */
interface Mapped {
  readonly target: string;
  readonly entry: readonly [name: string, target: string];
  readonly isPrefix: boolean;
}

/** Applies an import map, and as Deno does, lets `"x": "npm:x@1"` stand for `x/sub` too. */
function mapName(imports: Readonly<Record<string, string>>, specifier: string): Mapped | undefined {
  const exact = Object.hasOwn(imports, specifier) ? imports[specifier] : undefined;
  if (exact !== undefined) return { target: exact, entry: [specifier, exact], isPrefix: false };
  const [prefix] = Object.keys(imports)
    .filter((name) => name.endsWith("/") && specifier.startsWith(name))
    .toSorted((a, b) => b.length - a.length);
  const base = prefix === undefined ? undefined : imports[prefix];
  if (prefix !== undefined && base !== undefined)
    return { target: base + specifier.slice(prefix.length), entry: [prefix, base], isPrefix: true };
  const { name, rest } = splitName(specifier);
  const whole = rest !== "" && Object.hasOwn(imports, name) ? imports[name] : undefined;
  if (whole === undefined || !/^(?:npm|jsr):/.test(whole)) return undefined;
  return { target: whole + rest, entry: [specifier, whole + rest], isPrefix: false };
}

/** `@scope/x/sub` becomes `@scope/x` and `/sub`. */
function splitName(specifier: string): { readonly name: string; readonly rest: string } {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return { name, rest: specifier.slice(name.length) };
}

type Listed = Mapped | { readonly refused: string; readonly advice: readonly string[] };

async function findListed(request: PlanRequest, specifier: string): Promise<Listed | undefined> {
  const { name, rest } = splitName(specifier);
  for (const { kind, folder, names } of request.lists) {
    if (kind === "deno") {
      const mapped = mapName(Object.fromEntries(names), specifier);
      const inside = mapped === undefined ? undefined : fromFolder(mapped, folder, request.directory);
      if (inside !== undefined) return inside;
      continue;
    }
    const range = names.get(name);
    const target = range === undefined ? undefined : (targetOf(name, range) ?? (await installed(request, name)));
    if (target !== undefined) return exactly(specifier, target + rest);
    if (range !== undefined)
      return { refused: `"${name}" is "${range}" in package.json, which is not in node_modules`, advice: ["npm install"] };
  }
  const target = await installed(request, name);
  return target === undefined ? undefined : exactly(specifier, target + rest);
}

function exactly(specifier: string, target: string): Mapped {
  return { target, entry: [specifier, target], isPrefix: false };
}

async function installed({ installedVersion }: PlanRequest, name: string): Promise<string | undefined> {
  const version = await installedVersion(name);
  return version === undefined ? undefined : `npm:${name}@^${version}`;
}

/** Returns the target of a dependency in package.json; undefined for paths, repositories and workspaces. */
function targetOf(name: string, range: string): string | undefined {
  const [, alias] = /^npm:(.+)$/.exec(range) ?? [];
  if (alias !== undefined) return `npm:${alias}`;
  const [, jsr] = /^jsr:(.+)$/.exec(range) ?? [];
  if (jsr !== undefined) return jsr.startsWith("@") ? `jsr:${jsr}` : `jsr:${name}@${jsr}`;
  // A range with spaces has no form in a specifier; the installed version decides.
  return /^[\w.^~<>=*+-]+$/.test(range) && !/^(?:workspace|catalog)/.test(range) ? `npm:${name}@${range}` : undefined;
}

/** A path in a list is relative to its folder; the manifest's are relative to the plugin, and never leave it. */
function fromFolder(mapped: Mapped, folder: string, directory: string): Listed | undefined {
  const [name, written] = mapped.entry;
  if (/^(?:npm|jsr):/.test(written)) return mapped;
  const named = packageOfUrl(mapped.target);
  if (named !== undefined) return { refused: `"${name}" is "${written}"`, advice: [`write "${named}" in its place`] };
  if (!written.startsWith("./") && !written.startsWith("../")) return { refused: `"${name}" is "${written}"`, advice: [EXAMPLE] };
  const from = new URL(written, `file://${encodeURI(folder)}/`).pathname;
  const root = `${encodeURI(directory)}/`;
  if (!from.startsWith(root))
    return { refused: `"${name}" is "${written}", which is outside of the plugin's folder`, advice: ["move it into the plugin"] };
  const path = `./${decodeURI(from.slice(root.length))}`;
  return { target: path, entry: [name, path], isPrefix: mapped.isPrefix };
}

function unresolved(one: FoundImport, plugin: string): Unresolved {
  const { specifier } = one;
  const named = packageOfUrl(specifier);
  if (/^https?:/.test(specifier)) {
    const advice = named === undefined ? "copy the module into the plugin's folder" : `write "${named}" in its place`;
    return { message: `A plugin imports nothing from the web: "${specifier}"${at(one)}`, advice: [advice] };
  }
  const instead = alternativeToModule(specifier);
  if (instead !== undefined) return { message: `A plugin has no "node:${specifier}"${at(one)}`, advice: [instead] };
  const registry = specifier.startsWith("@std/") ? "jsr" : "npm";
  return {
    message: `No package is listed for "${specifier}"${at(one)}: it is not in manifest.json, deno.json, package.json or node_modules`,
    advice: [`bascule vendor ${plugin} --add ${registry}:${splitName(specifier).name}`],
  };
}

/** Names the place of an import. */
export function at(place: FoundImport | undefined): string {
  return place === undefined ? "" : ` (imported at ${place.file}:${String(place.line)}:${String(place.column)})`;
}
