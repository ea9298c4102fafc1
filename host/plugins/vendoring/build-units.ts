/** Bundles units of packages into files, in a build that loads in the sandbox. */

import type { BundleEntry, MissingModule, ModuleGraph } from "../../platform/bundling/bundler-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { VENDOR_FOLDER, type VendoredPackage } from "../folder/vendored.ts";
import { alternativesTo } from "./alternatives.ts";
import { chooseBuild, type ChosenBuild, type NoBuild } from "./choose-build.ts";
import type { UnitPackage } from "./find-packages.ts";
import { createTrial, type Trial } from "./try-vendored.ts";
import type { Unit } from "./units.ts";
import type { VendoredAfter, VendoredBefore } from "./vendored-files.ts";
import { at, type Wanted } from "./wanted.ts";

interface BuildRequest {
  readonly platform: Pick<Platform, "bundler" | "workers" | "log">;
  readonly directory: string;
  readonly nodeModules: ReadonlySet<string>;
  readonly before: VendoredBefore;
  readonly onStep?: (step: { readonly message: string; readonly progress: number; readonly total: number }) => void;
}

type BuiltUnits =
  | { readonly ok: true; readonly after: VendoredAfter; readonly notes: readonly string[]; readonly missing: readonly MissingModule[] }
  | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

interface Failure {
  readonly message: string;
  readonly advice: readonly string[];
}

/** Builds every unit, so that all failures are told at once. Units that stay as they are keep their files. */
export async function buildUnits(request: BuildRequest, units: readonly Unit<UnitPackage>[]): Promise<BuiltUnits> {
  const { before } = request;
  const outputs = nameOutputs(units.flatMap(modulesOf), before);
  const imports: Record<string, string> = {};
  const packages: Record<string, VendoredPackage> = {};
  const files: Record<string, string> = {};
  const contents = new Map<string, Uint8Array>();
  const notes: string[] = [];
  const missing: MissingModule[] = [];
  const failures: Failure[] = [];
  const noEsbuild = withoutEsbuild(request);
  await using trial = createTrial(request.platform);
  for (const [progress, unit] of units.entries()) {
    request.onStep?.({ message: `bundling ${nameOf(unit)}`, progress, total: units.length });
    for (const { target } of modulesOf(unit)) imports[target] = `./${VENDOR_FOLDER}${outputs.get(target) ?? ""}.js`;
    if (!unit.isBuilt) keep(unit);
    else {
      const failure = await build(unit);
      if (failure !== undefined) failures.push(failure);
      if (failure === noEsbuild) break;
    }
  }
  if (failures.length === 0) return { ok: true, after: { imports, packages, files, contents }, notes, missing };
  const advice = [...new Set(failures.flatMap((failure) => failure.advice))];
  return { ok: false, message: [...failures.map(({ message }) => message), "Nothing was written"].join("\n"), advice };

  function keep(unit: Unit<UnitPackage>): void {
    for (const { target } of modulesOf(unit)) {
      const known = before.packages.get(target);
      if (known === undefined) continue;
      packages[target] = known;
      for (const path of known.files ?? []) files[path] = before.files.get(path) ?? "";
    }
  }

  async function build(unit: Unit<UnitPackage>): Promise<Failure | undefined> {
    const chosen = await chooseFor(request, unit, outputs, trial);
    if (!chosen.ok) return chosen.reason === "not_installed" ? noEsbuild : failureOf(chosen, unit, outputs);
    const own = new Map<string, Uint8Array>(
      [...chosen.files].map(([file, text]) => [VENDOR_FOLDER + file, new TextEncoder().encode(text)]),
    );
    for (const { wanted, located } of unit.packages)
      if (located?.licence !== undefined && wanted[0] !== undefined)
        own.set(`${VENDOR_FOLDER}${outputs.get(wanted[0].target) ?? ""}.LICENSE.txt`, located.licence);
    for (const [path, bytes] of own) {
      contents.set(path, bytes);
      files[path] = await sha256Hex(bytes.slice());
    }
    const paths = [...own.keys()].toSorted();
    for (const { wanted, located } of unit.packages)
      for (const { target } of wanted)
        packages[target] = {
          version: located?.version ?? "0.0.0",
          ...(located?.license !== undefined && { license: located.license }),
          ...{ build: chosen.build, files: paths },
        };
    notes.push(...notesOn(chosen, unit));
    missing.push(...chosen.missing);
    return undefined;
  }
}

