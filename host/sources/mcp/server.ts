/** Connects to one MCP server, follows its changes, and reconnects when it is lost (SPEC K3). `offer.ts` publishes its tools. */

import type { Tool } from "@modelcontextprotocol/client";
import type { EmitEvent } from "../../audit/events.ts";
import type { ToolContext } from "../../call/context.ts";
import { isJsonObject, type JsonValue, type McpServerConfig } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import type { Clock, Log, Slices } from "../../platform/platform.ts";
import type { Registry } from "../../tools/registry.ts";
import { ToolUnavailable } from "../../tools/tool-error.ts";
import type { ToolOutput } from "../../call/tool-output.ts";
import { toCallError } from "./call-error.ts";
import { callServerTool, listServerTools, type McpClient } from "./client.ts";
import { type ServerTool, toServerTools } from "./definitions.ts";
import { createMcpOffer, type Refused, type WaitingTools } from "./offer.ts";
import { createPinBudget, type PinStore } from "./pins.ts";
import { toToolOutput } from "./result.ts";

/** Status of a server. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: "connecting" | "connected" | "waiting" | "closed";
  /** Why it is not connected, in the program's or the network's words: escape it before printing. */
  readonly problem?: string;
  /** Qualified names. */
  readonly tools: readonly string[];
  /** Tools that are not offered, and why. */
  readonly refused: readonly Refused[];
  /** Changes that the user can accept; absent if there are none. */
  readonly waiting?: WaitingTools;
}

export interface McpServerOptions {
  readonly name: string;
  readonly config: Pick<McpServerConfig, "tools" | "sideEffects" | "toolSideEffects" | "timeoutMs">;
  /** Opens a new connection. */
  readonly connect: (events: {
    readonly signal: AbortSignal;
    readonly onChanged: () => void;
    readonly onClosed: () => void;
    readonly onRefused: (method: string) => void;
  }) => Promise<McpClient>;
  /** Whether a lost connection is restored. */
  readonly reconnects: boolean;
  readonly registry: Pick<Registry, "replaceOwner" | "removeOwner">;
  readonly pins: PinStore;
  readonly emit: EmitEvent;
  readonly clock: Clock;
  readonly log: Log;
  readonly slices: Slices;
}

