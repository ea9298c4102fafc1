/** Installs plugins: shows what one requests, then writes exactly that to the plugin folder and loads it (SPEC I2). */

import { toHex } from "../../platform/bytes.ts";
import type { ConsentChange } from "../consent/change.ts";
import { areAllShown, compareVersions, saysOf } from "../consent/changes.ts";
import type { Consent } from "../consent/consent.ts";
import type { PluginOrigin } from "../consent/lock-text.ts";
import { tooManyChanges } from "../consent/reason.ts";
import { declaredBy } from "../consent/declared.ts";
import type { GrantStore } from "../../project/grants/grants.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  callablesOf,
  isBundleManifest,
  type LimitRequest,
  type Manifest,
  type Permissions,
  problemToText,
  raisedLimits,
  type SideEffectClass,
  sideEffectClassOf,
} from "../../../manifests/mod.ts";
import { toCandidate } from "../folder/compile.ts";
import { digestFiles } from "../../primitives/digest.ts";
import type { PluginDirectory, PluginStatus } from "../folder/mod.ts";
import type { FolderSnapshot } from "../folder/read.ts";
import { checkSignature, MAX_SIGNATURE_BYTES, SIGNATURE_FILE } from "../folder/signature.ts";
import { checkVendored } from "../folder/vendored.ts";
import type { Service } from "../../primitives/service/service.ts";
import { PackageError } from "./package-error.ts";
import { type PackageFiles, parseSource, readPackage } from "./read-package.ts";
import { unpackBy } from "./unpack.ts";

/** A plugin that can be installed. Plain JSON; its texts come from its author. */
export interface PackagePreview {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly digest: string;
  readonly origin: PluginOrigin;
  /** Public key of the signer; absent if unsigned. */
  readonly signer?: string;
  readonly files: number;
  readonly bytes: number;
  readonly requested: Permissions;
  /** Limits above the defaults: installing the plugin accepts them. */
  readonly limits: LimitRequest;
  readonly tools: readonly {
    readonly name: string;
    readonly class: SideEffectClass;
    readonly destructive: boolean;
    readonly description: string;
    /** Title and schemas as JSON text, if they contain prose. */
    readonly says?: string;
  }[];
  /** Schema of the settings as JSON text, which is shown to the user who sets them. */
  readonly settings?: string;
  /** The plugin of the same name that it would replace. */
  readonly replaces?: { readonly version: string; readonly digest: string; readonly changes: readonly ConsentChange[] };
}

export interface InstalledPlugin {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly directory: string;
}

export interface Installer {
  /** @param source an absolute path, or a repository's URL. @throws {PackageError} if it is not a valid plugin. */
  inspect(source: string, signal?: AbortSignal): Promise<PackagePreview>;
  /** Installs exactly the inspected plugin. @throws {PackageError} if it conflicts with another plugin, or does not load. */
  install(digest: string): Promise<InstalledPlugin>;
}

export interface InstallerOptions {
  readonly platform: Pick<Platform, "files" | "guarded" | "git" | "random">;
  /** Thread that reads archives. */
  readonly service: Service;
  readonly directory: PluginDirectory;
  readonly consent: Consent;
  readonly grants: GrantStore;
  /** Plugin folders; installed plugins go into the first. */
  readonly roots: readonly string[];
}

interface Prepared {
  readonly source: PackageFiles;
  readonly snapshot: FolderSnapshot;
  readonly manifest: Manifest;
}

/** Inspected packages kept in memory until they are installed. */
const MAX_PREPARED = 4;
const NEVER: AbortSignal = new AbortController().signal;

