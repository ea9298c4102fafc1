/** Which bare names a plugin of the lock has: its tools', but for those that it yields to others. */

import type { Snapshot } from "../tools/snapshot.ts";
import type { LockEntries, LockEntry } from "./lock-text.ts";

/** Whose which name is now. */
export type NamesNow = () => Pick<Snapshot, "find" | "tools">;

type Named = Pick<LockEntry, "name" | "surface" | "yields">;

/** The surface's names of tools, and of skills, which are called as tools are. */
export function toolNames(tools: LockEntry["surface"]["tools"]): ReadonlySet<string> {
  return new Set(Object.keys(tools).map((name) => name.replace(/^skill /, "")));
}

/** Bare names that are the plugin's own. */
export function heldNames({ surface, yields = [] }: Named): ReadonlySet<string> {
  return new Set([...toolNames(surface.tools)].filter((name) => !yields.includes(name)));
}

/** The entry with what it yields now. Of a plugin that is not here nothing new is known. */
export function withYields<T extends Named>(entry: T, entries: LockEntries, names: NamesNow | undefined): T {
  const now = names?.();
  const owners = new Set(now?.tools.map(({ owner }) => owner));
  if (now === undefined || !owners.has(entry.name)) return entry;
  // What a plugin holds stays its own while its folder is away.
  const absent = [...entries.values()].filter(({ name }) => name !== entry.name && !owners.has(name));
  const isOthers = (tool: string): boolean => {
    const holder = now.find(tool)?.owner;
    return (holder !== undefined && holder !== entry.name) || absent.some((other) => heldNames(other).has(tool));
  };
  const yields = [...toolNames(entry.surface.tools)].filter(isOthers).toSorted();
  const { yields: _before, ...rest } = entry;
  // The same entry but for this member.
  return (yields.length > 0 ? { ...entry, yields } : rest) as T;
}
