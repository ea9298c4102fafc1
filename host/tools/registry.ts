/**
 * The tools that can be called (SPEC R): owners publish and withdraw, readers get an immutable snapshot.
 *
 * Every change swaps the whole snapshot, so a call sees one state from its look-up to its end.
 */

import { completeDefinition } from "./definition.ts";
import { type ToolFilter, type ToolListing, listTool, matchesFilter } from "./listing.ts";
import { buildSnapshot, type RegistryWarning, type Snapshot } from "./snapshot.ts";
import type { RegisteredTool, ToolBinding, ToolFactory, ToolSourceName } from "./tool.ts";
import { confusableKey, type SideEffect, type ToolDefinition } from "../../manifests/mod.ts";
import { currentPlatform } from "../platform/current.ts";
import { ToolNotFound, ToolRegistrationError } from "./tool-error.ts";
import { nearestNames } from "./nearest.ts";
import { toolNotFound } from "../errors.ts";

export type { ToolFilter, ToolListing } from "./listing.ts";
export type { RegistryWarning, Snapshot } from "./snapshot.ts";
export { TOOL_SOURCES } from "./tool.ts";
export type { PluginVersion, RegisteredTool, Tool, ToolBinding, ToolDeclaration, ToolFactory, ToolSourceName } from "./tool.ts";

/** Owner of the tools that come with bascule. No plugin can have a name with `$`. */
export const BUILTIN_OWNER = "$builtin";
/** Owner of the tools that the embedding program registers, unless it names another. */
const HOST_OWNER = "$host";

/** Owner of the tools that `bascule.json` declares. */
export const PROJECT_OWNER = "$project";
/** Whose tools are called by their bare names. */
const BARE: ReadonlySet<string> = new Set([BUILTIN_OWNER, HOST_OWNER, PROJECT_OWNER]);

/** What a registry is made with. */
export interface RegistryOptions {
  /** Makes a UUIDv7 for each registration. Default: this platform's. */
  readonly newId?: () => string;
  /** Called once for each new collision of names. */
  readonly onWarning?: (warning: RegistryWarning) => void;
}

/** What one swap did. */
export interface RegistryChange {
  readonly added: readonly RegisteredTool[];
  readonly removed: readonly RegisteredTool[];
}

/** Whose tools are registered, and as what. */
export interface RegisterOptions {
  /** Default `$host`. The same owner replaces its own tool of the same name. */
  readonly owner?: string;
  /** Default `function`. */
  readonly source?: ToolSourceName;
  readonly toolkit?: string;
}

/** A tool as a plugin source publishes it; its definition has been checked by `parseManifest`. */
export interface RegisteredToolInput {
  readonly definition: ToolDefinition;
  readonly binding: ToolBinding;
  /** Default `plugin`. */
  readonly source?: ToolSourceName;
  readonly toolkit?: string;
}

/** What tools must be able to do; every part that is given must match. */
export interface CapabilityQuery {
  /** Tools that declare all of these. */
  readonly sideEffects?: readonly SideEffect[];
  readonly determinism?: ToolDefinition["determinism"];
  /** Tools that have all of these. */
  readonly tags?: readonly string[];
}

/** Publishes tools and finds them. */
export interface Registry {
  /** @throws {ToolRegistrationError} if the definition is wrong, naming the field, or the name is a built-in's. */
  register(factory: ToolFactory, options?: RegisterOptions): RegisteredTool;
  /** All or none. @throws {ToolRegistrationError} as `register`. */
  registerMany(factories: readonly ToolFactory[], options?: RegisterOptions): readonly RegisteredTool[];
  /** Removes a tool by any of its names; false if there was none. */
  unregister(name: string): boolean;
  /** Publishes all tools of one plugin in one swap; what it published before is gone. */
  replaceOwner(owner: string, tools: readonly RegisteredToolInput[]): readonly RegisteredTool[];
  removeOwner(owner: string): void;
  /** A second name for a tool, for look-ups only. @throws {ToolRegistrationError} if a tool or alias has it. */
  alias(alias: string, name: string): void;

  /** By bare name, qualified name or alias. @throws {ToolNotFound} if there is none. */
  get(name: string): RegisteredTool;
  has(name: string): boolean;
  getById(id: string): RegisteredTool | undefined;
  list(filter?: ToolFilter): readonly ToolListing[];
  /** Tools whose callers include `chain`. */
  chainable(): readonly ToolListing[];
  find(query: CapabilityQuery): readonly ToolListing[];
  snapshot(): Snapshot;
  /** Called in the tick of each change (SPEC H8). Returns unsubscribe. */
  onChange(listener: (change: RegistryChange) => void): () => void;
}

/** An empty registry. Two of them share nothing. */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const { newId = currentPlatform().random.uuidv7, onWarning } = options;
  const listeners = new Set<(change: RegistryChange) => void>();
  const owners = new Map<string, readonly RegisteredTool[]>();
  const aliases = new Map<string, string>();
  const warned = new Set<string>();
  const keyOf = remember(confusableKey);
  let current: Snapshot | undefined;

  /** Built when first read after a change, so that loading many plugins costs one pass. */
  function snapshot(): Snapshot {
    if (current !== undefined) return current;
    current = buildSnapshot(owners, aliases, keyOf);
    for (const warning of current.warnings) {
      if (warned.has(warning.message)) continue;
      warned.add(warning.message);
      onWarning?.(warning);
    }
    return current;
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
      const definition = completeDefinition(create().definition);
      refuseReserved(definition.name, owner);
      return toRegistered(
        owner,
        { definition, source, binding: { kind: "factory", create }, ...(toolkit !== undefined && { toolkit }) },
        newId(),
      );
    });
    const names = new Set(added.map((tool) => tool.name));
    if (names.size < added.length)
      throw new ToolRegistrationError([...names].join(", "), [problem("/name", "Two of the tools have the same name")]);
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
    return snapshot().tools.filter(keep).map(listTool);
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
    replaceOwner(owner, tools) {
      const added = tools.map((tool) => toRegistered(owner, tool, newId()));
      swap(owner, added);
      return added;
    },
    removeOwner(owner) {
      swap(owner, []);
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

function toRegistered(owner: string, input: RegisteredToolInput, id: string): RegisteredTool {
  const { definition, binding, source = "plugin", toolkit } = input;
  const automatic = [`source:${source}`, ...(toolkit === undefined ? [] : [`toolkit:${toolkit}`])];
  return Object.freeze({
    id,
    name: definition.name,
    qualifiedName: BARE.has(owner) ? definition.name : `${owner}.${definition.name}`,
    owner,
    source,
    definition: Object.freeze({ ...definition, tags: Object.freeze([...new Set([...definition.tags, ...automatic])]) }),
    binding,
    ...((source === "plugin" || (source === "skill" && !owner.startsWith("$"))) && { plugin: owner }),
    ...(toolkit !== undefined && { toolkit }),
  });
}

const KEPT = 10_000;

/** The same function, with its answers kept: a snapshot asks again for every tool of every plugin. */
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
