/**
 * MCP door over Streamable HTTP. The server it is mounted on checks `Host`, `Origin` and the token before a request gets
 * here (SPEC I3).
 */

import { createMcpHandler as createModernHandler, isLegacyRequest, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { TokenScope } from "../../../manifests/mod.ts";
import { isGoodFor } from "../http/tokens.ts";
import { createClient, type McpClient } from "./client.ts";
import { createDoorParts } from "./door.ts";
import { createHttpSessions, failure, type HttpSessions, untilRead } from "./http-sessions.ts";
import { refuseMismatch } from "./param-headers.ts";
import type { DoorParts, McpDoorOptions } from "./parts.ts";
import { createServer } from "./server.ts";

/** Authenticated caller of a request: one per token. */
export interface McpHttpCaller {
  readonly id: string;
  /** Name of the token, for the record of sessions. */
  readonly name?: string;
  /** Role of the sessions that the caller opens. */
  readonly role?: string;
  /** Scopes of the token. Only a client with `confirm` gets confirmations: behind any other there may be only the agent, and no user. */
  readonly scopes?: readonly TokenScope[];
}

/** Handler to mount on an HTTP server. */
export interface McpHandler {
  readonly path: "/mcp";
  /** Scope that the token needs. */
  readonly scope: "call";
  /** Answers a request. Requests without a caller all belong to one. */
  fetch(request: Request, caller?: McpHttpCaller): Promise<Response>;
  /** Ends all streams and cancels the calls that clients wait for. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SUBSCRIPTIONS = 64;
/** Maximum sessions per caller. */
const DEFAULT_SESSIONS = 64;
/** Maximum callers. Beyond that, the least recently used one without open requests and running calls is forgotten. */
const MAX_CALLERS = 64;
const ANYBODY: McpHttpCaller = { id: "" };

/**
 * Creates the handler. Requests of the current revision are stateless: all requests with one token are one client. Legacy requests
 * belong to sessions that `initialize` opens, each its own client, which other tokens cannot use.
 */
export function createMcpHandler(options: McpDoorOptions): McpHandler {
  const parts = createDoorParts(options);
  const maxSessions = options.maxSessions ?? DEFAULT_SESSIONS;
  /** Callers by id, least recently used first. */
  const callers = new Map<string, CallerDoor>();
  let closed = false;

  /** Returns the caller's door; undefined if there are too many callers. */
  function doorOf(caller: McpHttpCaller): CallerDoor | undefined {
    const door = callers.get(caller.id) ?? (forgetIdlest() ? openDoorOf(caller) : undefined);
    if (door === undefined) return undefined;
    callers.delete(caller.id);
    callers.set(caller.id, door);
    return door;
  }

  /** Makes room for one more caller. Returns false if every caller is active. */
  function forgetIdlest(): boolean {
    if (callers.size < MAX_CALLERS) return true;
    const [id, door] = [...callers].find(([, { open, client, sessions }]) => open + client.running + sessions.running() === 0) ?? [];
    if (id === undefined) return false;
    callers.delete(id);
    door?.close().catch(parts.onError);
    return true;
  }

  function openDoorOf({ id, name, role, scopes }: McpHttpCaller): CallerDoor {
    const confirms = scopes === undefined || isGoodFor({ scopes }, "confirm");
    const session = {
      ...parts.session,
      owner: id,
      door: "mcp",
      ...(name !== undefined && { client: name }),
      ...(role !== undefined && { role }),
    };
    return openDoorFor({ ...parts, confirms, session }, maxSessions);
  }

  return {
    path: "/mcp",
    scope: "call",
    async fetch(given, caller = ANYBODY) {
      if (closed) return failure(503, -32_000, "The server is closing");
      const door = doorOf(caller);
      if (door === undefined)
        return failure(429, -32_000, `Too many callers with open requests (limit ${MAX_CALLERS}): wait until some end`);
      door.open += 1;
      return await untilRead(answer(door, given), () => (door.open -= 1));
    },
    async close() {
      closed = true;
      parts.changes.close();
      await Promise.all([...callers.values()].map((door) => door.close()));
    },
  };

  async function answer(door: CallerDoor, given: Request): Promise<Response> {
    const request = await parts.inputs.shortenRequest(given);
    if (request === undefined) return failure(413, -32_600, "Message too large: only a call's arguments may exceed 64 KB");
    const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
    const mismatch = isLegacy ? undefined : await refuseMismatch(request, door.client, parts.inputs);
    if (mismatch !== undefined) return mismatch;
    return parts.marks.fill(isLegacy ? await door.sessions.fetch(request) : await door.modern.fetch(request));
  }
}

interface CallerDoor {
  readonly client: McpClient;
  readonly modern: McpHttpHandler;
  readonly sessions: HttpSessions;
  /** Number of open requests and streams. */
  open: number;
  close(): Promise<void>;
}

function openDoorFor(parts: DoorParts, maxSessions: number): CallerDoor {
  const client = createClient(parts);
  const modern = createModernHandler(({ era }) => createServer(parts, client, era), {
    legacy: "reject",
    onerror: parts.onError,
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  });
  const stopTelling = parts.changes.listen({
    toolsChanged: modern.notify.toolsChanged,
    promptsChanged: modern.notify.promptsChanged,
    resourcesChanged: modern.notify.resourcesChanged,
    resourceUpdated: modern.notify.resourceUpdated,
  });
  const sessions = createHttpSessions(parts, { maxRequestBodySize: MAX_BODY_BYTES, maxSessions });
  return {
    client,
    modern,
    sessions,
    open: 0,
    async close() {
      stopTelling();
      parts.rounds.end(client);
      await Promise.all([modern.close(), sessions.close(), client.end()]);
    },
  };
}
