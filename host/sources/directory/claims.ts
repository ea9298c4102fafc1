/** Which folder holds which plugin name (SPEC M5): the first to claim it, until it lets go. */

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
  const holders = new Map<string, { readonly record: PluginRecord; readonly name: string }>();
  const keys = new Map<PluginRecord, Set<string>>();

  function isFree(record: PluginRecord, name: string): boolean {
    const holder = holders.get(confusableKey(name));
    return holder === undefined || holder.record === record;
  }

  return {
    isFree,
    claim(record, name) {
      const key = confusableKey(name);
      const holder = holders.get(key);
      if (holder !== undefined && holder.record !== record) return collision(name, holder.name, holder.record.path);
      holders.set(key, { record, name });
      keys.set(record, (keys.get(record) ?? new Set()).add(key));
      return undefined;
    },
    keep(record, names) {
      const kept = new Set(names.map((name) => confusableKey(name)));
      const own = keys.get(record) ?? new Set();
      for (const key of [...own]) {
        if (kept.has(key)) continue;
        own.delete(key);
        holders.delete(key);
      }
      if (own.size === 0) keys.delete(record);
    },
  };
}

function collision(name: string, taken: string, path: string): Problem {
  const how = name === taken ? "is the name of another plugin" : `looks like "${taken}", another plugin's name`;
  return { severity: "error", pointer: "/name", message: `"${name}" ${how}, in ${quote(path)}`, fix: "choose another name" };
}
