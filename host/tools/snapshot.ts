/**
 * One state of the registry: maps names to tools (SPEC R2, R7, M5). The one authority for bare and exported names.
 *
 * Names are assigned by rank, never by time of arrival: built-ins, the embedding program, MCP servers, plugins that the lock or the grants
 * know, newcomers. Among plugins, one that had a bare name before keeps it; otherwise the first in alphabetical order gets it.
 */

import { exportName } from "../../manifests/mod.ts";
import { compareText } from "../primitives/digest.ts";
import type { RegisteredTool } from "./tool.ts";

/** Owner of the built-in tools. Plugin names cannot contain `$`. */
export const BUILTIN_OWNER = "$builtin";

/** An immutable state of the registry. */
export interface Snapshot {
  /** By qualified name. */
  readonly tools: readonly RegisteredTool[];
  readonly warnings: readonly RegistryWarning[];
  /** Finds a tool by bare name, qualified name or alias. */
  find(name: string): RegisteredTool | undefined;
  getById(id: string): RegisteredTool | undefined;
  /** Returns the shortest name of every tool, sorted; without those for which `hidden` returns true. */
  names(hidden?: (tool: RegisteredTool) => boolean): readonly string[];
  /** Returns the built-in that has this name, or one that looks like it. */
  reserved(name: string): string | undefined;
  /** Returns the tool's name for models: unique, even among tools that no client sees together. */
  exportName(id: string): string | undefined;
}

/** A collision of two tools over one name. */
export interface RegistryWarning {
  readonly tool: string;
  readonly message: string;
}

/** History of an owner, as far as names depend on it. */
export interface OwnerStanding {
  /** Whether the user accepted it before: then its names may look like those of others. */
  readonly known: boolean;
  /** Bare names that it keeps from before. Those of an MCP server stay reserved while it is not connected. */
  readonly holds: ReadonlySet<string>;
}

/** History of names and owners. */
interface NameHistory {
  /** Returns whether the embedding program registered the owner's tools. */
  isProgram(owner: string): boolean;
  readonly standings: ReadonlyMap<string, OwnerStanding>;
  /** Plugins by the bare name that they served under. */
  readonly holders: ReadonlyMap<string, string>;
  /** Bare names that each plugin keeps, also while it has no such tool. No other plugin gets their calls. */
  readonly kept: ReadonlyMap<string, ReadonlySet<string>>;
}

const NO_HISTORY: NameHistory = { isProgram: (owner) => owner.startsWith("$"), standings: new Map(), holders: new Map(), kept: new Map() };

/** The state of a host without a registry: no tool is found (SPEC R8). */
export const EMPTY_SNAPSHOT: Snapshot = buildSnapshot(new Map(), new Map(), (name) => name, NO_HISTORY);

/**
 * Builds a snapshot. `keyOf` maps names that look alike to one key. Aliases are for look-ups only and reserve no similar names (SPEC G2).
 */
