/** One MCP server: connected, listed, offered, and connected again when it is lost (SPEC K3). */

import type { Tool } from "@modelcontextprotocol/client";
import type { EmitEvent } from "../../audit/events.ts";
import { hashOf } from "../../json-hash.ts";
import type { ConsentChange } from "../../consent/changes.ts";
import type { ToolContext } from "../../context.ts";
import { createInTurn } from "../../in-turn.ts";
import { isJsonObject, type JsonObject, type JsonValue, type McpServerConfig, type SideEffect } from "../../../manifests/mod.ts";
import type { Clock, Log } from "../../platform/platform.ts";
import type { RegisteredToolInput, Registry } from "../../registry.ts";
import { ToolUnavailable } from "../../tool-error.ts";
import type { ToolOutput } from "../../tool-output.ts";
import { callServerTool, listServerTools, type McpClient } from "./client.ts";
import { ownerOf, type ServerTool, toServerTools } from "./definitions.ts";
import { changedParts, createPinBudget, pinChanges, pinOf, type Pins, type PinStore } from "./pins.ts";
import { toToolOutput } from "./result.ts";

/** How a server is doing. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: "connecting" | "connected" | "waiting" | "closed";
  /** Why it is not connected, in the program's or the network's words: make it inert before it is shown. */
  readonly problem?: string;
  /** Qualified names. */
  readonly tools: readonly string[];
  /** Tools that are not offered, and why. */
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  /** What a person can accept; absent where nothing waits. */
  readonly waiting?: WaitingTools;
}

/** Tools that are new, or say something else than was accepted. In the server's own words: make them inert before they are shown. */
export interface WaitingTools {
  readonly tools: readonly string[];
  /** Of what they say now: who accepts it by its digest accepts nothing else. */
  readonly digest: string;
  readonly changes: readonly ConsentChange[];
}

/** What a server's tools say is not any more what was shown. */
export class McpToolsChanged extends Error {
  override readonly name = "McpToolsChanged";
}

export interface McpServerOptions {
  readonly name: string;
  readonly config: Pick<McpServerConfig, "tools" | "sideEffects" | "toolSideEffects" | "timeoutMs">;
  /** Makes a new connection. Absent where it is given once and for all. */
  readonly connect: (events: {
    readonly signal: AbortSignal;
    readonly onChanged: () => void;
    readonly onClosed: () => void;
  }) => Promise<McpClient>;
  /** Whether a lost connection is made anew. */
  readonly reconnects: boolean;
  readonly registry: Pick<Registry, "replaceOwner" | "removeOwner">;
  readonly pins: PinStore;
  readonly emit: EmitEvent;
  readonly clock: Clock;
  readonly log: Log;
}

