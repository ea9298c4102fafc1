/** One MCP server: connected, listed, offered, and connected again when it is lost (SPEC K3). */

import type { Tool } from "@modelcontextprotocol/client";
import type { EmitEvent } from "../../audit/events.ts";
import type { ToolContext } from "../../context.ts";
import { isJsonObject, type JsonValue, type McpServerConfig, type SideEffect } from "../../../manifests/mod.ts";
import type { Clock, Log } from "../../platform/platform.ts";
import type { RegisteredToolInput, Registry } from "../../registry.ts";
import { ToolUnavailable } from "../../tool-error.ts";
import type { ToolOutput } from "../../tool-output.ts";
import { callServerTool, listServerTools, type McpClient } from "./client.ts";
import { ownerOf, type ServerTool, toServerTools } from "./definitions.ts";
import { changedParts, type Pin, pinOf, type PinStore } from "./pins.ts";
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
  /** Accepts the definitions that it has now; returns the names of those that were not offered. */
  accept(tools?: readonly string[]): Promise<readonly string[]>;
  /** Reads again what was accepted, wherever that was done. */
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
  let waitMs = FIRST_WAIT_MS;
  let stopTimer = (): void => {};
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let listedAt = -Infinity;

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
    const tools = toServerTools(name, config, found.slice(0, MAX_TOOLS));
    await publish(tools, mine);
  }

  async function publish(tools: readonly ServerTool[], mine: AbortController): Promise<void> {
    const known = await pins.read(name);
    const now = new Map<string, Pin>();
    for (const { tool, parts } of tools) now.set(tool.name, await pinOf(parts));
    // Whoever lists a server trusts what it is then: from there on every change is asked about.
    if (known === undefined) await pins.write(name, now);
    if (mine.signal.aborted) return;
    const before = new Set(refused.map(({ tool, reason }) => `${tool} ${reason}`));
    const inputs: RegisteredToolInput[] = [];
    const out: { tool: string; reason: string }[] = [];
    for (const one of tools) {
      const reason = one.refused ?? (known && quarantine(known.get(one.tool.name), now.get(one.tool.name) ?? {}));
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
    registry.replaceOwner(owner, inputs);
  }

  function quarantine(before: Pin | undefined, now: Pin): string | undefined {
    const how = `a person has to accept it: bascule mcp-servers accept ${name}`;
    if (before === undefined) return `the server ${name} did not have it when its tools were accepted; ${how}`;
    const parts = changedParts(before, now);
    return parts.length === 0 ? undefined : `its ${parts.join(", ")} changed since it was accepted; ${how}`;
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
    }),
    async accept(names) {
      const before = (await pins.read(name)) ?? new Map<string, Pin>();
      const after = new Map(before);
      const changed = refused.filter(({ tool }) => names === undefined || names.includes(tool)).map(({ tool }) => tool);
      for (const { definition, tool, parts } of offered) if (changed.includes(definition.name)) after.set(tool.name, await pinOf(parts));
      await pins.write(name, after);
      await publish(offered, lost);
      return changed;
    },
    async refresh() {
      if (client !== undefined) await publish(offered, lost);
    },
    async close() {
      closed.abort();
      const left = client;
      lose(lost, "closed");
      // One that is being made ends at the signal.
      await Promise.all([opening, left && leave(left)]);
    },
  };
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
