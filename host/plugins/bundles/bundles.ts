/** Installs MCP bundles: shows what one would start, stores its files by hash, and lists it as an MCP server (SPEC M10). */

import { createMutex } from "../../platform/mutex.ts";
import type { Consent } from "../consent/consent.ts";
import type { LockedBundle } from "../consent/lock-servers.ts";
import { PackageError } from "../installing/package-error.ts";
import { quote } from "../folder/problems.ts";
import {
  type BundleManifest,
  type BundleValue,
  checkServerName,
  isJsonObject,
  type JsonValue,
  parseBundle,
  problemToText,
} from "../../../manifests/mod.ts";
import type { Places } from "../../project/places.ts";
import type { Platform } from "../../platform/platform.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { unpackBy } from "../installing/unpack.ts";
import type { Service } from "../../primitives/service/service.ts";
import { BUNDLE_MANIFEST, type BundleFiles, readBundle, writeBundle } from "./bundle-files.ts";
import { bundleLines } from "./bundle-lines.ts";
import { bundleFolder, checkBundleLinks, openBundle, platformOf } from "./open-bundle.ts";
import { serverTrustRequests } from "../../project/trust/trust-requests.ts";
import { editProject } from "./edit-project.ts";
import { checkBundleConfig } from "./fill-bundle.ts";

/** A bundle that can be installed. Plain JSON; its texts come from its author. */
export interface BundlePreview extends BundleManifest {
  /** Name of the server in this project; `name` is the author's. */
  readonly server: string;
  readonly digest: string;
  /** Name of the file. */
  readonly from: string;
  readonly files: number;
  readonly bytes: number;
  /** True if the bundle has a signature, which is not verified. */
  readonly signed: boolean;
  readonly warnings: readonly string[];
  /** The bundle that it would replace, and changed lines, prefixed with + and -. */
  readonly replaces?: { readonly version: string; readonly digest: string; readonly changes: readonly string[] };
}

/** The user's choices for a bundle. */
export interface BundleInput {
  /** Default: `server` as returned by `inspectBundle`. */
  readonly server?: string;
  /** Values of the requested options, by key; omitted ones keep their value or default. */
  readonly config?: Readonly<Record<string, BundleValue>>;
}

/** An installed MCP bundle: the name of its server, and the version and hash that the lock records. */
export interface InstalledBundle {
  readonly server: string;
  readonly version: string;
  readonly digest: string;
}

/** Bundles run their author's native code, which no sandbox confines. */
export interface BundleActs {
  /** @param path absolute, of a file or a folder. @throws {PackageError} if it is not a valid bundle. */
  inspectBundle(path: string, request?: Pick<BundleInput, "server">): Promise<BundlePreview>;
  /** Installs exactly the inspected bundle. From then on it is started with all rights of the host's user. @throws {PackageError} */
  installBundle(digest: string, request?: BundleInput): Promise<InstalledBundle>;
  /** Removes the bundle from `bascule.json` and the lock, and deletes its files; false if it is not found. */
  removeBundle(server: string): Promise<boolean>;
}

/** The MCP servers of the host, as far as bundles become one of them. */
interface ListedServers {
  addMcpServer(name: string, server: Readonly<Record<string, unknown>>): Promise<unknown>;
  removeMcpServer(name: string): Promise<boolean>;
  mcpServers(): readonly { readonly name: string }[];
}

export interface BundlesOptions {
  readonly platform: Pick<Platform, "files" | "environment" | "clock" | "random" | "log">;
  readonly service: Service;
  readonly places: Places;
  readonly consent: Pick<Consent, "lock" | "frozen">;
  readonly mcp: ListedServers;
  /** Reads `bascule.json` again, and starts what it lists. */
  readonly reload: () => Promise<void>;
}

interface Prepared {
  readonly bundle: BundleFiles;
  readonly manifest: BundleManifest;
  readonly locked: LockedBundle;
  readonly server: string;
}

/** Inspected bundles kept in memory until they are installed. */
const MAX_PREPARED = 2;

