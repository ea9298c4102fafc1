/** What a person decides about versions of plugins: accept one, go back to one, remove a plugin (SPEC H6, H10, I2). */

import { LIMIT_NAMES, raisedLimits } from "../../../manifests/mod.ts";
import type { GrantStore } from "../../project/grants/grants.ts";
import type { Files } from "../../platform/platform.ts";
import type { HeldVersion, PluginDirectory, PluginStatus } from "../folder/mod.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { areAllShown, compareVersions, type ConsentChange } from "./changes.ts";
import type { Consent } from "./consent.ts";
import { tooManyChanges } from "./reason.ts";
import { surfaceOf } from "./surface.ts";

/** What became of an answer. */
export type AcceptOutcome =
  | { readonly kind: "accepted"; readonly plugin: string; readonly version: string; readonly digest: string }
  /** The folder holds other bytes than those that were accepted. */
  | { readonly kind: "changed"; readonly plugin: string; readonly held?: HeldVersion }
  /** Accepted, and it does not run. */
  | { readonly kind: "failed"; readonly plugin: string; readonly reason: string };

/** The version that serves now in place of `from`. */
export interface RollbackOutcome {
  readonly plugin: string;
  readonly version: string;
  readonly digest: string;
  readonly from: { readonly version: string; readonly digest: string };
  /** From the version that served to this one. */
  readonly changes: readonly ConsentChange[];
}

export interface RemoveOutcome {
  readonly plugin: string;
  readonly directory: string;
  /** How many grants went with it. */
  readonly grants: number;
}

/** Names are those of plugins. Each throws a `TypeError` that says so if it cannot be done. */
export interface ConsentActs {
  /**
   * @param digest of the version that was shown: only that one is accepted, with the limits that it asks for. Of one that serves, only those
   * are.
   */
  accept(plugin: string, digest: string): Promise<AcceptOutcome>;
  rollback(plugin: string): Promise<RollbackOutcome>;
  /** Takes it out of service, deletes its folder, and forgets what was accepted and granted. */
  remove(plugin: string): Promise<RemoveOutcome>;
}

export interface ConsentActsOptions {
  readonly directory: PluginDirectory;
  readonly consent: Consent;
  readonly grants: GrantStore;
  readonly files: Files;
  readonly onGrantsChanged: (plugin: string) => void;
}

export function createConsentActs(options: ConsentActsOptions): ConsentActs {
  const { directory, consent, grants } = options;

  /** Of several folders that say the name, the one that has it. */
  function find(plugin: string): PluginStatus {
    const named = directory.status().filter((status) => isCalled(status, plugin));
    const found = named.find(({ state, lastGood }) => state === "loaded" || lastGood) ?? named[0];
    if (found === undefined) throw new TypeError(`There is no plugin "${plugin}"`);
    return found;
  }

  function servingOf({ name, folder, directory: path }: PluginStatus): PluginVersion {
    const version = directory.serving(path);
    if (version === undefined)
      throw new TypeError(
        `Plugin "${name ?? folder}" does not serve now\nbascule list says why; once its folder is mended, or it was added again, it does`,
      );
    return version;
  }

  /** What came from elsewhere holds its grants for its bytes only: a person who takes others keeps them. */
  async function rebind(version: PluginVersion): Promise<void> {
    if (await grants.rebind(version.name, version.digest)) options.onGrantsChanged(version.name);
  }

  /** What serves, or would if it had more memory to load with: a yes to the limits that it asks for, as it is now. */
  async function acceptLimits(status: PluginStatus, digest: string): Promise<AcceptOutcome> {
    const { name = status.folder, directory: path, manifest } = status;
    if (consent.frozen) throw new TypeError(`This host is frozen to bascule.lock: it accepts nothing`);
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
      if (held === undefined) throw new TypeError(`Plugin "${plugin}" has no version that waits to be accepted`);
      if (held.digest !== digest) return { kind: "changed", plugin, held };
      if (!areAllShown(held.changes))
        throw new TypeError(
          tooManyChanges(
            `version ${held.version} of plugin "${plugin}"`,
            "change it in steps, or under another name: a new plugin holds nothing",
          ),
        );
      // The folder that has had the name: it waits from now on, and its grants stay its own.
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
      if (kept === undefined) throw new TypeError(`No earlier version of plugin "${plugin}" is kept`);
      const { version } = kept;
      const wrong = await directory.replace(before.directory, kept, {
        reason: `A person went back from it to version ${version.manifest.version}`,
        newIn: (manifest, signer) =>
          compareVersions(
            { ...toCompared(version), acceptedLimits: consent.acceptedLimits(version) },
            { name: manifest.name, surface: surfaceOf(manifest), signer },
          ),
      });
      if (wrong !== undefined) throw new TypeError(`Cannot go back to version ${version.manifest.version} of plugin "${plugin}": ${wrong}`);
      const { held } = find(plugin);
      await consent.remember(version, before.directory, held && { rolledBackFrom: held.digest });
      await rebind(version);
      return {
        ...{ plugin: version.name, version: version.manifest.version, digest: version.digest },
        from: { version: from.manifest.version, digest: from.digest },
        changes: compareVersions({ ...toCompared(from), acceptedLimits: consent.acceptedLimits(from) }, toCompared(version)),
      };
    },
    async remove(plugin) {
      const { directory: path } = find(plugin);
      // A link goes, what it leads to stays.
      await directory.withdraw(path, () => options.files.remove(path));
      // First what it may: whatever else goes wrong, nothing of that name has it any more.
      const removed = await grants.revoke(plugin);
      if (removed > 0) options.onGrantsChanged(plugin);
      await consent.forget(plugin);
      return { plugin, directory: path, grants: removed };
    },
  };
}

function isCalled({ name, folder, held }: PluginStatus, plugin: string): boolean {
  return (name ?? folder) === plugin || held?.name === plugin;
}

/** True if it asks for more than was accepted. */
function asksForLimits({ manifest, acceptedLimits = {} }: PluginStatus): boolean {
  const raised = manifest === undefined ? {} : raisedLimits(manifest);
  return LIMIT_NAMES.some((name) => (raised[name] ?? 0) > (acceptedLimits[name] ?? 0));
}

function toCompared(version: PluginVersion): {
  readonly name: string;
  readonly surface: ReturnType<typeof surfaceOf>;
  readonly signer?: string;
} {
  const { name, manifest, signedBy } = version;
  return { name, surface: surfaceOf(manifest), ...(signedBy && { signer: signedBy.signer }) };
}
