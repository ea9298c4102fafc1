/**
 * Which folder holds which names (SPEC M5): the first to claim a plugin's name has it, until it lets go.
 *
 * A folder that says another name by now, and serves its last good version under the old one, holds that name only until
 * a folder that does say it comes along: so two folders can trade places.
 */

import { inOrder, type NameClash } from "../consent/changes.ts";
import { allOf } from "../consent/reason.ts";
import { callablesOf, confusableKey, type Manifest, type Problem } from "../../../manifests/mod.ts";
import type { CandidateVersion } from "./compile.ts";
import { quote } from "./problems.ts";
import type { PluginRecord } from "./record.ts";
import type { HeldVersion } from "./status.ts";

/** Names in use. A folder may hold two while a version with a new name is loaded beside the old one. */
export interface NameClaims {
  /** Gives the plugin's name and the names of its tools to the record, or says who has the plugin's name. */
  claim(record: PluginRecord, manifest: Manifest): NameTaken | undefined;
  /** The same, from the folder that has the name: a person said so. */
  take(record: PluginRecord, manifest: Manifest): void;
  /** What looks like a name that another folder claimed before; who stands beside it is for a person to say. */
  lookAlikes(record: PluginRecord, manifest: Manifest): readonly NameClash[];
  /** True if `claim` would succeed. */
  isFree(record: PluginRecord, name: string): boolean;
  /** Lets go of every plugin name of the record but these; of the names of its tools, if there are none. */
  keep(record: PluginRecord, names: readonly string[]): void;
}

/** Whose a plugin's name is, and what to do about it. */
export interface NameTaken {
  readonly problem: Problem;
  /** The folder of the plugin that has it. */
  readonly whose: string;
}

/** No names are taken. */
export function createNameClaims(): NameClaims {
  /** By `confusableKey`, then by name. */
  const plugins = new Map<string, Map<string, PluginRecord>>();
  /** The keys that each may hold names under: `keep` looks at those of one record, however many plugins there are. */
  const pluginKeys = new Map<PluginRecord, Set<string>>();
  const tools = new Map<string, Map<PluginRecord, readonly string[]>>();
  /** The key of the name that each asked for last: while it is loaded, `outcome` still tells of the state before. */
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
    // What serves keeps its names while another version is tried.
    const names = new Set([manifest, ...(record.serving ? [record.serving.manifest] : [])].flatMap(callablesOf).map(({ name }) => name));
    const byKey = Map.groupBy(names, confusableKey);
    for (const key of toolKeys.get(record) ?? []) if (!byKey.has(key)) tools.get(key)?.delete(record);
    // One that has a name already stays before those that came later.
    for (const [key, own] of byKey) tools.set(key, (tools.get(key) ?? new Map<PluginRecord, readonly string[]>()).set(record, own));
    toolKeys.set(record, new Set(byKey.keys()));
  }

  function give(record: PluginRecord, manifest: Manifest): void {
    const { name } = manifest;
    const key = confusableKey(name);
    const named = plugins.get(key) ?? new Map<string, PluginRecord>();
    // In the order of the claims, the first first.
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

/** True if the folder that has the name says another by now. */
export function hasMovedOn({ outcome }: PluginRecord, name: string): boolean {
  return outcome.kind === "failed" && outcome.manifest !== undefined && outcome.manifest.name !== name;
}

function collision(name: string, { path }: PluginRecord): Problem {
  const message = `"${name}" is the name of another plugin, in ${quote(path)}`;
  return {
    severity: "error",
    pointer: "/name",
    message,
    fix: "choose another name, or bascule accept gives it this one, and the other waits",
  };
}

/** A version whose name another folder has: a person who gives it the name accepts all of it. */
export function namesake({ snapshot, manifest }: CandidateVersion, whose: string): HeldVersion {
  const { name, version } = manifest;
  const signer = snapshot.signedBy?.signer;
  return {
    ...{ name, version, digest: snapshot.digest },
    ...(signer !== undefined && { signer }),
    changes: inOrder([{ kind: "clash", of: "plugin", name, other: name, whose }, ...allOf(manifest)]),
  };
}

/** Why no folder has the name. */
export function ofProgram(name: string): Problem {
  const message = `"${name}" is the name that the embedding program gave tools of its own`;
  return { severity: "error", pointer: "/name", message, fix: "choose another name" };
}