export function createInstaller(options: InstallerOptions): Installer {
  const { platform, directory, consent, roots } = options;
  const { files } = platform;
  const unpack = unpackBy(options.service);
  const prepared = new Map<string, Prepared>();

  function placed(name: string): PluginStatus | undefined {
    const named = directory.status().filter((status) => status.name === name && status.state !== "ignored");
    return named.find(({ state, lastGood }) => state === "loaded" || lastGood) ?? named[0];
  }

  async function prepare(source: PackageFiles): Promise<Prepared> {
    const digest = await digestFiles(source.files);
    const signedBy = await signatureOf(source.signature, digest);
    const vendored = await checkVendored(source.files);
    if (vendored.length > 0) throw new PackageError(vendored.map(problemToText).join("\n"));
    const bytes = [...source.files.values()].reduce((total, content) => total + content.length, 0);
    const snapshot: FolderSnapshot = {
      ...{ kind: "read", signature: "", identity: "", directory: "", digest, files: source.files, bytes, newestMs: 0, warnings: [] },
      ...(signedBy && { signedBy }),
    };
    if (!source.files.has("manifest.json"))
      throw new PackageError("Not a plugin: manifest.json not found at its root (pack the files of the plugin's folder)");
    if (isBundleManifest(new TextDecoder().decode(source.files.get("manifest.json"))))
      throw new PackageError("This is an MCP bundle, which does not run in the sandbox (add it with inspectBundle and installBundle)");
    const plugins = new Set(directory.status().flatMap(({ name }) => name ?? []));
    const candidate = toCandidate(snapshot, { plugins });
    if (candidate.kind !== "ready") {
      const problems = candidate.kind === "failed" ? candidate.failure.problems : [];
      throw new PackageError(["Manifest is not valid", ...problems.map(problemToText)].join("\n"));
    }
    return { source, snapshot, manifest: candidate.manifest };
  }

  function preview({ source, snapshot, manifest }: Prepared): PackagePreview {
    const { name, version, description, permissions } = manifest;
    const { digest, signedBy, bytes } = snapshot;
    const before = consent.entry(name);
    const declaration = declaredBy(manifest);
    const after = { name, declared: declaration, signer: signedBy?.signer };
    return {
      ...{
        name,
        version,
        description,
        digest,
        origin: source.origin,
        files: source.files.size,
        bytes,
        requested: permissions,
        limits: raisedLimits(manifest),
      },
      ...(signedBy && { signer: signedBy.signer }),
      tools: callablesOf(manifest).map((tool) => ({
        ...{ name: tool.name, destructive: tool.destructive, description: tool.description, ...saysOf(tool) },
        class: sideEffectClassOf(tool, permissions),
      })),
      ...(declaration.about?.settings && { settings: JSON.stringify(declaration.about.settings) }),
      ...(before &&
        placed(name) && { replaces: { version: before.version, digest: before.digest, changes: compareVersions(before, after) } }),
    };
  }

  /** Returns the target folder, and whether it holds an unmodified plugin that was installed before. */
  async function placeFor(name: string): Promise<{ readonly target: string; readonly replaced: boolean }> {
    const [root] = roots;
    if (root === undefined) throw new PackageError('No plugin folder to add to (list one under "plugins" in bascule.json)');
    const there = placed(name);
    const target = there?.directory ?? `${root}/${name}`;
    if ((await files.lstat(target)) === undefined) return { target, replaced: false };
    const entry = consent.entry(name);
    if (there === undefined) throw new PackageError(`"${target}" already exists (move it away)`);
    if (entry === undefined || entry.origin.kind === "folder")
      throw new PackageError(`Plugin "${name}" already exists as a local folder (bascule remove ${name})`);
    const isAsBrought = there.held === undefined && there.digest === entry.digest;
    if (!isAsBrought)
      throw new PackageError(
        `Plugin "${name}" was modified in "${target}" since it was added\nbascule remove ${name} deletes it with its grants and your changes; then add it again`,
      );
    return { target, replaced: true };
  }

  async function install({ source, snapshot, manifest }: Prepared): Promise<InstalledPlugin> {
    const { name, version } = manifest;
    const { digest, signedBy } = snapshot;
    const { target, replaced } = await placeFor(name);
    const { replaces } = preview({ source, snapshot, manifest });
    if (replaces !== undefined && !areAllShown(replaces.changes))
      throw new PackageError(
        tooManyChanges(`version ${version} of plugin "${name}"`, `bascule remove ${name}, and add it again: a new plugin has no grants`),
      );
    const folder = target.slice(0, target.lastIndexOf("/"));
    const mark = `${folder}/.${name}-${toHex(platform.random.bytes(6))}`;
    const [draft, old] = [`${mark}.new`, `${mark}.old`];
    const withdraw = consent.approve(name, digest, signedBy?.signer);
    try {
      await writeFiles(files, draft, source);
      // Revokes grants of a former plugin whose folder is gone: the user was not shown that this one would get them.
      if (!replaced) await options.grants.revoke(name);
      if (replaced) await files.rename(target, old);
      try {
        await files.rename(draft, target);
      } catch (error) {
        if (replaced) await files.rename(old, target);
        throw error;
      }
      await directory.reloadChanged();
      const serving = directory.serving(target);
      if (serving?.digest !== digest || serving.signedBy?.signer !== signedBy?.signer) {
        const status = directory.status().find((one) => one.directory === target);
        await files.rename(target, draft);
        if (replaced) await files.rename(old, target);
        await directory.reloadChanged();
        throw new PackageError(`Plugin does not load: ${status?.reason ?? "it was modified while it was added"}`);
      }
      await files.remove(old);
      await consent.remember(serving, target, { origin: source.origin, acceptsLimits: true });
      await options.grants.rebind(name, digest);
      return { name, version, digest, directory: target };
    } finally {
      withdraw();
      await files.remove(draft);
    }
  }

  return {
    async inspect(source, signal = NEVER) {
      await consent.flush();
      const ready = await prepare(await readPackage(platform, parseSource(source), unpack, signal));
      const { digest } = ready.snapshot;
      prepared.delete(digest);
      const [oldest] = prepared.keys();
      if (prepared.size >= MAX_PREPARED && oldest !== undefined) prepared.delete(oldest);
      prepared.set(digest, ready);
      return preview(ready);
    },
    async install(digest) {
      const ready = prepared.get(digest);
      if (ready === undefined) throw new PackageError("Inspect the plugin again before installing it");
      const installed = await install(ready);
      prepared.delete(digest);
      return installed;
    },
  };
}

async function signatureOf(bytes: Uint8Array | undefined, digest: string): Promise<FolderSnapshot["signedBy"]> {
  if (bytes === undefined) return undefined;
  if (bytes.length > MAX_SIGNATURE_BYTES) throw new PackageError(`"${SIGNATURE_FILE}" is larger than ${MAX_SIGNATURE_BYTES} bytes`);
  const checked = await checkSignature(bytes, digest);
  if ("severity" in checked) throw new PackageError(problemToText(checked));
  return checked;
}

async function writeFiles(files: Platform["files"], folder: string, source: PackageFiles): Promise<void> {
  const all = [...source.files, ...(source.signature ? [[SIGNATURE_FILE, source.signature] as const] : [])];
  for (const parent of new Set(all.map(([path]) => `${folder}/${path}`.replace(/\/[^/]*$/u, "")))) await files.makeDirectory(parent);
  for (const [path, bytes] of all) await files.writeAtomic(`${folder}/${path}`, bytes);
}