export interface McpServer {
  status(): McpServerStatus;
  /** Resolves when it is connected, or could not be for the first time. */
  readonly started: Promise<void>;
  /**
   * Accepts the definitions that it has now; returns the names of those that waited.
   *
   * @throws {McpToolsChanged} if they are not those of the digest.
   */
  accept(tools?: readonly string[], digest?: string): Promise<readonly string[]>;
  /** Reads again what was accepted, wherever that was done; one that is lost is tried again at once. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A list is not asked for more often than this, however often the server says that it changed. */
const LIST_EVERY_MS = 1_000;
const LIST_TIMEOUT_MS = 30_000;
const MAX_TOOLS = 512;
const MAX_PROGRESS = 1_000;
const MAX_WORDS = 1_000;

export function createMcpServer(options: McpServerOptions): McpServer {
  const { name, config, connect, reconnects, registry, pins, emit, clock, log } = options;
  const owner = ownerOf(name);
  const closed = new AbortController();
  let state: McpServerStatus["state"] = "connecting";
  let problem: string | undefined;
  let client: McpClient | undefined;
  let lost = new AbortController();
  let offered: readonly ServerTool[] = [];
  let refused: McpServerStatus["refused"] = [];
  let waiting: WaitingTools | undefined;
  let waitMs = FIRST_WAIT_MS;
  let stopTimer = (): void => {};
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let listedAt = -Infinity;
  /** What is offered and what is accepted change one after the other. */
  const inTurn = createInTurn();

  async function open(): Promise<void> {
    state = "connecting";
    const mine = new AbortController();
    lost = mine;
    try {
      const made = await connect({
        signal: closed.signal,
        onChanged: () => changed(mine),
        onClosed: () => lose(mine, "The connection was closed"),
      });
      // Lost, or left, in the moment in which it was made.
      if (mine.signal.aborted) return await leave(made);
      client = made;
      await list(mine);
      if (mine.signal.aborted || closed.signal.aborted) return;
      state = "connected";
      problem = undefined;
      waitMs = FIRST_WAIT_MS;
    } catch (error) {
      lose(mine, error instanceof Error ? error.message : String(error));
    }
  }

  /** Once for each connection, whoever notices first. */
  function lose(mine: AbortController, why: string): void {
    if (mine.signal.aborted) return;
    mine.abort();
    const left = client;
    client = undefined;
    offered = [];
    waiting = undefined;
    stopTimer();
    listing = undefined;
    registry.removeOwner(owner);
    if (closed.signal.aborted) return;
    problem = why.slice(0, MAX_WORDS);
    log.write("warn", "An MCP server is not connected", { server: name, problem });
    if (left !== undefined) void leave(left);
    if (!reconnects) {
      state = "closed";
      return;
    }
    state = "waiting";
    stopTimer = clock.after(waitMs, () => void (opening = open()));
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  async function leave(connection: McpClient): Promise<void> {
    await connection
      .close()
      .catch((error: unknown) => log.write("debug", "An MCP connection did not close", { server: name, error: String(error) }));
  }

  /** Floods of changes end in one list a second. */
  function changed(mine: AbortController): void {
    if (mine.signal.aborted || closed.signal.aborted) return;
    listAgain = true;
    if (listing !== undefined) return;
    const rest = Math.max(0, listedAt + LIST_EVERY_MS - clock.monotonic());
    const turn = new Promise<void>((resolve) => (stopTimer = clock.after(rest, resolve)))
      .then(async () => {
        listAgain = false;
        await list(mine);
      })
      .catch((error: unknown) => lose(mine, error instanceof Error ? error.message : String(error)))
      .finally(() => {
        // What a connection that is gone was told is no news of the next one.
        if (listing !== turn) return;
        listing = undefined;
        if (listAgain) changed(mine);
      });
    listing = turn;
  }

  async function list(mine: AbortController): Promise<void> {
    if (client === undefined) return;
    listedAt = clock.monotonic();
    const found = await listServerTools(client, mine.signal, LIST_TIMEOUT_MS);
    if (found.length > MAX_TOOLS)
      log.write("warn", "An MCP server has more tools than are offered", { server: name, tools: found.length, offered: MAX_TOOLS });
    const isTooMuch = createPinBudget();
    const tools = toServerTools(name, config, found.slice(0, MAX_TOOLS)).map((one): ServerTool => {
      const reason = one.refused ?? isTooMuch(one.parts);
      return reason === undefined ? one : { ...one, refused: reason };
    });
    await inTurn(() => publish(tools, mine));
  }

  async function publish(tools: readonly ServerTool[], mine: AbortController): Promise<void> {
    const known = await pins.read(name);
    // Whoever lists a server trusts what it is then: from there on every change is asked about.
    if (known === undefined) await pins.write(name, pinned(tools.filter((one) => one.refused === undefined)));
    const differing = known === undefined ? [] : tools.filter((one) => one.refused === undefined && quarantine(one, known) !== undefined);
    const digest = differing.length === 0 ? "" : await hashOf(differing.map(({ parts }) => pinOf(parts)));
    if (mine.signal.aborted) return;
    const before = new Set(refused.map(({ tool, reason }) => `${tool} ${reason}`));
    const inputs: RegisteredToolInput[] = [];
    const out: { tool: string; reason: string }[] = [];
    for (const one of tools) {
      const reason = one.refused ?? (known && quarantine(one, known));
      const { definition } = one;
      if (reason === undefined) {
        inputs.push({
          definition,
          source: "mcp",
          toolkit: name,
          binding: { kind: "factory", create: () => ({ definition, execute: (args, context) => call(one.tool, args, context) }) },
        });
        continue;
      }
      out.push({ tool: definition.name, reason });
      inputs.push({
        definition: known === undefined ? definition : inert(definition, name),
        source: "mcp",
        toolkit: name,
        binding: { kind: "unavailable", reason },
      });
      if (!before.has(`${definition.name} ${reason}`))
        emit({ type: "plugin.quarantined", payload: { server: name, tool: definition.name, reason } });
    }
    refused = out;
    offered = tools;
    const names = differing.map(({ definition }) => definition.name);
    waiting = known && names.length > 0 ? { tools: names, digest, changes: pinChanges(name, known, differing) } : undefined;
    registry.replaceOwner(owner, inputs);
  }

  function quarantine({ tool, parts }: ServerTool, known: Pins): string | undefined {
    const how = pins.frozen ? "start without --frozen to accept it" : `a person has to accept it: bascule mcp-servers accept ${name}`;
    const before = known.get(tool.name);
    if (before === undefined)
      return pins.frozen ? `it is not in bascule.lock; ${how}` : `the server ${name} did not have it when its tools were accepted; ${how}`;
    const changed = changedParts(before, pinOf(parts));
    return changed.length === 0 ? undefined : `its ${changed.join(", ")} changed since it was accepted; ${how}`;
  }

  async function call(tool: Tool, args: JsonValue, context: ToolContext): Promise<ToolOutput> {
    const connection = lost;
    if (client === undefined || connection.signal.aborted) throw new ToolUnavailable(`The MCP server ${name} is not connected`);
    let told = 0;
    try {
      const answer = await callServerTool(client, tool, isJsonObject(args) ? { ...args } : {}, {
        signal: AbortSignal.any([context.signal, connection.signal]),
        onProgress({ progress, total, message }) {
          if (++told > MAX_PROGRESS) return;
          context.progress({
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message: message.slice(0, MAX_WORDS) }),
          });
        },
      });
      return toToolOutput(answer);
    } catch (error) {
      if (connection.signal.aborted)
        throw new ToolUnavailable(`The MCP server ${name} was lost during the call`, { details: { retryable: false } });
      throw error;
    }
  }

