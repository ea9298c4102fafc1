/** A plugin directory in memory whose versions need consent, with lock, kept versions, grants and the user's acts. */

import type { ConsentMode } from "../../host/plugins/consent/change.ts";
import { type Consent, createConsent } from "../../host/plugins/consent/consent.ts";
import { type ConsentActs, createConsentActs } from "../../host/plugins/consent/consent-acts.ts";
import { type Lock, openLock } from "../../host/plugins/consent/lock.ts";
import { createVersions } from "../../host/plugins/consent/versions.ts";
import { createGrantStore, type GrantStore } from "../../host/project/grants/grants.ts";
import { createMemoryPlatform, type MemoryEntry, type MemoryPlatform } from "../../host/platform/memory/memory.ts";
import type { ProjectTrust } from "../../host/project/trust/project-trust.ts";
import type { PluginStatus } from "../../host/plugins/folder/mod.ts";
import { type Bench, inRoot, openBench } from "../host/plugins/folder/harness.ts";

export const ROOT = "/project";
export const LOCK: string = `${ROOT}/bascule.lock`;
const ROOT_PLUGINS = `${ROOT}/plugins`;

export interface ConsentWorldOptions {
  readonly platform?: MemoryPlatform;
  readonly mode?: ConsentMode;
  readonly keep?: boolean;
  readonly frozen?: boolean;
  /** Trust requests that were allowed on this machine. Default: the lock is trusted. */
  readonly trust?: Pick<ProjectTrust, "isAgreed" | "replace">;
  /** Plugins that are trusted by name. */
  readonly trusted?: readonly string[];
}

export interface ConsentEnvironment extends Bench {
  readonly platform: MemoryPlatform;
  readonly consent: Consent;
  readonly lock: Lock;
  readonly grants: GrantStore;
  readonly acts: ConsentActs;
  /** Writes files into the plugin root, after advancing the clock by one second. */
  plant(files: Readonly<Record<string, MemoryEntry>>): void;
  /** Writes files and reloads. */
  edit(files: Readonly<Record<string, MemoryEntry>>): Promise<void>;
  status(name: string): PluginStatus | undefined;
  /** Closes this host and opens another one on the same files. */
  restart(options?: Omit<ConsentWorldOptions, "platform">): Promise<ConsentEnvironment>;
}

/** Creates the directory with files in `/project/plugins`, and scans it. */
export async function consentWorld(
  files: Readonly<Record<string, MemoryEntry>>,
  options: ConsentWorldOptions = {},
): Promise<ConsentEnvironment> {
  const { mode = "strict", keep = true, frozen = false, trusted = [], trust } = options;
  const platform = options.platform ?? createMemoryPlatform({ files: { [`${ROOT_PLUGINS}/.keep/x`]: "" } });
  const plant = (more: Readonly<Record<string, MemoryEntry>>): void => {
    platform.advance(1_000);
    for (const [path, entry] of Object.entries(inRoot(more, ROOT_PLUGINS))) platform.plant(path, entry);
  };
  plant(files);
  const lock = await openLock(platform, LOCK);
  const grants = await createGrantStore(platform, `${ROOT}/.bascule/grants.json`);
  const consent: Consent = createConsent({
    ...{ platform, lock, mode, keep, frozen, root: ROOT },
    versions: createVersions(platform, `${ROOT}/.bascule/versions`),
    ...(trust && { trust }),
    isTrusted: (plugin) => trusted.includes(plugin),
    grantsOf: (plugin, directory) => grants.list().find((one) => one.plugin === plugin && one.directory === directory)?.permissions ?? {},
    bases: (_plugin, directory) => ({ base: directory, plugin: directory }),
    names: () => bench.registry.snapshot(),
    onForgotten: () => bench.registry.reserve(() => consent.keptNames()),
  });
  await consent.refresh();
  const bench: Bench = openBench({ platform, roots: [ROOT_PLUGINS], gate: consent });
  const { directory, registry } = bench;
  registry.reserve(() => consent.keptNames());
  registry.onChange(() => consent.noteNames());
  await directory.scan();
  registry.keepNames();
  return {
    ...bench,
    ...{ platform, consent, lock, grants, plant },
    acts: createConsentActs({
      directory,
      consent,
      grants,
      files: platform.files,
      removeData: async () => {},
      onGrantsChanged: () => undefined,
    }),
    async edit(more) {
      plant(more);
      await directory.reloadChanged();
    },
    status: (name) => directory.status().find((status) => status.name === name),
    async restart(next = options) {
      await consent.flush();
      await directory.close();
      return await consentWorld({}, { ...next, platform });
    },
  };
}
