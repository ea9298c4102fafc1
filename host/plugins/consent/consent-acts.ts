/** The user's decisions about plugin versions: accept, roll back, remove (SPEC H6, H10, I2). */

import { LIMIT_NAMES, raisedLimits } from "../../../manifests/mod.ts";
import type { GrantStore } from "../../project/grants/grants.ts";
import type { Files } from "../../platform/platform.ts";
import type { HeldVersion, PluginDirectory, PluginStatus } from "../folder/mod.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import type { ConsentChange } from "./change.ts";
import { areAllShown, compareVersions } from "./changes.ts";
import type { Consent } from "./consent.ts";
import { tooManyChanges } from "./reason.ts";
import { declaredBy } from "./declared.ts";

/** Result of accepting a version. */
export type AcceptOutcome =
  | { readonly kind: "accepted"; readonly plugin: string; readonly version: string; readonly digest: string }
  /** The folder's content differs from what was accepted. */
  | { readonly kind: "changed"; readonly plugin: string; readonly held?: HeldVersion }
  /** The version was accepted but does not load. */
  | { readonly kind: "failed"; readonly plugin: string; readonly reason: string };

/** The version that replaced `from`. */
export interface RollbackOutcome {
  readonly plugin: string;
  readonly version: string;
  readonly digest: string;
  readonly from: { readonly version: string; readonly digest: string };
  /** Changes between the replaced version and this one. */
  readonly changes: readonly ConsentChange[];
}

export interface RemoveOutcome {
  readonly plugin: string;
  readonly directory: string;
  /** Number of grants removed with it. */
  readonly grants: number;
}

export interface RemoveOptions {
  readonly data?: boolean;
}

/** Decisions by plugin name. Each throws a `TypeError` with the reason if it is not possible. */
export interface ConsentActs {
  /**
   * @param digest hash of the shown version: only that version is accepted, with the limits that it requests. If it is loaded already, only
   * its limits are accepted.
   */
  accept(plugin: string, digest: string): Promise<AcceptOutcome>;
  rollback(plugin: string): Promise<RollbackOutcome>;
  /**
   * Unloads the plugin, deletes its folder, and forgets what was accepted and granted.
   *
   * @param options `data`: also deletes what the plugin keeps in the project (`context.data`)
   */
  remove(plugin: string, options?: RemoveOptions): Promise<RemoveOutcome>;
}

interface ConsentActsOptions {
  readonly directory: PluginDirectory;
  readonly consent: Consent;
  readonly grants: GrantStore;
  readonly files: Files;
  /** Deletes the plugin's data in the project. */
  readonly removeData: (plugin: string) => Promise<void>;
  readonly onGrantsChanged: (plugin: string) => void;
}

