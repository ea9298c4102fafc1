/**
 * One state of the registry: which name means which tool (SPEC R2, R7, M5). The one authority for bare and exported names.
 *
 * Names are given out by standing, never by time of arrival: built-ins, the embedding program, MCP servers, plugins that the lock or the
 * grants know, newcomers. Among plugins, one that had a bare name before keeps it; else the first by name gets it.
 */

import { exportName } from "../../manifests/mod.ts";
import type { RegisteredTool } from "./tool.ts";

/** Owner of the tools that come with bascule. No plugin can have a name with `$`. */
export const BUILTIN_OWNER = "$builtin";

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
  /** What models call the tool of this id by: no two tools have the same, even if no client sees both. */
  exportName(id: string): string | undefined;
}

/** Two tools wanted one name. */
export interface RegistryWarning {
  readonly tool: string;
  readonly message: string;
}

/** What is known of an owner of tools, as far as names go. */
export interface OwnerStanding {
  /** A person let it serve before: it is no newcomer, and stands beside names that look like its own. */
  readonly known: boolean;
  /** Bare names that are its own from before. An MCP server's are kept for it while it is not connected. */
  readonly holds: ReadonlySet<string>;
}

/** Who had which name before, and who is who. */
export interface NameHistory {
  /** True if the embedding program registered the owner's tools. */
  isProgram(owner: string): boolean;
  readonly standings: ReadonlyMap<string, OwnerStanding>;
  /** By bare name: the plugin that served under it. */
  readonly holders: ReadonlyMap<string, string>;
  /** By plugin: the bare names that are its own, also while it has no such tool. No other plugin gets their calls. */
  readonly kept: ReadonlyMap<string, ReadonlySet<string>>;
}

const NO_HISTORY: NameHistory = { isProgram: (owner) => owner.startsWith("$"), standings: new Map(), holders: new Map(), kept: new Map() };

/** The state of a host that has no registry: nothing is found (SPEC R8). */
export const EMPTY_SNAPSHOT: Snapshot = buildSnapshot(new Map(), new Map(), (name) => name, NO_HISTORY);

/** `keyOf` maps names that look alike to one key. Aliases only look up: they hold no look-alikes (SPEC G2). */
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
  // What cannot be called, and never was, takes no name.
  const standing = [...owners.values()].flat().filter((tool) => tool.binding.kind !== "unavailable" || isEstablished(tool));
  const ownerByKey = plainest([...new Set(standing.map(({ owner }) => owner))].sort(compare), (owner) => owner);
  const plainByKey = plainest(standing, ({ name }) => name);
  const reservedByKey = new Map<string, string>();
  for (const { name } of owners.get(BUILTIN_OWNER) ?? []) reservedByKey.set(keyOf(name), name);

  /** True if a person accepted the tool beside all that look like it, or it serves: it does not lose by one that comes later. */
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

  /** What decides which of two gets a bare name; the smaller first. */
  function claimOf({ owner, name, binding }: RegisteredTool): number {
    const rank = rankOf(owner);
    if (rank < SERVER) return rank * WITHIN_RANK;
    const { known = false, holds } = history.standings.get(owner) ?? {};
    const hold = holds?.has(name) === true ? 0 : history.holders.get(name) === owner ? 1 : 2;
    // What never served takes no name from what does.
    if (binding.kind === "unavailable" && hold === 2) return UNPROVEN * WITHIN_RANK + rank;
    return rank === SERVER ? rank * WITHIN_RANK : rank * WITHIN_RANK + hold * 2 + (known ? 0 : 1);
  }

  const claims = new Map([...owners.values()].flat().map((tool) => [tool, claimOf(tool)]));
  const inOrder = [...claims.keys()].sort(
    (left, right) => (claims.get(left) ?? 0) - (claims.get(right) ?? 0) || compare(left.owner, right.owner),
  );
  const above = new Set(inOrder.filter(({ owner }) => rankOf(owner) < SERVER).map(({ name }) => keyOf(name)));
  for (const [owner, { holds }] of history.standings) {
    // Names of a server that is not connected: no plugin gets its calls meanwhile.
    if (!isServer(owner) || owners.has(owner)) continue;
    for (const name of holds) if (!above.has(keyOf(name))) holderByKey.set(keyOf(name), { name, owner });
  }
  const missing = [...history.kept].flatMap(([owner, names]) => {
    const own = new Set(owners.get(owner)?.map(({ name }) => name));
    return [...names].filter((name) => !own.has(name)).map((name) => ({ name, owner }));
  });
  if (missing.length > 0) {
    const wanted = new Set(missing.map(({ name }) => name));
    // A server comes before a plugin that has no such tool, and so does a plugin that the lock gave the name to.
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
    // A person cannot rename a server's tool, and no other tool has its qualified name.
    const builtin = isServer(tool.owner) ? builtinOf(tool) : undefined;
    const refusal = builtin === undefined ? refusalOf(tool) : undefined;
    if (builtin !== undefined) {
      add(yielding(tool, BUILTIN_OWNER));
    } else if (refusal !== undefined) {
      refuse(tool, refusal);
    } else if (byName.get(tool.qualifiedName)?.qualifiedName === tool.qualifiedName) {
      // Both have the bare name only: the first keeps it, and the second has none.
      warnings.push({
        tool: tool.qualifiedName,
        message: `Tool "${tool.name}" of "${tool.owner}" is left out: "${byName.get(tool.qualifiedName)?.owner ?? ""}" has a tool of this name (rename one)`,
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

  const tools = Object.freeze([...byId.values()].sort((left, right) => compare(left.qualifiedName, right.qualifiedName)));
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
        .sort(compare),
    reserved: (name: string) => reservedByKey.get(keyOf(name)) ?? aliases.get(name),
    exportName: (id: string) => (exported ??= chooseExportNames(tools, rankOf)).get(id),
  });
}

const yieldings = new WeakMap<RegisteredTool, RegisteredTool>();

/** The tool without its bare name: the same object as long as both are. */
function yielding(tool: RegisteredTool, yieldsTo: string): RegisteredTool {
  const before = yieldings.get(tool);
  if (before?.yieldsTo === yieldsTo) return before;
  const now = Object.freeze({ ...tool, yieldsTo });
  yieldings.set(tool, now);
  return now;
}

/**
 * By id: `plugin__tool`, or the bare name for tools of no plugin. Where two would be the same, which only a tool of the program with `__` in
 * its name can bring about, that one has it, and the other gets a name with a hash, which no other can have: no plugin is called `tool`.
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

/** Longer than any name may be, so that what it is joined with is told by its hash. */
const LONG = "tool".padEnd(64, "_");

const [BUILTIN, PROGRAM, SERVER, PLUGIN, UNPROVEN] = [0, 1, 2, 3, 4] as const;
/** More than the claims that are told apart within one rank. */
const WITHIN_RANK = 8;

/** Whether the tools are an MCP server's: no plugin's name holds `__`. */
export function isServer(owner: string): boolean {
  return owner.startsWith("mcp__");
}

/** How many characters are not plain lower-case letters and separators. */
function oddness(name: string): number {
  return name.replace(/[a-z_-]/g, "").length;
}

/** By code unit: the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
