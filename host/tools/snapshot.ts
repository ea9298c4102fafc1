/**
 * One state of the registry: which name means which tool (SPEC R2, R7, M5).
 *
 * Names are given out by owner (built-ins, the embedding program, then plugins by name), never by time of arrival, so
 * the same set of plugins always resolves the same way.
 */

import type { RegisteredTool } from "./tool.ts";

/** Immutable. */
export interface Snapshot {
  /** By qualified name. */
  readonly tools: readonly RegisteredTool[];
  readonly warnings: readonly RegistryWarning[];
  /** By bare name, qualified name or alias. */
  find(name: string): RegisteredTool | undefined;
  getById(id: string): RegisteredTool | undefined;
  /** The shortest name of every tool, sorted; without those that `hidden` is true for. */
  names(hidden?: (tool: RegisteredTool) => boolean): readonly string[];
  /** The built-in that holds this name, or one that looks like it. */
  reserved(name: string): string | undefined;
}

/** Two tools wanted one name. */
export interface RegistryWarning {
  readonly tool: string;
  readonly message: string;
}

/** The state of a host that has no registry: nothing is found (SPEC R8). */
export const EMPTY_SNAPSHOT: Snapshot = buildSnapshot(new Map(), new Map(), (name) => name);

/** `keyOf` maps names that look alike to one key. Aliases only look up: they hold no look-alikes (SPEC G2). */
export function buildSnapshot(
  owners: ReadonlyMap<string, readonly RegisteredTool[]>,
  aliases: ReadonlyMap<string, string>,
  keyOf: (name: string) => string,
): Snapshot {
  const warnings: RegistryWarning[] = [];
  const byName = new Map<string, RegisteredTool>();
  const byId = new Map<string, RegisteredTool>();
  const shortest = new Map<RegisteredTool, string>();
  const ownerByKey = plainest([...owners.keys()].sort(byRank), (owner) => owner);
  const holderByKey = new Map<string, RegisteredTool>();
  const plainByKey = plainest([...owners.values()].flat(), ({ name }) => name);
  const reservedByKey = new Map<string, string>();

  function add(tool: RegisteredTool): void {
    byName.set(tool.qualifiedName, tool);
    byId.set(tool.id, tool);
    shortest.set(tool, tool.qualifiedName);
  }
  function refuse(tool: RegisteredTool, reason: string): void {
    warnings.push({ tool: tool.qualifiedName, message: `Tool "${tool.qualifiedName}" is refused: ${reason}` });
    add(Object.freeze({ ...tool, binding: { kind: "unavailable" as const, reason } }));
  }

  /** Of names that look alike, the one with the fewest odd characters, else the first: nobody can crowd out `words` with `w0rds`. */
  function plainest<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, string> {
    const byKey = new Map<string, string>();
    for (const item of items) {
      const name = nameOf(item);
      const before = byKey.get(keyOf(name));
      if (before === undefined || oddness(name) < oddness(before)) byKey.set(keyOf(name), name);
    }
    return byKey;
  }

  for (const owner of [...owners.keys()].sort(byRank)) {
    const twin = ownerByKey.get(keyOf(owner)) ?? owner;
    for (const tool of owners.get(owner) ?? []) {
      const key = keyOf(tool.name);
      const builtin = reservedByKey.get(key) ?? aliases.get(tool.name);
      const holder = holderByKey.get(key);
      const plain = plainByKey.get(key) ?? tool.name;
      if (twin !== owner) {
        refuse(tool, `the plugin's name "${owner}" looks like "${twin}" (rename the plugin)`);
      } else if (builtin !== undefined) {
        refuse(tool, `the name "${tool.name}" is taken by the built-in tool "${builtin}" (rename the tool)`);
      } else if (oddness(tool.name) > oddness(plain)) {
        refuse(tool, `the name "${tool.name}" looks like the tool "${plain}" (rename the tool)`);
      } else if (byName.get(tool.qualifiedName)?.qualifiedName === tool.qualifiedName) {
        // Both have the bare name only: the first keeps it, and the second has none.
        warnings.push({
          tool: tool.qualifiedName,
          message: `Tool "${tool.name}" of "${owner}" is left out: "${byName.get(tool.qualifiedName)?.owner ?? ""}" has a tool of this name (rename one)`,
        });
      } else if (holder === undefined) {
        add(tool);
        holderByKey.set(key, tool);
        byName.set(tool.name, tool);
        shortest.set(tool, tool.name);
      } else {
        add(tool);
        warnings.push({
          tool: tool.qualifiedName,
          message: `Tool "${tool.qualifiedName}" is reachable by its qualified name only: "${holder.name}" is a tool of "${holder.owner}"`,
        });
      }
    }
    if (rank(owner) === 0) for (const tool of owners.get(owner) ?? []) reservedByKey.set(keyOf(tool.name), tool.name);
  }

  const tools = Object.freeze([...byId.values()].sort((left, right) => compare(left.qualifiedName, right.qualifiedName)));
  return Object.freeze({
    tools,
    warnings: Object.freeze(warnings),
    find(name: string) {
      return byName.get(name) ?? byName.get(aliases.get(name) ?? "");
    },
    getById: (id: string) => byId.get(id),
    names: (hidden: (tool: RegisteredTool) => boolean = () => false) =>
      tools
        .filter((tool) => !hidden(tool))
        .map((tool) => shortest.get(tool) ?? tool.qualifiedName)
        .sort(compare),
    reserved: (name: string) => reservedByKey.get(keyOf(name)) ?? aliases.get(name),
  });
}

/** How many characters are not plain lower-case letters and separators. */
function oddness(name: string): number {
  return name.replace(/[a-z_-]/g, "").length;
}

function byRank(left: string, right: string): number {
  return rank(left) - rank(right) || compare(left, right);
}

function rank(owner: string): number {
  if (owner === "$builtin") return 0;
  return owner.startsWith("$") ? 1 : 2;
}

/** By code unit: the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
