/**
 * Which folder holds which plugin name (SPEC M5): the first to claim it, until it lets go.
 *
 * A folder that says another name by now, and serves its last good version under the old one, holds that name only until
 * a folder that does say it comes along: so two folders can trade places.
 */

import { confusableKey, type Problem } from "../../../manifests/mod.ts";
import { quote } from "./problems.ts";
import type { PluginRecord } from "./record.ts";

/** Names in use. A folder may hold two while a version with a new name is loaded beside the old one. */
export interface NameClaims {
  /** Gives the name to the record, or says who has it or one that looks like it. */
  claim(record: PluginRecord, name: string): Problem | undefined;
  /** True if `claim` would succeed. */
  isFree(record: PluginRecord, name: string): boolean;
  /** Lets go of every name of the record but these. */
  keep(record: PluginRecord, names: readonly string[]): void;
}

/** No names are taken. */
export function createNameClaims(): NameClaims {
  const holders = new Map<string, Holder>();
  const keys = new Map<PluginRecord, Set<string>>();
  /** The key of the name that each asked for last: while it is loaded, `outcome` still tells of the state before. */
  const asked = new Map<PluginRecord, string>();

  function holderOf(record: PluginRecord, name: string): Holder | undefined {
    const key = confusableKey(name);
    const holder = holders.get(key);
    if (holder === undefined || holder.record === record) return undefined;
    return asked.get(holder.record) !== key && hasMovedOn(holder) ? undefined : holder;
  }

  return {
    isFree: (record, name) => holderOf(record, name) === undefined,
    claim(record, name) {
      const key = confusableKey(name);
      asked.set(record, key);
      const holder = holderOf(record, name);
      if (holder !== undefined) return collision(name, holder);
      const before = holders.get(key)?.record;
      if (before !== undefined) keys.get(before)?.delete(key);
      holders.set(key, { record, name });
      keys.set(record, (keys.get(record) ?? new Set()).add(key));
      return undefined;
    },
    keep(record, names) {
      const kept = new Set(names.map((name) => confusableKey(name)));
      const own = keys.get(record) ?? new Set();
      if (!kept.has(asked.get(record) ?? "")) asked.delete(record);
      for (const key of [...own]) {
        if (kept.has(key)) continue;
        own.delete(key);
        holders.delete(key);
      }
      if (own.size === 0) keys.delete(record);
    },
  };
}

interface Holder {
  readonly record: PluginRecord;
  readonly name: string;
}

function hasMovedOn({ record: { outcome }, name }: Holder): boolean {
  return outcome.kind === "failed" && outcome.manifest !== undefined && outcome.manifest.name !== name;
}

function collision(name: string, { name: taken, record }: Holder): Problem {
  const how = name === taken ? "is the name of another plugin" : `looks like "${taken}", another plugin's name`;
  return { severity: "error", pointer: "/name", message: `"${name}" ${how}, in ${quote(record.path)}`, fix: "choose another name" };
}
