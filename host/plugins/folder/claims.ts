/**
 * Which folder holds which names (SPEC M5): the first to claim a plugin's name keeps it until it releases it.
 *
 * A folder that has changed to another name, and still serves its last good version under the old one, keeps the old name only until
 * another folder claims it. So two folders can trade places.
 */

import type { NameClash } from "../consent/change.ts";
import { inOrder } from "../consent/changes.ts";
import { allOf } from "../consent/reason.ts";
import { callablesOf, confusableKey, type Manifest, type Problem } from "../../../manifests/mod.ts";
import type { CandidateVersion } from "./compile.ts";
import { quote } from "./problems.ts";
import type { PluginRecord } from "./record.ts";
import type { HeldVersion } from "./status.ts";

/** Names in use. A folder may hold two while a version with a new name is being loaded. */
interface NameClaims {
  /** Claims the plugin's name and its tools' names for the record, or returns the folder that has the plugin's name. */
  claim(record: PluginRecord, manifest: Manifest): NameTaken | undefined;
  /** Claims them even from the folder that has the name, because the user decided so. */
  take(record: PluginRecord, manifest: Manifest): void;
  /** Returns earlier claims of similar names; the user decides whether both may exist. */
  lookAlikes(record: PluginRecord, manifest: Manifest): readonly NameClash[];
  /** Returns whether `claim` would succeed. */
  isFree(record: PluginRecord, name: string): boolean;
  /** Releases all plugin names of the record but these; if there are none, its tools' names too. */
  keep(record: PluginRecord, names: readonly string[]): void;
}

/** The owner of a plugin's name, and what to do about it. */
interface NameTaken {
  readonly problem: Problem;
  /** Folder of the plugin that has it. */
  readonly whose: string;
}

/** Creates an empty set of claims. */
export function createNameClaims(): NameClaims {
  /** By `confusableKey`, then by name. */
  const plugins = new Map<string, Map<string, PluginRecord>>();
  /** Keys under which each record may hold names, so that `keep` looks only at its own record's. */
  const pluginKeys = new Map<PluginRecord, Set<string>>();
  const tools = new Map<string, Map<PluginRecord, readonly string[]>>();
  /** Key of the name that each record requested last: while it is loading, `outcome` still holds the state before. */
  const asked = new Map<PluginRecord, string>();
  const toolKeys = new Map<PluginRecord, ReadonlySet<string>>();

  function holdersOf(record: PluginRecord, name: string): readonly (readonly [string, PluginRecord])[] {
    const key = confusableKey(name);
    return [...(plugins.get(key) ?? [])].filter(
      ([held, holder]) => holder !== record && (asked.get(holder) === key || !hasMovedOn(holder, held)),
    );
  }

  function dropTools(record: PluginRecord): void {
    for (const key of toolKeys.get(record) ?? []) {
      const holders = tools.get(key);
      holders?.delete(record);
      if (holders?.size === 0) tools.delete(key);
    }
    toolKeys.delete(record);
  }

  function claimTools(record: PluginRecord, manifest: Manifest): void {
    // The served version keeps its names while another one is tried.
    const names = new Set([manifest, ...(record.serving ? [record.serving.manifest] : [])].flatMap(callablesOf).map(({ name }) => name));
    const byKey = Map.groupBy(names, confusableKey);
    for (const key of toolKeys.get(record) ?? []) if (!byKey.has(key)) tools.get(key)?.delete(record);
    // A record that has a name already stays before later ones.
    for (const [key, own] of byKey) tools.set(key, (tools.get(key) ?? new Map<PluginRecord, readonly string[]>()).set(record, own));
    toolKeys.set(record, new Set(byKey.keys()));
  }

  function give(record: PluginRecord, manifest: Manifest): void {
    const { name } = manifest;
    const key = confusableKey(name);
    const named = plugins.get(key) ?? new Map<string, PluginRecord>();
    // In the order of the claims, first come first.
    if (named.get(name) !== record) named.delete(name);
    plugins.set(key, named.set(name, record));
    pluginKeys.set(record, (pluginKeys.get(record) ?? new Set()).add(key));
    claimTools(record, manifest);
  }

  return {
    take(record, manifest) {
      asked.set(record, confusableKey(manifest.name));
      give(record, manifest);
    },
    isFree: (record, name) => holdersOf(record, name).every(([held]) => held !== name),
    claim(record, manifest) {
      const { name } = manifest;
      asked.set(record, confusableKey(name));
      const holder = holdersOf(record, name).find(([held]) => held === name)?.[1];
      if (holder !== undefined) return { problem: collision(name, holder), whose: holder.path };
      give(record, manifest);
      return undefined;
    },
    lookAlikes(record, manifest) {
      const { name: plugin } = manifest;
      const order = [...(plugins.get(confusableKey(plugin)) ?? [])].map(([name]) => name);
      const own = holdersOf(record, plugin)
        .filter(([other]) => other !== plugin && order.indexOf(other) < order.indexOf(plugin))
        .map(([other, { path }]): NameClash => ({ of: "plugin", name: plugin, other, whose: path }));
      const ofTools = callablesOf(manifest).flatMap(({ name }): readonly NameClash[] => {
        const holders = [...(tools.get(confusableKey(name)) ?? [])];
        const before = holders.slice(
          0,
          Math.max(
            0,
            holders.findIndex(([holder]) => holder === record),
          ),
        );
        return before.flatMap(([{ path }, names]) => {
          const other = names.find((known) => known !== name);
          return other === undefined ? [] : [{ of: "tool" as const, name, other, whose: path }];
        });
      });
      return [...own, ...ofTools];
    },
    keep(record, names) {
      const kept = new Set(names);
      if (![...kept].some((name) => confusableKey(name) === asked.get(record))) asked.delete(record);
      const keys = pluginKeys.get(record) ?? new Set<string>();
      for (const key of keys) {
        const holders = plugins.get(key) ?? new Map<string, PluginRecord>();
        for (const [name, holder] of holders) if (holder === record && !kept.has(name)) holders.delete(name);
        if (![...holders.values()].includes(record)) keys.delete(key);
        if (holders.size === 0) plugins.delete(key);
      }
      if (keys.size === 0) pluginKeys.delete(record);
      if (kept.size === 0) dropTools(record);
    },
  };
}

/** Returns whether the folder that has the name has changed to another name. */
export function hasMovedOn({ outcome }: PluginRecord, name: string): boolean {
  return outcome.kind === "failed" && outcome.manifest !== undefined && outcome.manifest.name !== name;
}

function collision(name: string, { path }: PluginRecord): Problem {
  const message = `"${name}" is the name of another plugin, in ${quote(path)}`;
  return {
    severity: "error",
    pointer: "/name",
    message,
    fix: "choose another name, or bascule accept gives it this one and the other plugin waits",
  };
}

/** Builds the held version for a taken name: accepting it gives it the name. */
export function namesake({ snapshot, manifest }: CandidateVersion, whose: string): HeldVersion {
  const { name, version } = manifest;
  const signer = snapshot.signedBy?.signer;
  return {
    ...{ name, version, digest: snapshot.digest },
    ...(signer !== undefined && { signer }),
    changes: inOrder([{ kind: "clash", of: "plugin", name, other: name, whose }, ...allOf(manifest)]),
  };
}

/** The problem of a name that the embedding program uses. */
export function ofProgram(name: string): Problem {
  const message = `"${name}" is taken by the embedding program's own tools`;
  return { severity: "error", pointer: "/name", message, fix: "choose another name" };
}
