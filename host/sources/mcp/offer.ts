/** Publishes the tools of one server: accepted ones as they are, the others without their descriptions (SPEC K3, H6). */

import type { Tool } from "@modelcontextprotocol/client";
import type { EmitEvent } from "../../audit/events.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { ConsentChange } from "../../plugins/consent/change.ts";
import { areAllShown } from "../../plugins/consent/changes.ts";
import { tooManyChanges } from "../../plugins/consent/reason.ts";
import type { ToolContext } from "../../call/context.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { hashOf } from "../../primitives/json/json-hash.ts";
import { checkToolName, type JsonObject, type JsonValue, type SideEffect } from "../../../manifests/mod.ts";
import type { RegisteredToolInput, Registry } from "../../tools/registry.ts";
import type { ToolOutput } from "../../call/tool-output.ts";
import { ownerOf, type ServerTool } from "./definitions.ts";
import { changedParts, pinChanges, pinOf, type Pins, type PinStore } from "./pins.ts";

/** Tools that are new, or changed since they were accepted. The text is the server's: escape it before printing. */
export interface WaitingTools {
  readonly tools: readonly string[];
  /** Hash of the present definitions: accepting by it accepts nothing else. */
  readonly digest: string;
  readonly changes: readonly ConsentChange[];
}

/** A server's tools changed since they were shown. */
export class McpToolsChanged extends Error {
  override readonly name = "McpToolsChanged";
}

interface McpOfferOptions {
  /** The server's name. */
  readonly name: string;
  readonly registry: Pick<Registry, "replaceOwner" | "removeOwner">;
  readonly pins: PinStore;
  readonly emit: EmitEvent;
  readonly call: (tool: Tool, args: JsonValue, context: ToolContext) => Promise<ToolOutput>;
}

interface McpOffer {
  /** Qualified names, including refused tools. */
  tools(): readonly string[];
  refused(): readonly Refused[];
  waiting(): WaitingTools | undefined;
  /**
   * Publishes the tools that the server lists now. Does nothing if they are unchanged.
   * @param until aborted when the list is obsolete
   */
  list(tools: readonly ServerTool[], until: AbortSignal): Promise<void>;
  /** Reads the accepted tools again, which another process may have changed. */
  refresh(until: AbortSignal): Promise<void>;
  /**
   * @throws {McpToolsChanged} if the waiting tools do not match the hash
   * @throws {TypeError} if not all changes are shown
   */
  accept(names: readonly string[] | undefined, digest: string | undefined, until: AbortSignal): Promise<readonly string[]>;
  /** Reserves the accepted names for the server before it is connected. */
  reserve(): Promise<void>;
  /** Removes the tools of a lost server; their names stay reserved. */
  clear(): void;
  /** Removes the server and frees its names. */
  end(): void;
}

/** A tool that is not offered, and why. */
export interface Refused {
  readonly tool: string;
  readonly reason: string;
}

/** A published tool. */
interface Offered {
  readonly one: ServerTool;
  readonly reason: string | undefined;
}

