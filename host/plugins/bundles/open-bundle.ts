/** Takes a bundle that was added out of its folder, to be started: only ever the bytes that were added (SPEC M10, H7). */

import { type BundleManifest, type BundlePlatform, type BundleValue, parseBundle, problemToText } from "../../../manifests/mod.ts";
import { PackageError } from "../installing/package-error.ts";
import type { Places } from "../../project/places.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { refuseLinks } from "../../project/refuse-links.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { BUNDLE_MANIFEST, readBundleFolder } from "./bundle-files.ts";
import { type FilledBundle, fillBundle } from "./fill-bundle.ts";

/** Where the bundle of a digest is kept. */
export function bundleFolder({ state }: Pick<Places, "state">, digest: string): string {
  return `${state}/bundles/${digest}`;
}

/** Where a link leads, others may write between looking at the bytes and running them. @throws {PackageError} */
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

/** @throws {PackageError} if it is not there, or not what was added. */
export async function openBundle(
  platform: Pick<Platform, "files" | "environment">,
  places: Pick<Places, "state">,
  digest: string,
): Promise<{ readonly manifest: BundleManifest; readonly directory: string }> {
  const directory = bundleFolder(places, digest);
  const again = "bascule add it again";
  await checkBundleLinks(platform.files, places, digest);
  const files = await readAll(platform, directory).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new PackageError(`The bundle ${digest.slice(0, 12)} is not here (${again})`);
  });
  // It may have written there itself: what is started is what the person was shown, or nothing.
  if ((await digestFiles(files)) !== digest)
    throw new PackageError(`The files of the bundle ${digest.slice(0, 12)} are others by now (${again})`);
  const text = new TextDecoder().decode(files.get(BUNDLE_MANIFEST));
  const parsed = parseBundle(text, { files, platform: platformOf(platform) });
  if (!parsed.ok) throw new PackageError(`The bundle's manifest is not in order: ${parsed.problems.map(problemToText).join("; ")}`);
  return { manifest: parsed.value, directory };
}

async function readAll({ files }: Pick<Platform, "files">, directory: string): Promise<ReadonlyMap<string, Uint8Array>> {
  return (await readBundleFolder(files, directory)).files;
}

/** What is started, with its values in it. @throws {PackageError} if it cannot be. */
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
  const { home, os, command } = platform.environment;
  const filled = fillBundle(manifest, config.values, {
    directory,
    root: places.root,
    separator: os === "windows" ? "\\" : "/",
    folders: { HOME: home, DESKTOP: `${home}/Desktop`, DOCUMENTS: `${home}/Documents`, DOWNLOADS: `${home}/Downloads` },
    // Whatever PATH a client of ours was started with, there is this one.
    runtime: (name) => (name === "node" && platform.name === "node" ? (command[0] ?? name) : name),
    secret: (name) => secrets.get(name),
  });
  if (!filled.ok) throw new PackageError(`Its values under "config" in bascule.json: ${filled.problems.join("; ")}`);
  const { env } = filled.value;
  // What Python compiles would lie beside the bytes that were added.
  const own = manifest.type === "python" ? { PYTHONDONTWRITEBYTECODE: "1" } : {};
  return { ...filled.value, env: { ...own, ...env }, cwd: directory };
}