export function createBundles({ platform, service, places, consent, mcp, reload }: BundlesOptions): BundleActs {
  const { files } = platform;
  const { lock } = consent;
  const prepared = new Map<string, Prepared>();
  const listed = () => places.project.config().mcpServers;

  /** Returns the bundle that a server is now. @throws {PackageError} if the server is not a bundle, or has another author. */
  function takenBy(server: string, manifest: Pick<BundleManifest, "name">): LockedBundle | undefined {
    const wrong = checkServerName(server);
    if (wrong !== undefined) throw new PackageError(`${wrong} (choose another name)`);
    const entry = Object.hasOwn(listed(), server) ? listed()[server] : undefined;
    const locked = lock.servers().get(server)?.bundle;
    const waits = places.trust?.withheld().find(({ name }) => name === `mcpServers.${server}`)?.value;
    if (isJsonObject(waits) && waits["bundle"] === undefined)
      throw new PackageError(`bascule.json lists another MCP server "${server}" that is not allowed (choose another name)`);
    const isAdded = locked === undefined && mcp.mcpServers().some(({ name }) => name === server);
    if (entry === undefined ? isAdded : entry.bundle === undefined)
      throw new PackageError(`MCP server "${server}" already exists and is not a bundle (choose another name)`);
    if (locked !== undefined && locked.name !== manifest.name)
      throw new PackageError(
        `MCP server "${server}" is the bundle ${quote(locked.name)}, not ${quote(manifest.name)} (choose another name)`,
      );
    return locked;
  }

  async function prepare(path: string, request: Pick<BundleInput, "server">): Promise<Prepared> {
    const bundle = await readBundle(files, path, unpackBy(service, "bundle"));
    const { manifest } = readManifest(bundle, platform);
    const digest = await digestFiles(bundle.files);
    const locked = { name: manifest.name, version: manifest.version, digest, from: path.slice(path.lastIndexOf("/") + 1) };
    return { bundle, manifest, locked, server: request.server ?? serverName(manifest.name) };
  }

  /** Returns undefined if the bundle is not installed or was modified. */
  async function present(digest: string): Promise<{ readonly manifest: BundleManifest } | undefined> {
    try {
      return await openBundle(platform, places, digest);
    } catch (error) {
      if (error instanceof PackageError) return undefined;
      throw error;
    }
  }

  async function changesFrom(before: LockedBundle, manifest: BundleManifest): Promise<readonly string[]> {
    const old = await present(before.digest);
    if (old === undefined) return ["? cannot compare: the installed version is not readable"];
    const [from, to] = [bundleLines(old.manifest), bundleLines(manifest)];
    return [
      ...from.filter((line) => !to.includes(line)).map((line) => `- ${line}`),
      ...to.filter((line) => !from.includes(line)).map((line) => `+ ${line}`),
    ];
  }

  /** Runs one change at a time, because each reads and rewrites the project's files. */
  const inTurn = createMutex();

  async function install({ bundle, manifest, locked }: Prepared, server: string, said: BundleInput["config"]): Promise<void> {
    if (consent.frozen) throw new PackageError("This host is frozen to bascule.lock and cannot add anything");
    const before = takenBy(server, manifest);
    const entry = Object.hasOwn(listed(), server) ? listed()[server] : undefined;
    // Drops values of options that the new version no longer has.
    const kept = Object.entries(entry?.config ?? {}).filter(([key]) => Object.hasOwn(manifest.options, key));
    const config = { ...Object.fromEntries(kept), ...said };
    const problems = checkBundleConfig(manifest.options, config);
    if (problems.length > 0) throw new PackageError(problems.map((problem) => `Value ${problem}`).join("\n"));

    const { command } = manifest.launch;
    const programs = new Set([...bundle.executables, ...(command.kind === "file" ? [command.path] : [])]);
    await checkBundleLinks(files, places, locked.digest);
    // Unmodified files stay in place: a server may be running from them.
    if ((await present(locked.digest)) === undefined) await writeBundle(files, bundleFolder(places, locked.digest), bundle, programs);
    // Drops the pinned tools if the hash changed; the new ones are pinned at the first start.
    await lock.changeServer(server, (old) => ({ ...(old?.bundle?.digest === locked.digest && old), bundle: locked }));
    await list(server, { ...(entry && rest(entry)), bundle: locked.digest, ...(Object.keys(config).length > 0 && { config }) });
    if (before !== undefined && before.digest !== locked.digest) await dropUnused(before.digest);
  }

  /** Without a project file, the server is available until the host closes. */
  async function list(server: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    const { path } = places.project;
    // Built from parsed JSON.
    const listedAs = entry as JsonValue | undefined;
    // Adding a server implies trust in it.
    if (listedAs !== undefined) await places.trust?.agree(serverTrustRequests(server, listedAs));
    if (path !== undefined) await editProject(platform, { file: path, state: places.state }, ["mcpServers", server], listedAs);
    // Also removes a server that waits for its next attempt.
    await mcp.removeMcpServer(server);
    if (path !== undefined) return await reload();
    if (entry !== undefined) await mcp.addMcpServer(server, entry);
  }

  async function dropUnused(digest: string): Promise<void> {
    const isUsed = [...lock.servers().values()].some(({ bundle }) => bundle?.digest === digest);
    await checkBundleLinks(files, places, digest);
    if (!isUsed) await files.remove(bundleFolder(places, digest));
  }

  async function remove(server: string): Promise<boolean> {
    const entry = Object.hasOwn(listed(), server) ? listed()[server] : undefined;
    // An entry without a bundle was written by the user and is not removed.
    if (entry !== undefined && entry.bundle === undefined) return false;
    const digest = lock.servers().get(server)?.bundle?.digest ?? entry?.bundle;
    if (digest === undefined) return false;
    await list(server, undefined);
    await lock.changeServer(server, () => undefined);
    await dropUnused(digest);
    return true;
  }

  return {
    async inspectBundle(path, request = {}) {
      const ready = await prepare(path, request);
      const { bundle, manifest, locked, server } = ready;
      const before = takenBy(server, manifest);
      prepared.delete(locked.digest);
      prepared.set(locked.digest, ready);
      const [oldest] = prepared.keys();
      if (prepared.size > MAX_PREPARED && oldest !== undefined) prepared.delete(oldest);
      return {
        ...manifest,
        ...{ server, digest: locked.digest, from: locked.from, files: bundle.files.size, signed: bundle.signed },
        bytes: [...bundle.files.values()].reduce((total, { length }) => total + length, 0),
        warnings: readManifest(bundle, platform).warnings,
        ...(before && { replaces: { version: before.version, digest: before.digest, changes: await changesFrom(before, manifest) } }),
      };
    },
    async installBundle(digest, { server, config } = {}) {
      const ready = prepared.get(digest);
      if (ready === undefined) throw new PackageError("Inspect the bundle again before installing it");
      const name = server ?? ready.server;
      await inTurn(() => install(ready, name, config));
      prepared.delete(digest);
      return { server: name, version: ready.locked.version, digest };
    },
    removeBundle: (server) => inTurn(() => remove(server)),
  };
}

/** @throws {PackageError} with every problem. */
function readManifest(
  { files }: Pick<BundleFiles, "files">,
  platform: Pick<Platform, "environment">,
): { readonly manifest: BundleManifest; readonly warnings: readonly string[] } {
  const bytes = files.get(BUNDLE_MANIFEST);
  if (bytes === undefined) throw new PackageError(`Not a bundle: ${BUNDLE_MANIFEST} not found at its root`);
  const parsed = parseBundle(new TextDecoder().decode(bytes), { files, platform: platformOf(platform) });
  if (!parsed.ok) throw new PackageError(["Manifest is not valid", ...parsed.problems.map(problemToText)].join("\n"));
  return { manifest: parsed.value, warnings: parsed.warnings.map(problemToText) };
}

/** Converts `My MCP Extension` to `my-mcp-extension`. */
function serverName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^@[^/]*\//u, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^[^a-z]+/u, "")
    .slice(0, 40)
    .replace(/-+$/u, "");
}

/** Returns the fields that the user set besides. */
function rest(entry: object): Readonly<Record<string, unknown>> {
  const own = ["bundle", "config", "args", "env", "headers"];
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !own.includes(key)));
}