export interface McpServer {
  status(): McpServerStatus;
  /** Resolves when it is connected, or the first attempt failed. */
  readonly started: Promise<void>;
  /**
   * Accepts the present definitions. Returns the names of those that were waiting.
   *
   * @throws {McpToolsChanged} if they do not match the hash
   */
  accept(tools?: readonly string[], digest?: string): Promise<readonly string[]>;
  /** Reads the accepted tools again, which another process may have changed. A lost server is tried again at once. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Minimum interval between lists, however often the server reports changes. */
const LIST_EVERY_MS = 1_000;
const LIST_TIMEOUT_MS = 30_000;
const MAX_TOOLS = 512;
const MAX_PROGRESS = 1_000;
const MAX_WORDS = 1_000;

export function createMcpServer(options: McpServerOptions): McpServer {
  const { name, config, connect, reconnects, registry, pins, emit, clock, log, slices } = options;
  const offer = createMcpOffer({ name, registry, pins, emit, call });
  const closed = new AbortController();
  let state: McpServerStatus["state"] = "connecting";
  let problem: string | undefined;
  let client: McpClient | undefined;
  let lost = new AbortController();
  let waitMs = FIRST_WAIT_MS;
  let stopTimer = (): void => {};
  let listing: Promise<void> | undefined;
  let listAgain = false;
  let listedAt = -Infinity;
  /** For each running call, the server's requests that were refused. They do not name a call, so each counts for all of them. */
  const underWay = new Set<Set<string>>();
  const refusals = new Set<string>();

  async function open(): Promise<void> {
    state = "connecting";
    const mine = new AbortController();
    lost = mine;
    try {
      await offer.reserve();
      const made = await connect({
        signal: closed.signal,
        onChanged: () => changed(mine),
        onClosed: () => lose(mine, "The connection was closed"),
        onRefused,
      });
      // The connection was lost or closed at the moment when it was made.
      if (mine.signal.aborted) return await leave(made);
      client = made;
      await list(mine);
      if (mine.signal.aborted || closed.signal.aborted) return;
      state = "connected";
      problem = undefined;
      waitMs = FIRST_WAIT_MS;
    } catch (error) {
      lose(mine, errorText(error));
    }
  }

  /** Runs once for each connection, whichever event comes first. */
  function lose(mine: AbortController, why: string): void {
    if (mine.signal.aborted) return;
    mine.abort();
    const left = client;
    client = undefined;
    stopTimer();
    listing = undefined;
    offer.clear();
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

  function onRefused(method: string): void {
    for (const refused of underWay) refused.add(method);
    // Log each method once, even if the server repeats it.
    if (refusals.has(method)) return;
    refusals.add(method);
    log.write("warn", "An MCP server made a request that bascule refuses", { server: name, method });
  }

  async function leave(connection: McpClient): Promise<void> {
    await connection
      .close()
      .catch((error: unknown) => log.write("debug", "Cannot close an MCP connection", { server: name, error: String(error) }));
  }

  /** A flood of changes causes at most one list a second. */
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
      .catch((error: unknown) => lose(mine, errorText(error)))
      .finally(() => {
        // Changes reported by a lost connection do not count for the next one.
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
      log.write("warn", "An MCP server has more tools than can be offered", { server: name, tools: found.length, offered: MAX_TOOLS });
    const tools = await slices.run(boundedTools(found.slice(0, MAX_TOOLS)));
    if (mine.signal.aborted) return;
    await offer.list(tools, mine.signal);
  }

  function* boundedTools(found: readonly Tool[]): Generator<void, readonly ServerTool[]> {
    const isTooMuch = createPinBudget();
    const tools: ServerTool[] = [];
    for (const one of toServerTools(name, config, found)) {
      const reason = one.refused ?? isTooMuch(one.parts);
      tools.push(reason === undefined ? one : { ...one, refused: reason });
      yield;
    }
    return tools;
  }

  async function call(tool: Tool, args: JsonValue, context: ToolContext): Promise<ToolOutput> {
    const connection = lost;
    if (client === undefined || connection.signal.aborted) throw new ToolUnavailable(`The MCP server ${name} is not connected`);
    let told = 0;
    const refused = new Set<string>();
    underWay.add(refused);
    try {
      const answer = await callServerTool(client, tool, isJsonObject(args) ? args : {}, {
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
      return await slices.run(toToolOutput(answer, [...refused]));
    } catch (error) {
      if (connection.signal.aborted)
        throw new ToolUnavailable(`The MCP server ${name} was lost during the call`, { details: { retryable: false } });
      throw toCallError(error, name, [...refused]);
    } finally {
      underWay.delete(refused);
    }
  }

  const started = open();
  let opening = started;
  return {
    started,
    status() {
      const waiting = offer.waiting();
      return {
        name,
        state: closed.signal.aborted ? "closed" : state,
        ...(problem !== undefined && { problem }),
        tools: offer.tools(),
        refused: offer.refused(),
        ...(waiting && { waiting }),
      };
    },
    accept: (names, digest) => offer.accept(names, digest, lost.signal),
    async refresh() {
      // The cause may have been fixed.
      if (state === "waiting" && !closed.signal.aborted) {
        stopTimer();
        void (opening = open());
        return;
      }
      if (client !== undefined) await offer.refresh(lost.signal);
    },
    async close() {
      closed.abort();
      // A lost connection waits to be restored.
      stopTimer();
      const left = client;
      lose(lost, "closed");
      offer.end();
      // A connection attempt ends at the signal.
      await Promise.all([opening, left && leave(left)]);
    },
  };
}
