/** Opens an installed bundle to start it, only if its files are unmodified (SPEC M10, H7). */

import { type BundleManifest, type BundlePlatform, type BundleValue, parseBundle, problemToText } from "../../../manifests/mod.ts";
import { PackageError } from "../installing/package-error.ts";
import type { Places } from "../../project/places.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { refuseLinks } from "../../project/refuse-links.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { BUNDLE_MANIFEST, readBundleFolder } from "./bundle-files.ts";
import { type FilledBundle, fillBundle } from "./fill-bundle.ts";

/** Returns the folder of an installed bundle. */
export function bundleFolder({ state }: Pick<Places, "state">, digest: string): string {
  return `${state}/bundles/${digest}`;
}

/** Refuses links: others could change the target between the check and the start. @throws {PackageError} */
export async function checkBundleLinks(files: Platform["files"], places: Pick<Places, "state">, digest: string): Promise<void> {
  try {
    await refuseLinks(files, [`${places.state}/bundles`, bundleFolder(places, digest)], "no bundle is kept or started there");
  } catch (error) {
    throw error instanceof FileError ? new PackageError(error.message) : error;
  }
}

export function platformOf({ environment }: Pick<Platform, "environment">): BundlePlatform {
  const { os } = environment;
  return os === "windows" ? "win32" : os === "darwin" ? "darwin" : "linux";
}

/** @throws {PackageError} if the bundle is not installed or was modified. */
export async function openBundle(
  platform: Pick<Platform, "files" | "environment">,
  places: Pick<Places, "state">,
  digest: string,
): Promise<{ readonly manifest: BundleManifest; readonly directory: string }> {
  const directory = bundleFolder(places, digest);
  const again = "add it again with bascule add";
  await checkBundleLinks(platform.files, places, digest);
  const files = await readAll(platform, directory).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new PackageError(`Bundle ${digest.slice(0, 12)} is not installed (${again})`);
  });
  // The server may have modified its own folder, and the user accepted only these files.
  if ((await digestFiles(files)) !== digest) throw new PackageError(`Files of bundle ${digest.slice(0, 12)} were modified (${again})`);
  const text = new TextDecoder().decode(files.get(BUNDLE_MANIFEST));
  const parsed = parseBundle(text, { files, platform: platformOf(platform) });
  if (!parsed.ok) throw new PackageError(`The bundle's manifest is not valid: ${parsed.problems.map(problemToText).join("; ")}`);
  return { manifest: parsed.value, directory };
}

async function readAll({ files }: Pick<Platform, "files">, directory: string): Promise<ReadonlyMap<string, Uint8Array>> {
  return (await readBundleFolder(files, directory)).files;
}

/** Returns the command to start, with its values. @throws {PackageError} if it cannot be started. */
export async function launchBundle(
  platform: Pick<Platform, "files" | "environment" | "name">,
  places: Pick<Places, "state" | "root">,
  config: { readonly digest: string; readonly values: Readonly<Record<string, BundleValue>> },
  secretOf: (name: string) => Promise<string | undefined>,
): Promise<FilledBundle & { readonly cwd: string }> {
  const { manifest, directory } = await openBundle(platform, places, config.digest);
  const secrets = new Map<string, string | undefined>();
  for (const value of Object.values(config.values))
    if (typeof value === "object" && "secret" in value) secrets.set(value.secret, await secretOf(value.secret));
  const { home, os, runNode } = platform.environment;
  const filled = fillBundle(manifest, config.values, {
    directory,
    root: places.root,
    separator: os === "windows" ? "\\" : "/",
    folders: { HOME: home, DESKTOP: `${home}/Desktop`, DOCUMENTS: `${home}/Documents`, DOWNLOADS: `${home}/Downloads` },
    // The host's own Node, which does not depend on PATH.
    runtime: (name) => (name === "node" ? runNode : [name]),
    secret: (name) => secrets.get(name),
  });
  if (!filled.ok) throw new PackageError(`Values under "config" in bascule.json: ${filled.problems.join("; ")}`);
  const { env } = filled.value;
  // Python would otherwise write its cache beside the bundle's files.
  const own = manifest.type === "python" ? { PYTHONDONTWRITEBYTECODE: "1" } : {};
  return { ...filled.value, env: { ...own, ...env }, cwd: directory };
}