  const started = open();
  let opening = started;
  return {
    started,
    status: () => ({
      name,
      state: closed.signal.aborted ? "closed" : state,
      ...(problem !== undefined && { problem }),
      tools: offered.map(({ definition }) => `${owner}.${definition.name}`),
      refused,
      ...(waiting && { waiting }),
    }),
    async accept(names, digest) {
      return await inTurn(async () => {
        if (digest !== undefined && digest !== waiting?.digest)
          throw new McpToolsChanged(`What the tools of the MCP server ${name} say has changed since it was shown`);
        const wanted = (waiting?.tools ?? []).filter((tool) => names?.includes(tool) !== false);
        const accepted = offered.filter(({ definition }) => wanted.includes(definition.name));
        if (accepted.length === 0) return [];
        await pins.write(name, new Map([...((await pins.read(name)) ?? []), ...pinned(accepted)]));
        await publish(offered, lost);
        return wanted;
      });
    },
    async refresh() {
      // Somebody may have mended what it waits for.
      if (state === "waiting" && !closed.signal.aborted) {
        stopTimer();
        void (opening = open());
        return;
      }
      await inTurn(async () => {
        if (client !== undefined) await publish(offered, lost);
      });
    },
    async close() {
      closed.abort();
      // One that was lost before waits to be made anew.
      stopTimer();
      const left = client;
      lose(lost, "closed");
      // One that is being made ends at the signal.
      await Promise.all([opening, left && leave(left)]);
    },
  };
}

function pinned(tools: readonly ServerTool[]): Pins {
  return new Map(tools.map(({ tool, parts }): [string, JsonObject] => [tool.name, pinOf(parts)]));
}

/** Nobody accepted what it says now, so nobody is shown it. */
function inert<T extends { readonly name: string; readonly sideEffects: readonly SideEffect[] }>(definition: T, server: string): T {
  return {
    ...definition,
    title: definition.name,
    description: `A tool of the MCP server ${server} whose definition was not accepted`,
    inputSchema: { type: "object" },
    outputSchema: undefined,
  };
}