export function buildSnapshot(
  owners: ReadonlyMap<string, readonly RegisteredTool[]>,
  aliases: ReadonlyMap<string, string>,
  keyOf: (name: string) => string,
  history: NameHistory,
): Snapshot {
  const warnings: RegistryWarning[] = [];
  const byName = new Map<string, RegisteredTool>();
  const byId = new Map<string, RegisteredTool>();
  const shortest = new Map<RegisteredTool, string>();
  const holderByKey = new Map<string, { readonly name: string; readonly owner: string }>();
  // A tool that cannot be called, and never could, gets no bare name.
  const standing = [...owners.values()].flat().filter((tool) => tool.binding.kind !== "unavailable" || isEstablished(tool));
  const ownerByKey = plainest([...new Set(standing.map(({ owner }) => owner))].sort(compareText), (owner) => owner);
  const plainByKey = plainest(standing, ({ name }) => name);
  const reservedByKey = new Map<string, string>();
  for (const { name } of owners.get(BUILTIN_OWNER) ?? []) reservedByKey.set(keyOf(name), name);

  /** Returns whether the user accepted the tool beside similar names, or it serves already: later tools cannot displace it. */
  function isEstablished({ name, owner }: RegisteredTool): boolean {
    const known = history.standings.get(owner);
    return history.isProgram(owner) || known?.known === true || known?.holds.has(name) === true || history.holders.get(name) === owner;
  }

  function add(tool: RegisteredTool): void {
    byName.set(tool.qualifiedName, tool);
    byId.set(tool.id, tool);
    shortest.set(tool, tool.qualifiedName);
  }
  function refuse(tool: RegisteredTool, reason: string): void {
    warnings.push({ tool: tool.qualifiedName, message: `Tool "${tool.qualifiedName}" is refused: ${reason}` });
    add(Object.freeze({ ...tool, binding: { kind: "unavailable" as const, reason } }));
  }

  /** Returns, of names that look alike, the one with the fewest odd characters, else the first, so that `w0rds` cannot displace `words`. */
  function plainest<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, string> {
    const byKey = new Map<string, string>();
    for (const item of items) {
      const name = nameOf(item);
      const before = byKey.get(keyOf(name));
      if (before === undefined || oddness(name) < oddness(before)) byKey.set(keyOf(name), name);
    }
    return byKey;
  }

  const builtinOf = ({ name, owner }: RegisteredTool): string | undefined =>
    owner === BUILTIN_OWNER ? undefined : (reservedByKey.get(keyOf(name)) ?? aliases.get(name));

  function refusalOf(tool: RegisteredTool): string | undefined {
    const { name, owner } = tool;
    const builtin = builtinOf(tool);
    if (builtin !== undefined) return `the name "${name}" is taken by the built-in tool "${builtin}" (rename the tool)`;
    if (isEstablished(tool)) return undefined;
    const twin = ownerByKey.get(keyOf(owner)) ?? owner;
    if (twin !== owner) return `the plugin's name "${owner}" looks like "${twin}" (rename the plugin)`;
    const plain = plainByKey.get(keyOf(name)) ?? name;
    return oddness(name) > oddness(plain) ? `the name "${name}" looks like the tool "${plain}" (rename the tool)` : undefined;
  }

  const rankOf = (owner: string): number =>
    owner === BUILTIN_OWNER ? BUILTIN : history.isProgram(owner) ? PROGRAM : isServer(owner) ? SERVER : PLUGIN;

  /** Returns the rank of a tool's claim to a bare name; the smaller one wins. */
  function claimOf({ owner, name, binding }: RegisteredTool): number {
    const rank = rankOf(owner);
    if (rank < SERVER) return rank * WITHIN_RANK;
    const { known = false, holds } = history.standings.get(owner) ?? {};
    const hold = holds?.has(name) === true ? 0 : history.holders.get(name) === owner ? 1 : 2;
    // A tool that never served cannot take a name from one that serves.
    if (binding.kind === "unavailable" && hold === 2) return UNPROVEN * WITHIN_RANK + rank;
    return rank === SERVER ? rank * WITHIN_RANK : rank * WITHIN_RANK + hold * 2 + (known ? 0 : 1);
  }

  const claims = new Map([...owners.values()].flat().map((tool) => [tool, claimOf(tool)]));
  const inOrder = [...claims.keys()].sort(
    (left, right) => (claims.get(left) ?? 0) - (claims.get(right) ?? 0) || compareText(left.owner, right.owner),
  );
  const above = new Set(inOrder.filter(({ owner }) => rankOf(owner) < SERVER).map(({ name }) => keyOf(name)));
  for (const [owner, { holds }] of history.standings) {
    // Names of a disconnected server: no plugin gets its calls meanwhile.
    if (!isServer(owner) || owners.has(owner)) continue;
    for (const name of holds) if (!above.has(keyOf(name))) holderByKey.set(keyOf(name), { name, owner });
  }
  const missing = [...history.kept].flatMap(([owner, names]) => {
    const own = new Set(owners.get(owner)?.map(({ name }) => name));
    return [...names].filter((name) => !own.has(name)).map((name) => ({ name, owner }));
  });
  if (missing.length > 0) {
    const wanted = new Set(missing.map(({ name }) => name));
    // A server has priority over a plugin without such a tool, and so has a plugin that the lock gave the name to.
    const isFirst = ({ owner, name }: RegisteredTool): boolean =>
      isServer(owner) || (wanted.has(name) && history.standings.get(owner)?.holds.has(name) === true);
    const first = new Set(inOrder.filter(isFirst).map(({ name }) => keyOf(name)));
    for (const { name, owner } of missing) {
      const key = keyOf(name);
      if (!above.has(key) && !first.has(key) && !holderByKey.has(key)) holderByKey.set(key, { name, owner });
    }
  }

  for (const tool of inOrder) {
    const key = keyOf(tool.name);
    const holder = holderByKey.get(key);
    // The user cannot rename a server's tool, and its qualified name is unique.
    const builtin = isServer(tool.owner) ? builtinOf(tool) : undefined;
    const refusal = builtin === undefined ? refusalOf(tool) : undefined;
    if (builtin !== undefined) {
      add(yielding(tool, BUILTIN_OWNER));
    } else if (refusal !== undefined) {
      refuse(tool, refusal);
    } else if (byName.get(tool.qualifiedName)?.qualifiedName === tool.qualifiedName) {
      // Both have a bare name only: the first keeps it, and the second gets none.
      warnings.push({
        tool: tool.qualifiedName,
        message: `Tool "${tool.name}" of "${tool.owner}" is omitted: "${byName.get(tool.qualifiedName)?.owner ?? ""}" has a tool of this name (rename one)`,
      });
    } else if (holder === undefined || (holder.name !== tool.name && !byName.has(tool.name) && isEstablished(tool))) {
      add(tool);
      if (holder === undefined) holderByKey.set(key, tool);
      byName.set(tool.name, tool);
      shortest.set(tool, tool.name);
    } else {
      const { name, owner } = byName.get(tool.name) ?? holder;
      add(name === tool.name ? yielding(tool, owner) : tool);
      warnings.push({
        tool: tool.qualifiedName,
        message: `Tool "${tool.qualifiedName}" is reachable by its qualified name only: "${name}" is a tool of "${owner}" (call it by its qualified name, or rename it)`,
      });
    }
  }

  const tools = Object.freeze([...byId.values()].sort((left, right) => compareText(left.qualifiedName, right.qualifiedName)));
  let exported: ReadonlyMap<string, string> | undefined;
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
        .sort(compareText),
    reserved: (name: string) => reservedByKey.get(keyOf(name)) ?? aliases.get(name),
    exportName: (id: string) => (exported ??= chooseExportNames(tools, rankOf)).get(id),
  });
}

