/** Which bare names a plugin of the lock has: its tools', but for those that it yields to others, and those of tools that it had. */

import type { Snapshot } from "../../tools/snapshot.ts";
import type { LockEntries, LockEntry } from "./lock-text.ts";

/** Whose which name is now. */
export type NamesNow = () => Pick<Snapshot, "find" | "tools">;

type Named = Pick<LockEntry, "name" | "path" | "surface" | "yields" | "keeps">;

/** A plugin that renames its tools again and again keeps no more names of tools that it had. */
const MAX_KEPT = 512;
const NONE: ReadonlySet<string> = new Set();

/** The surface's names of tools, and of skills, which are called as tools are. */
export function toolNames(tools: LockEntry["surface"]["tools"]): ReadonlySet<string> {
  return new Set(Object.keys(tools).map((name) => name.replace(/^skill /, "")));
}

/** Bare names that are the plugin's own. A folder that says another name by now took them along. */
export function heldNames(entry: Named): ReadonlySet<string> {
  const before = held.get(entry);
  if (before !== undefined) return before;
  const { path, surface, yields = [], keeps = [] } = entry;
  const yielded = new Set(yields);
  const names = path === "" ? NONE : new Set([...toolNames(surface.tools), ...keeps].filter((name) => !yielded.has(name)));
  held.set(entry, names);
  return names;
}

/** Entries do not change. */
const held = new WeakMap<Named, ReadonlySet<string>>();

/** Gives entries the names that they yield now, and those of tools that they had. Of a plugin that is not here nothing new is known. */
export function nameEntries(entries: LockEntries, names: NamesNow | undefined): (entry: LockEntry) => LockEntry {
  const now = names?.();
  const owners = Map.groupBy(now?.tools ?? [], ({ owner }) => owner);
  // What a plugin holds stays its own while its folder, or the tool, is away.
  const away = new Map<string, Set<string>>();
  for (const entry of entries.values()) {
    const here = new Set(owners.get(entry.name)?.map(({ name }) => name));
    for (const name of heldNames(entry)) if (!here.has(name)) away.set(name, (away.get(name) ?? new Set()).add(entry.name));
  }
  return (entry) => {
    if (now === undefined || !owners.has(entry.name)) return entry;
    const isOthers = (tool: string): boolean => {
      const holder = now.find(tool)?.owner;
      if (holder !== undefined) return holder !== entry.name;
      return [...(away.get(tool) ?? [])].some((name) => name !== entry.name);
    };
    const tools = toolNames(entry.surface.tools);
    const yields = [...tools].filter(isOthers).toSorted();
    const before = entries.get(entry.name);
    const keeps = [...(before === undefined ? NONE : heldNames(before))].filter((name) => !tools.has(name)).toSorted();
    const { yields: _yields, keeps: _keeps, ...rest } = entry;
    // The same entry but for these members.
    return { ...rest, ...(yields.length > 0 && { yields }), ...(keeps.length > 0 && { keeps: keeps.slice(0, MAX_KEPT) }) };
  };
}
