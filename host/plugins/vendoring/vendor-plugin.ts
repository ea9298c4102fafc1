/** Fills a plugin's `vendor/` with the packages that it imports (SPEC PB3, B7, AX2). */

import { findImports, nodeModuleNames } from "../../../sandbox/mod.ts";
import type { MissingModule } from "../../platform/bundling/bundler-types.ts";
import type { Platform } from "../../platform/platform.ts";
import type { VendoredPackage } from "../folder/vendored.ts";
import { buildUnits } from "./build-units.ts";
import { findPackages } from "./find-packages.ts";
import { installedVersion } from "./locate-packages.ts";
import { readPackageLists } from "./package-lists.ts";
import { readVendored, writeVendored } from "./vendored-files.ts";
import { planPackages } from "./wanted.ts";

/** A step of `vendorPlugin`; a bundle has its position among all of them. */
export type OnVendorStep = (step: { readonly message: string; readonly progress?: number; readonly total?: number }) => void;

/** Packages to vendor, and where. */
interface VendorRequest {
  readonly platform: Pick<Platform, "files" | "bundler" | "workers" | "log" | "environment" | "random">;
  /** Name of the plugin, for advice. */
  readonly plugin: string;
  /** Real path of the plugin's folder. */
  readonly directory: string;
  /** The manifest's `imports`. */
  readonly imports: Readonly<Record<string, string>>;
  /** The plugin's code by path. */
  readonly sources: ReadonlyMap<string, Uint8Array>;
  /** Builds all packages again, in the newest versions that their ranges allow, and chooses their builds again. */
  readonly update?: boolean;
  /** Told before each download and each bundle. */
  readonly onStep?: OnVendorStep;
}

export type VendorOutcome =
  /** Everything was written, except for the manifest. */
  | {
      readonly ok: true;
      readonly packages: Readonly<Record<string, VendoredPackage>>;
      /** Paths of all vendored files. */
      readonly files: readonly string[];
      /** Names to add to the manifest's `imports`. */
      readonly added: Readonly<Record<string, string>>;
      /** Node modules, and packages that are not installed, which the new bundles name: using them throws. */
      readonly missing: readonly MissingModule[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string; readonly advice: readonly string[] };

/**
 * Bundles each package that the manifest or the code names, with what it shares with its sub-paths and peers in files of its own. Writes
 * nothing if a package is missing or does not load. Packages of an earlier run keep their bytes.
 */
export async function vendorPlugin(request: VendorRequest): Promise<VendorOutcome> {
  const { directory, platform, plugin, imports, sources, onStep } = request;
  const lists = await readPackageLists(platform.files, directory);
  if (!lists.ok) return { ok: false, message: lists.message, advice: [] };
  const nodeModules = await nodeModuleNames();
  const code = await findImports(sources);
  const plan = await planPackages({
    ...{ plugin, imports, found: code.imports, lists: lists.lists, nodeModules, directory },
    installedVersion: (name) => installedVersion(platform.files, directory, name),
  });
  if (plan.refused.length > 0) {
    const advice = [...new Set(plan.refused.flatMap((one) => one.advice))];
    return { ok: false, message: plan.refused.map(({ message }) => message).join("\n"), advice };
  }
  const before = await readVendored(platform.files, directory, new Set(plan.wanted.map(({ target }) => target)));
  const found = await findPackages(request, plan.wanted, before);
  if (!found.ok) return found;
  try {
    const built = await buildUnits({ platform, directory, nodeModules, before, ...(onStep && { onStep }) }, found.units);
    if (!built.ok) return built;
    const unread = code.unreadable.map(({ file, message }) => `the imports of ${file} were not read: ${message}`);
    const files =
      plan.wanted.length === 0 && before.files.size === 0 ? [] : await writeVendored(platform.files, directory, before, built.after);
    const notes = [...found.notes, ...built.notes, ...unread];
    return { ok: true, packages: built.after.packages, files, added: plan.added, missing: built.missing, notes };
  } finally {
    await found.downloaded?.[Symbol.asyncDispose]();
  }
}
