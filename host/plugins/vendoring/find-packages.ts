/** Finds the packages that a plugin imports, downloads those that are not on disk, and groups them. */

import type { PackageBuild } from "../../platform/bundling/bundler-types.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AbsentPackage,
  byPackage,
  download,
  type Downloaded,
  isLocated,
  locate,
  locateInDeno,
  type LocatedPackage,
} from "./locate-packages.ts";
import { type PackageSpecifier, installedName } from "./package-specifier.ts";
import { groupUnits, ownCopies, type Unit } from "./units.ts";
import type { VendoredBefore } from "./vendored-files.ts";
import { at, type Wanted } from "./wanted.ts";

/** A package as this run treats it. */
export interface UnitPackage {
  readonly key: string;
  readonly wanted: readonly Wanted[];
  readonly peers: ReadonlySet<string>;
  readonly dependencies: ReadonlySet<string>;
  /** Whether its files stay as they are, unless a new peer needs it. */
  readonly isKept: boolean;
  /** Absent for a package that is kept and not on disk. */
  readonly located?: LocatedPackage;
  /** Build that an earlier run chose. */
  readonly build?: PackageBuild;
}

type FoundPackages =
  | {
      readonly ok: true;
      readonly units: readonly Unit<UnitPackage>[];
      readonly notes: readonly string[];
      /** To be disposed of after bundling. */
      readonly downloaded?: Downloaded;
    }
  | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

interface FindRequest {
  readonly platform: Pick<Platform, "files" | "bundler" | "environment" | "random">;
  readonly directory: string;
  readonly update?: boolean;
  readonly onStep?: (step: { readonly message: string }) => void;
}

export async function findPackages(request: FindRequest, wanted: readonly Wanted[], before: VendoredBefore): Promise<FoundPackages> {
  const { platform, directory, update = false } = request;
  const packages = new Map<string, UnitPackage>();
  const absent = new Map<string, AbsentPackage>();
  for (const entry of byPackage(wanted)) {
    const found = await locate(platform.files, directory, entry);
    const isKept = !update && before.isKept(found);
    const located = isLocated(found) ? found : isKept ? undefined : await inDeno(found);
    if (located === undefined) absent.set(found.key, found);
    packages.set(found.key, toPackage(found, located, isKept));
  }
  const missing = [...absent.values()].filter(({ key }) => packages.get(key)?.isKept === false);
  if (missing.length === 0) return { ok: true, units: groupUnits([...packages.values()]), notes: notes() };

  // A new package may have a kept one as its peer, which is known once it is on disk.
  for (let wantedNow = missing; ;) {
    request.onStep?.({ message: `downloading ${wantedNow.map(({ key }) => key).join(", ")}` });
    const downloaded = await download(platform, directory, wantedNow, update ? new Map() : before.versions);
    if (typeof downloaded === "string") return refusal(missing, downloaded);
    for (const one of wantedNow) {
      const found = await locate(platform.files, downloaded.folder, [one.key, one.wanted]);
      if (isLocated(found)) packages.set(one.key, toPackage(found, found, packages.get(one.key)?.isKept === true));
    }
    const units = groupUnits([...packages.values()]);
    const built = units.filter(({ isBuilt }) => isBuilt).flatMap((unit) => unit.packages);
    const more = built.filter(({ located }) => located === undefined).flatMap(({ key }) => absent.get(key) ?? []);
    if (more.length === 0) {
      const shared = await Promise.all(units.map((unit) => shareFolder(unit, downloaded.folder)));
      return { ok: true, units: shared, notes: notes(), downloaded };
    }
    await downloaded[Symbol.asyncDispose]();
    if (more.every(({ key }) => wantedNow.some((one) => one.key === key))) return refusal(more, "the registry has no such version");
    wantedNow = [...wantedNow, ...more];
  }

  async function inDeno(found: AbsentPackage): Promise<LocatedPackage | undefined> {
    if (!found.key.startsWith("jsr:")) return undefined;
    const known = await locateInDeno(platform, directory, found);
    return typeof known === "string" ? undefined : known;
  }

  function toPackage({ key, wanted: modules }: AbsentPackage, located: LocatedPackage | undefined, isKept: boolean): UnitPackage {
    const build = update ? undefined : before.packages.get(modules[0]?.target ?? "")?.build;
    return {
      ...{ key, wanted: modules, isKept },
      peers: located?.peers ?? new Set(),
      dependencies: located?.dependencies ?? new Set(),
      ...(located !== undefined && { located }),
      ...(build !== undefined && { build }),
    };
  }

  /** If one package of a unit was downloaded, its peers are taken from there too, so that all of them share one copy. */
  async function shareFolder(unit: Unit<UnitPackage>, folder: string): Promise<Unit<UnitPackage>> {
    if (!unit.isBuilt || unit.packages.every(({ located }) => located?.from !== folder)) return unit;
    const moved = unit.packages.map(async (one) => {
      const found = await locate(platform.files, folder, [one.key, one.wanted]);
      return isLocated(found) ? { ...one, located: found } : one;
    });
    return { ...unit, packages: await Promise.all(moved) };
  }

  function notes(): readonly string[] {
    return ownCopies([...packages.values()]).map(
      (pair) => `${nameOf(pair.in)} has its own copy of ${nameOf(pair.of)}; \`bascule vendor --update\` makes them share one`,
    );
  }
}

function nameOf({ key }: UnitPackage): string {
  return key;
}

function refusal(missing: readonly AbsentPackage[], why: string): Extract<FoundPackages, { readonly ok: false }> {
  const messages = missing.map(({ wanted: [first], otherVersion }) => {
    const there = otherVersion === undefined ? "is not installed" : `is not installed: node_modules has version ${otherVersion}`;
    return `"${first?.target ?? ""}"${at(first?.place)} ${there}`;
  });
  const specifiers = missing.flatMap(({ wanted: [first] }) => (first === undefined ? [] : [first.package]));
  return { ok: false, message: `${messages.join("\n")}\nThe download failed: ${why}`, advice: specifiers.map(installCommand) };
}

function installCommand(specifier: PackageSpecifier): string {
  const { registry, name, range } = specifier;
  const version = range === undefined ? "" : `@${range}`;
  return registry === "npm" ? `npm install --save-dev ${installedName(specifier)}${version}` : `npx jsr add ${name}${version}`;
}
