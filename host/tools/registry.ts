/**
 * The registry of callable tools (SPEC R): owners publish and withdraw tools, readers get an immutable snapshot.
 *
 * Every change replaces the whole snapshot, so a call sees one state from its look-up to its end.
 */

import { completeDefinition, completePublished } from "./definition.ts";
import { type ToolFilter, type ToolListing, listTool, matchesFilter } from "./listing.ts";
import { BUILTIN_OWNER, buildSnapshot, isServer, type OwnerStanding, type RegistryWarning, type Snapshot } from "./snapshot.ts";
import type { PublishedWords, RegisteredTool, ToolBinding, ToolFactory, ToolSourceName } from "./tool.ts";
import { confusableKey, type SideEffect, type ToolDefinition } from "../../manifests/mod.ts";
import { currentPlatform } from "../platform/current.ts";
import { ToolNotFound, ToolRegistrationError } from "./tool-error.ts";
import { nearestNames } from "./nearest.ts";
import { toolNotFound } from "../call/errors.ts";

export type { ToolFilter, ToolListing } from "./listing.ts";
export type { OwnerStanding, RegistryWarning, Snapshot } from "./snapshot.ts";
export { BUILTIN_OWNER } from "./snapshot.ts";
export { TOOL_SOURCES } from "./tool.ts";
export type { PluginVersion, RegisteredTool, Tool, ToolBinding, ToolDeclaration, ToolFactory, ToolSourceName } from "./tool.ts";

/** Default owner of the tools that the embedding program registers. */
const HOST_OWNER = "$host";

/** Owner of the tools that `bascule.json` declares. */
export const PROJECT_OWNER = "$project";
/** Owners whose tools are called by their bare names. */
const BARE: ReadonlySet<string> = new Set([BUILTIN_OWNER, HOST_OWNER, PROJECT_OWNER]);

/** Options of `createRegistry()`. */
export interface RegistryOptions {
  /** Generates a UUIDv7 for each registration. Default: this platform's. */
  readonly newId?: () => string;
  /** Called once for each new name collision. */
  readonly onWarning?: (warning: RegistryWarning) => void;
}

/** Tools that one swap added and removed. */
export interface RegistryChange {
  readonly added: readonly RegisteredTool[];
  readonly removed: readonly RegisteredTool[];
}

/** Options of a registration. */
export interface RegisterOptions {
  /** Default `$host`. An owner replaces its own tool of the same name. */
  readonly owner?: string;
  /** Default `function`. */
  readonly source?: ToolSourceName;
  readonly toolkit?: string;
}

/** A tool as a plugin source publishes it; `parseManifest` has validated its definition. */
export interface RegisteredToolInput {
  readonly definition: ToolDefinition;
  readonly published?: PublishedWords;
  readonly binding: ToolBinding;
  /** Default `plugin`. */
  readonly source?: ToolSourceName;
  readonly toolkit?: string;
}

/** Selects tools by capability: all parts that are given must match. */
export interface CapabilityQuery {
  /** Tools that declare all of these. */
  readonly sideEffects?: readonly SideEffect[];
  readonly determinism?: ToolDefinition["determinism"];
  /** Tools that have all of these. */
  readonly tags?: readonly string[];
}

/** Publishes tools and finds them. */
export interface Registry {
  /**
   * Registers a tool. @throws {ToolRegistrationError} if the definition is invalid (with the field), the name is a built-in's, or the owner
   * is a plugin.
   */
  register(factory: ToolFactory, options?: RegisterOptions): RegisteredTool;
  /** Registers all tools or none. @throws {ToolRegistrationError} as `register`. */
  registerMany(factories: readonly ToolFactory[], options?: RegisterOptions): readonly RegisteredTool[];
  /** Removes a tool by any of its names; returns false if it was not registered. */
  unregister(name: string): boolean;
  /**
   * Publishes all tools of one plugin in one swap, in place of those it published before.
   *
   * @param standing history of the owner; without it, the owner is a newcomer. It stays until the owner is removed, also while the owner
   * has no tools.
   * @throws {ToolRegistrationError} if the embedding program registers tools of that owner
   */
  replaceOwner(owner: string, tools: readonly RegisteredToolInput[], standing?: OwnerStanding): readonly RegisteredTool[];
  removeOwner(owner: string): void;
  /** Returns whether the embedding program registers tools of that owner. */
  isProgram(owner: string): boolean;
  /** Returns a tool of the embedding program or of an MCP server whose name looks like this one. */
  lookAlike(name: string): { readonly name: string; readonly owner: string } | undefined;
  /**
   * From now on a plugin keeps the bare names that it serves under, whatever is loaded later. `createHost` calls this after it has loaded
   * everything.
   */
  keepNames(): void;
  /** Sets the source of bare names that plugins keep, also while they have no such tool; read on every later change. */
  reserve(kept: () => ReadonlyMap<string, ReadonlySet<string>>): void;
  /** Adds an alias of a tool, for look-ups only. @throws {ToolRegistrationError} if a tool or alias has that name. */
  alias(alias: string, name: string): void;