export function createMcpOffer({ name, registry, pins, emit, call }: McpOfferOptions): McpOffer {
  const owner = ownerOf(name);
  let offered: ReadonlyMap<string, Offered> = new Map();
  let waiting: WaitingTools | undefined;
  /** Refusals that were reported, also during earlier connections, so that a server that reconnects repeatedly does not repeat them. */
  let told: ReadonlyMap<string, string> = new Map();
  /** Names of accepted tools. Similar names, and other sources while the server is away, do not get them. */
  let holds: ReadonlySet<string> = new Set();
  let isEnded = false;
  /** Listing and accepting run one after the other. */
  const inTurn = createMutex();

  async function publish(tools: readonly ServerTool[], until: AbortSignal): Promise<void> {
    const known = await pins.read(name);
    // Listing a server in the configuration trusts its tools as they are then. Every later change needs a confirmation.
    if (known === undefined) await pins.write(name, pinned(tools.filter((one) => one.refused === undefined)));
    const differing = known === undefined ? [] : tools.filter((one) => one.refused === undefined && quarantine(one, known) !== undefined);
    const digest = differing.length === 0 ? "" : await hashOf(differing.map(({ parts }) => pinOf(parts)));
    if (until.aborted) return;
    const names = differing.map(({ definition }) => definition.name);
    waiting = known && names.length > 0 ? { tools: names, digest, changes: pinChanges(name, known, differing) } : undefined;
    holds = new Set(
      tools.filter(({ tool, refused }) => known?.has(tool.name) ?? refused === undefined).map(({ definition }) => definition.name),
    );
    replace(new Map(tools.map((one) => [one.definition.name, { one, reason: one.refused ?? (known && quarantine(one, known)) }])));
  }

  /** Reports new refusals. If nothing changed, clients keep their list. */
  function replace(next: ReadonlyMap<string, Offered>): void {
    const before = offered;
    offered = next;
    for (const { tool, reason } of refused()) {
      if (told.get(tool) !== reason) emit({ type: "plugin.quarantined", payload: { server: name, tool, reason } });
    }
    told = new Map(refused().map(({ tool, reason }) => [tool, reason]));
    if (!isSame(before, next)) registry.replaceOwner(owner, [...next.values()].map(toInput), { known: false, holds });
  }

  function toInput({ one, reason }: Offered): RegisteredToolInput {
    const { definition, published } = one;
    const shared = { source: "mcp", toolkit: name } as const;
    if (reason !== undefined) return { ...shared, definition: inert(definition, name), binding: { kind: "unavailable", reason } };
    // Parts that are not pinned may have changed since.
    const listed = (): Tool => offered.get(definition.name)?.one.tool ?? one.tool;
    const create = (): { definition: typeof definition; execute: (args: JsonValue, context: ToolContext) => Promise<ToolOutput> } => ({
      definition,
      execute: (args, context) => call(listed(), args, context),
    });
    return { ...shared, definition, published, binding: { kind: "factory", create } };
  }

  function quarantine({ tool, parts }: ServerTool, known: Pins): string | undefined {
    const how = pins.frozen ? "start without --frozen to accept it" : `the user has to accept it: bascule mcp-servers accept ${name}`;
    const before = known.get(tool.name);
    if (before === undefined)
      return pins.frozen ? `it is not in bascule.lock; ${how}` : `the server ${name} did not have it when its tools were accepted; ${how}`;
    const changed = changedParts(before, pinOf(parts));
    return changed.length === 0 ? undefined : `its ${changed.join(", ")} changed since it was accepted; ${how}`;
  }

  const refused = (): readonly Refused[] => [...offered].flatMap(([tool, { reason }]) => (reason === undefined ? [] : [{ tool, reason }]));
  const listed = (): readonly ServerTool[] => [...offered.values()].map(({ one }) => one);

  return {
    tools: () => [...offered.keys()].map((tool) => `${owner}.${tool}`),
    refused,
    waiting: () => waiting,
    list: (tools, until) => inTurn(() => publish(tools, until)),
    refresh: (until) => inTurn(() => publish(listed(), until)),
    accept: (names, digest, until) =>
      inTurn(async () => {
        if (digest !== undefined && digest !== waiting?.digest)
          throw new McpToolsChanged(`The tools of the MCP server ${name} changed since they were shown`);
        if (!areAllShown(waiting?.changes ?? []))
          throw new TypeError(tooManyChanges(`the tools of the MCP server ${name}`, "list it under another name to trust it as it is now"));
        const wanted = (waiting?.tools ?? []).filter((tool) => names?.includes(tool) !== false);
        const accepted = listed().filter(({ definition }) => wanted.includes(definition.name));
        if (accepted.length === 0) return [];
        await pins.write(name, new Map([...((await pins.read(name)) ?? []), ...pinned(accepted)]));
        await publish(listed(), until);
        return wanted;
      }),
    reserve: () =>
      inTurn(async () => {
        const names = [...((await pins.read(name))?.keys() ?? [])].filter((tool) => checkToolName(tool) === undefined);
        if (isEnded || names.length === 0 || offered.size > 0) return;
        holds = new Set(names);
        registry.replaceOwner(owner, [], { known: false, holds });
      }),
    clear() {
      offered = new Map();
      waiting = undefined;
      registry.replaceOwner(owner, [], { known: false, holds });
    },
    end() {
      isEnded = true;
      registry.removeOwner(owner);
    },
  };
}

/** Compares regardless of the order. */
function isSame(before: ReadonlyMap<string, Offered>, next: ReadonlyMap<string, Offered>): boolean {
  return (
    before.size === next.size &&
    [...next].every(([tool, { one, reason }]) => {
      const old = before.get(tool);
      return old !== undefined && old.reason === reason && equalJson(old.one.parts, one.parts);
    })
  );
}

function pinned(tools: readonly ServerTool[]): Pins {
  return new Map(tools.map(({ tool, parts }): [string, JsonObject] => [tool.name, pinOf(parts)]));
}

/** Hides the text of a definition that was not accepted. */
function inert<T extends { readonly name: string; readonly sideEffects: readonly SideEffect[] }>(definition: T, server: string): T {
  return {
    ...definition,
    title: definition.name,
    description: `A tool of the MCP server ${server} whose definition was not accepted`,
    inputSchema: { type: "object" },
    outputSchema: undefined,
  };
}