function withoutEsbuild({ platform }: BuildRequest): Failure {
  const { reason, advice } = platform.bundler.withoutEsbuild;
  return { message: `Bundling packages requires esbuild, ${reason}`, advice };
}

function modulesOf(unit: Unit<UnitPackage>): readonly Wanted[] {
  return unit.packages.flatMap(({ wanted }) => wanted);
}

async function chooseFor(
  { platform: { bundler }, directory, nodeModules }: BuildRequest,
  unit: Unit<UnitPackage>,
  outputs: ReadonlyMap<string, string>,
  trial: Trial,
): Promise<ChosenBuild | NoBuild> {
  const entries = unit.packages.flatMap(({ wanted, located }) =>
    wanted.map(({ target, package: { subpath = "" } }): BundleEntry => {
      const specifier = located?.importName === undefined ? target : located.importName + subpath;
      return { output: outputs.get(target) ?? "", specifier, ...(located?.from !== undefined && { from: located.from }) };
    }),
  );
  const graphs = unit.packages.flatMap(({ located }) => (located?.graph === undefined ? [] : [located.graph]));
  const recorded = unit.packages.find(({ build }) => build !== undefined)?.build;
  return await chooseBuild({
    ...{ bundler, trial },
    request: { entries, directory, nodeModules, ...(graphs.length > 0 && { graph: mergeGraphs(graphs) }) },
    ...(recorded !== undefined && { recorded }),
  });
}

function mergeGraphs(graphs: readonly ModuleGraph[]): ModuleGraph {
  return {
    modules: new Map(graphs.flatMap(({ modules }) => [...modules])),
    redirects: new Map(graphs.flatMap(({ redirects }) => [...redirects])),
  };
}

/** `@std/assert` becomes `std-assert.js`; a name that is taken gets a number. Modules of an earlier run keep their names. */
function nameOutputs(wanted: readonly Wanted[], { outputs }: VendoredBefore): ReadonlyMap<string, string> {
  const named = new Map(wanted.flatMap(({ target }) => (outputs.has(target) ? [[target, outputs.get(target) ?? ""] as const] : [])));
  const taken = new Set(named.values());
  for (const { name, target } of wanted) {
    if (named.has(target)) continue;
    const plain =
      name
        .replace(/^(?:npm|jsr):/, "")
        .toLowerCase()
        .replace(/[^a-z0-9.]+/g, "-")
        .replace(/^[-.]+|[-.]+$/g, "") || "package";
    let output = plain;
    for (let number = 2; taken.has(output) || output.startsWith("chunk-"); number++) output = `${plain}-${String(number)}`;
    taken.add(output);
    named.set(target, output);
  }
  return named;
}

function failureOf(chosen: NoBuild, unit: Unit<UnitPackage>, outputs: ReadonlyMap<string, string>): Failure {
  const modules = modulesOf(unit);
  const failed = modules.find(({ target }) => outputs.get(target) === chosen.output) ?? modules[0];
  const builds = chosen.tried.length > 1 ? ` in any build (${chosen.tried.join(", ")})` : "";
  const what = chosen.output === undefined ? "cannot be bundled" : `does not load in a plugin${builds}`;
  return {
    message: `"${failed?.target ?? ""}"${at(failed?.place)} ${what}: ${chosen.message}`,
    advice: alternativesTo(failed?.package.name ?? "", chosen.message),
  };
}

function notesOn({ missing, unreadable }: ChosenBuild, unit: Unit<UnitPackage>): readonly string[] {
  const name = nameOf(unit);
  const modules = [...new Map(missing.map((one) => [one.module, one])).values()];
  const lacking = modules.map(({ module, importer }) => (importer === undefined ? module : `${module} (${importer})`));
  return [
    ...(lacking.length === 0 ? [] : [`${name} uses what plugins do not have: ${lacking.join(", ")}; it throws when it is called`]),
    ...unreadable.map((one) => `${name}: its export "${one.name}" cannot be read: ${one.message}`),
  ];
}

function nameOf(unit: Unit<UnitPackage>): string {
  return unit.packages.map(({ key }) => key).join(", ");
}
