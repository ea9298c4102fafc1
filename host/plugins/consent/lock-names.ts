/** Bare names that a plugin of the lock owns: its tools' names except those it yields, and names of tools it had before. */

import type { Snapshot } from "../../tools/snapshot.ts";
import type { LockEntries, LockEntry } from "./lock-text.ts";

/** Looks up the current owner of each name. */
export type NamesNow = () => Pick<Snapshot, "find" | "tools">;

type Named = Pick<LockEntry, "name" | "path" | "declared" | "yields" | "keeps">;

/** Maximum number of former tool names kept for a plugin that renames its tools repeatedly. */
const MAX_KEPT = 512;
const NONE: ReadonlySet<string> = new Set();

/** Returns the names of the declaration's tools and skills; skills are called like tools. */
export function toolNames(tools: LockEntry["declared"]["tools"]): ReadonlySet<string> {
  return new Set(Object.keys(tools).map((name) => name.replace(/^skill /, "")));
}

/** Returns the bare names that the plugin owns. If its folder was renamed, the new name's entry owns them. */
export function heldNames(entry: Named): ReadonlySet<string> {
  const before = held.get(entry);
  if (before !== undefined) return before;
  const { path, declared: declaration, yields = [], keeps = [] } = entry;
  const yielded = new Set(yields);
  const names = path === "" ? NONE : new Set([...toolNames(declaration.tools), ...keeps].filter((name) => !yielded.has(name)));
  held.set(entry, names);
  return names;
}

/** By entry, which never changes. */
const held = new WeakMap<Named, ReadonlySet<string>>();

/** Returns a function that sets the names an entry yields and keeps. Entries of plugins that are not loaded stay as they are. */
export function nameEntries(entries: LockEntries, names: NamesNow | undefined): (entry: LockEntry) => LockEntry {
  const now = names?.();
  const owners = Map.groupBy(now?.tools ?? [], ({ owner }) => owner);
  // A plugin keeps its names while its folder or the tool is missing.
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
    const tools = toolNames(entry.declared.tools);
    const yields = [...tools].filter(isOthers).toSorted();
    const before = entries.get(entry.name);
    const keeps = [...(before === undefined ? NONE : heldNames(before))].filter((name) => !tools.has(name)).toSorted();
    const { yields: _yields, keeps: _keeps, ...rest } = entry;
    // The same entry except for these members.
    return { ...rest, ...(yields.length > 0 && { yields }), ...(keeps.length > 0 && { keeps: keeps.slice(0, MAX_KEPT) }) };
  };
}