  /** Finds a tool by bare name, qualified name or alias. @throws {ToolNotFound} if it does not exist. */
  get(name: string): RegisteredTool;
  has(name: string): boolean;
  getById(id: string): RegisteredTool | undefined;
  list(filter?: ToolFilter): readonly ToolListing[];
  /** Lists tools whose callers include `chain`. */
  chainable(): readonly ToolListing[];
  find(query: CapabilityQuery): readonly ToolListing[];
  snapshot(): Snapshot;
  /** Calls the listener in the tick of each change (SPEC H8). Returns unsubscribe. */
  onChange(listener: (change: RegistryChange) => void): () => void;
}

/** Creates an empty registry. Registries share no state. */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const { newId = currentPlatform().random.uuidv7, onWarning } = options;
  const listeners = new Set<(change: RegistryChange) => void>();
  const owners = new Map<string, readonly RegisteredTool[]>();
  const aliases = new Map<string, string>();
  const warned = new Set<string>();
  const keyOf = remember(confusableKey);
  const programs = new Set<string>();
  const standings = new Map<string, OwnerStanding>();
  const isProgram = (owner: string): boolean => owner.startsWith("$") || (programs.has(owner) && owners.has(owner));
  /** Plugins by the bare name that they serve under. */
  let holders: ReadonlyMap<string, string> = new Map();
  let keepsNames = false;
  let kept: () => ReadonlyMap<string, ReadonlySet<string>> = () => NOTHING_KEPT;
  let current: Snapshot | undefined;

  /** Built on the first read after a change, so that loading many plugins costs one pass. */
  function snapshot(): Snapshot {
    if (current !== undefined) return current;
    current = buildSnapshot(owners, aliases, keyOf, { isProgram, standings, holders, kept: kept() });
    if (keepsNames) holders = holdersIn(current);
    for (const warning of current.warnings) {
      if (warned.has(warning.message)) continue;
      warned.add(warning.message);
      onWarning?.(warning);
    }
    return current;
  }

  function holdersIn(now: Snapshot): ReadonlyMap<string, string> {
    const held = now.tools.filter(({ name, owner, binding }) => {
      if (now.find(name)?.owner !== owner || isProgram(owner)) return false;
      return binding.kind !== "unavailable" || holders.get(name) === owner;
    });
    return new Map(held.map(({ name, owner }) => [name, owner]));
  }

  function swap(owner: string, tools: readonly RegisteredTool[]): void {
    const before = owners.get(owner) ?? [];
    if (tools.length === 0) owners.delete(owner);
    else owners.set(owner, Object.freeze([...tools]));
    current = undefined;
    const added = tools.filter((tool) => !before.includes(tool));
    const removed = before.filter((tool) => !tools.includes(tool));
    if (added.length + removed.length === 0) return;
    for (const listener of listeners) listener({ added, removed });
  }

  function registerMany(factories: readonly ToolFactory[], into: RegisterOptions = {}): readonly RegisteredTool[] {
    const { owner = HOST_OWNER, source = "function", toolkit } = into;
    const added = factories.map((create) => {
      const made = create();
      const definition = completeDefinition(made.definition);
      refuseReserved(definition.name, owner);
      const published = completePublished(definition.name, made.published);
      const words = { ...(published && { published }), ...(toolkit !== undefined && { toolkit }) };
      return toRegistered(owner, { definition, source, binding: { kind: "factory", create }, ...words }, newId());
    });
    if (!isProgram(owner) && owners.has(owner))
      throw new ToolRegistrationError(owner, [problem("/owner", `"${owner}" is a plugin or an MCP server (choose another owner)`)]);
    const names = new Set(added.map((tool) => tool.name));
    if (names.size < added.length)
      throw new ToolRegistrationError([...names].join(", "), [problem("/name", "Two of the tools have the same name")]);
    programs.add(owner);
    swap(owner, [...(owners.get(owner) ?? []).filter((tool) => !names.has(tool.name)), ...added]);
    return added;
  }

  function refuseReserved(name: string, owner: string): void {
    const holder = owner === BUILTIN_OWNER ? undefined : snapshot().reserved(name);
    if (holder !== undefined)
      throw new ToolRegistrationError(name, [
        problem("/name", `The name "${name}" is taken by the built-in tool "${holder}" (choose another name)`),
      ]);
  }

  function listed(keep: (tool: RegisteredTool) => boolean): readonly ToolListing[] {
    return snapshot()
      .tools.filter(keep)
      .map((tool) => listTool(tool));
  }

  return {
    register(factory, into) {
      const [tool] = registerMany([factory], into);
      if (tool === undefined) throw new Error("registerMany returned nothing");
      return tool;
    },
    registerMany,
    unregister(name) {
      const tool = snapshot().find(name);
      if (tool === undefined) return false;
      swap(
        tool.owner,
        (owners.get(tool.owner) ?? []).filter((other) => other.id !== tool.id),
      );
      return true;
    },
    isProgram,
    lookAlike(name) {
      const key = keyOf(name);
      for (const [owner, tools] of owners) {
        if (owner === BUILTIN_OWNER || (!isProgram(owner) && !isServer(owner))) continue;
        const found = tools.find((tool) => tool.name !== name && keyOf(tool.name) === key);
        if (found !== undefined) return { name: found.name, owner };
      }
      return undefined;
    },
    keepNames() {
      keepsNames = true;
      holders = holdersIn(snapshot());
    },
    replaceOwner(owner, tools, standing) {
      if (!owner.startsWith("$") && isProgram(owner))
        throw new ToolRegistrationError(owner, [problem("/name", `The program has tools under the name "${owner}" (rename the plugin)`)]);
      if (standing === undefined) standings.delete(owner);
      else standings.set(owner, standing);
      const added = tools.map((tool) => toRegistered(owner, tool, newId()));
      swap(owner, added);
      return added;
    },
    removeOwner(owner) {
      standings.delete(owner);
      current = undefined;
      swap(owner, []);
    },
    reserve(names) {
      kept = names;
      current = undefined;
    },
    alias(alias, name) {
      if (snapshot().find(alias) !== undefined) throw new ToolRegistrationError(alias, [problem("/name", `The name "${alias}" is taken`)]);
      aliases.set(alias, name);
      current = undefined;
    },
    get(name) {
      const tool = snapshot().find(name);
      if (tool !== undefined) return tool;
      const { message, details } = toolNotFound(name, nearestNames(name, snapshot().names()));
      throw new ToolNotFound(message, details && { details });
    },
    has: (name) => snapshot().find(name) !== undefined,
    getById: (id) => snapshot().getById(id),
    list: (filter = {}) => listed((tool) => matchesFilter(tool, filter)),
    chainable: () => listed((tool) => tool.definition.callers.includes("chain")),
    find: ({ sideEffects = [], determinism, tags = [] }) =>
      listed(
        ({ definition }) =>
          sideEffects.every((effect) => definition.sideEffects.includes(effect)) &&
          (determinism === undefined || definition.determinism === determinism) &&
          tags.every((tag) => definition.tags.includes(tag)),
      ),
    snapshot,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the tool as the registry lists it. */
export function toRegistered(owner: string, input: RegisteredToolInput, id: string): RegisteredTool {
  const { definition, published, binding, source = "plugin", toolkit } = input;
  const automatic = [`source:${source}`, ...(toolkit === undefined ? [] : [`toolkit:${toolkit}`])];
  return Object.freeze({
    id,
    name: definition.name,
    qualifiedName: BARE.has(owner) ? definition.name : `${owner}.${definition.name}`,
    owner,
    source,
    definition: Object.freeze({ ...definition, tags: Object.freeze([...new Set([...definition.tags, ...automatic])]) }),
    ...(published && { published }),
    binding,
    ...((source === "plugin" || (source === "skill" && !owner.startsWith("$"))) && { plugin: owner }),
    ...(toolkit !== undefined && { toolkit }),
  });
}

const NOTHING_KEPT: ReadonlyMap<string, ReadonlySet<string>> = new Map();
const KEPT = 100_000;

/** Memoizes the function: a snapshot calls it for every tool of every plugin. */
function remember(keyOf: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= KEPT) known.clear();
    const key = keyOf(name);
    known.set(name, key);
    return key;
  };
}

function problem(pointer: string, message: string): { readonly severity: "error"; readonly pointer: string; readonly message: string } {
  return { severity: "error", pointer, message };
}