const yieldings = new WeakMap<RegisteredTool, RegisteredTool>();

/** Returns the tool without its bare name. The object is reused while the tool and the name's owner stay the same. */
function yielding(tool: RegisteredTool, yieldsTo: string): RegisteredTool {
  const before = yieldings.get(tool);
  if (before?.yieldsTo === yieldsTo) return before;
  const now = Object.freeze({ ...tool, yieldsTo });
  yieldings.set(tool, now);
  return now;
}

/**
 * Returns export names by id: `plugin__tool`, or the bare name for tools of no plugin. Two can only collide if the program has a tool with
 * `__` in its name; that tool keeps the name, and the other gets a name with a hash, which is unique because no plugin is called `tool`.
 */
function chooseExportNames(tools: readonly RegisteredTool[], rankOf: (owner: string) => number): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const tool of tools.toSorted((left, right) => rankOf(left.owner) - rankOf(right.owner))) {
    const { id, name, owner, qualifiedName } = tool;
    const plain = qualifiedName === name ? name : exportName(qualifiedName.slice(0, -name.length - 1), name);
    const own = taken.has(plain) ? exportName(`${LONG}${owner}`, name) : plain;
    taken.add(own);
    names.set(id, own);
  }
  return names;
}

/** Longer than any name, so that the joined name is shortened with a hash. */
const LONG = "tool".padEnd(64, "_");

const [BUILTIN, PROGRAM, SERVER, PLUGIN, UNPROVEN] = [0, 1, 2, 3, 4] as const;
/** Larger than the number of claims within one rank. */
const WITHIN_RANK = 8;

/** Returns whether the owner is an MCP server: plugin names cannot contain `__`. */
export function isServer(owner: string): boolean {
  return owner.startsWith("mcp__");
}

/** Counts the characters other than lower-case letters and separators. */
function oddness(name: string): number {
  return name.replace(/[a-z_-]/g, "").length;
}