export function createConsentActs(options: ConsentActsOptions): ConsentActs {
  const { directory, consent, grants } = options;

  /** Finds the plugin; if several folders have the name, the one that is loaded. */
  function find(plugin: string): PluginStatus {
    const named = directory.status().filter((status) => isCalled(status, plugin));
    const found = named.find(({ state, lastGood }) => state === "loaded" || lastGood) ?? named[0];
    if (found === undefined) throw new TypeError(`Plugin "${plugin}" not found`);
    return found;
  }

  function servingOf({ name, folder, directory: path }: PluginStatus): PluginVersion {
    const version = directory.serving(path);
    if (version === undefined)
      throw new TypeError(`Plugin "${name ?? folder}" is not loaded\nbascule list shows why; repair its folder or add it again`);
    return version;
  }

  /** Grants of an installed plugin are bound to its hash; accepting a new version moves them to that version. */
  async function rebind(version: PluginVersion): Promise<void> {
    if (await grants.rebind(version.name, version.digest)) options.onGrantsChanged(version.name);
  }

  /** Accepts the limits of a loaded version, or of one that failed to load for lack of memory. */
  async function acceptLimits(status: PluginStatus, digest: string): Promise<AcceptOutcome> {
    const { name = status.folder, directory: path, manifest } = status;
    if (consent.frozen) throw new TypeError(`This host is frozen to bascule.lock and cannot accept anything`);
    if (status.digest !== digest || manifest === undefined) return { kind: "changed", plugin: name };
    const withdraw = consent.approve(name, digest, directory.serving(path)?.signedBy?.signer);
    try {
      const now = status.state === "failed" ? await directory.retake(path) : status;
      const version = directory.serving(path);
      if (version === undefined) return { kind: "failed", plugin: name, reason: now?.reason ?? "It does not load" };
      if (version.digest !== digest) return { kind: "changed", plugin: name };
      const { rolledBackFrom } = consent.entry(name) ?? {};
      await consent.remember(version, path, { acceptsLimits: true, ...(rolledBackFrom !== undefined && { rolledBackFrom }) });
      options.onGrantsChanged(name);
      return { kind: "accepted", plugin: name, version: version.manifest.version, digest };
    } finally {
      withdraw();
    }
  }

  return {
    async accept(plugin, digest) {
      const waits = directory.status().filter((status) => status.held !== undefined && isCalled(status, plugin));
      const waiting = waits.find(({ held }) => held?.digest === digest) ?? waits[0] ?? find(plugin);
      const { held, directory: path } = waiting;
      if (held?.digest !== digest && asksForLimits(waiting) && (held === undefined || waiting.digest === digest))
        return await acceptLimits(waiting, digest);
      if (held === undefined) throw new TypeError(`No version of plugin "${plugin}" waits to be accepted`);
      if (held.digest !== digest) return { kind: "changed", plugin, held };
      if (!areAllShown(held.changes))
        throw new TypeError(
          tooManyChanges(
            `version ${held.version} of plugin "${plugin}"`,
            "change it in steps, or under another name: a new plugin has no grants",
          ),
        );
      // The folder that had the name so far: it waits from now on and keeps its grants.
      const before = directory
        .status()
        .find((status) => status.directory !== path && directory.serving(status.directory)?.name === held.name);
      const withdraw = consent.approve(held.name, digest, held.signer);
      try {
        const now = await directory.retake(path);
        if (now?.state === "failed") return { kind: "failed", plugin, reason: now.reason ?? "It does not load" };
        if (now?.state !== "loaded" || now.digest !== digest) return { kind: "changed", plugin, ...(now?.held && { held: now.held }) };
        const version = servingOf(now);
        await consent.remember(version, path, {
          acceptsLimits: true,
          ...(before !== undefined && { origin: { kind: "folder" } as const }),
        });
        if (before === undefined) await rebind(version);
        else await directory.retake(before.directory);
        return { kind: "accepted", plugin: version.name, version: version.manifest.version, digest };
      } finally {
        withdraw();
      }
    },
    async rollback(plugin) {
      const before = find(plugin);
      const from = servingOf(before);
      const kept = await consent.previous(from);
      if (kept === undefined)
        throw new TypeError(`No earlier version of plugin "${plugin}" is kept: one is kept when another version replaces it`);
      const { version } = kept;
      const wrong = await directory.replace(before.directory, kept, {
        reason: `The user rolled back from it to version ${version.manifest.version}`,
        newIn: (manifest, signer) =>
          compareVersions(
            { ...toCompared(version), acceptedLimits: consent.acceptedLimits(version) },
            { name: manifest.name, declared: declaredBy(manifest), signer },
          ),
      });
      if (wrong !== undefined) throw new TypeError(`Cannot roll back plugin "${plugin}" to version ${version.manifest.version}: ${wrong}`);
      const { held } = find(plugin);
      await consent.remember(version, before.directory, held && { rolledBackFrom: held.digest });
      await rebind(version);
      return {
        ...{ plugin: version.name, version: version.manifest.version, digest: version.digest },
        from: { version: from.manifest.version, digest: from.digest },
        changes: compareVersions({ ...toCompared(from), acceptedLimits: consent.acceptedLimits(from) }, toCompared(version)),
      };
    },
    async remove(plugin, { data = false } = {}) {
      const { directory: path } = find(plugin);
      // Removes a link, but not its target.
      await directory.withdraw(path, () => options.files.remove(path));
      // Grants go first: if a later step fails, the name holds none.
      const removed = await grants.revoke(plugin);
      if (removed > 0) options.onGrantsChanged(plugin);
      await consent.forget(plugin);
      if (data) await options.removeData(plugin);
      return { plugin, directory: path, grants: removed };
    },
  };
}

function isCalled({ name, folder, held }: PluginStatus, plugin: string): boolean {
  return (name ?? folder) === plugin || held?.name === plugin;
}

/** Returns true if the plugin requests more than was accepted. */
function asksForLimits({ manifest, acceptedLimits = {} }: PluginStatus): boolean {
  const raised = manifest === undefined ? {} : raisedLimits(manifest);
  return LIMIT_NAMES.some((name) => (raised[name] ?? 0) > (acceptedLimits[name] ?? 0));
}

function toCompared(version: PluginVersion): {
  readonly name: string;
  readonly declared: ReturnType<typeof declaredBy>;
  readonly signer?: string;
} {
  const { name, manifest, signedBy } = version;
  return { name, declared: declaredBy(manifest), ...(signedBy && { signer: signedBy.signer }) };
}
