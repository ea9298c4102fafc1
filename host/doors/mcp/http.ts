/**
 * The door over Streamable HTTP, mounted on a server that has asked already who is there: `Host`, `Origin` and the token
 * are checked before a request comes here (SPEC I3).
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

/** Whose request it is, as the server found out: one token, one caller. */
export interface McpHttpCaller {
  readonly id: string;
  /** Of every session that it opens. */
  readonly role?: string;
  /** Of its token. Only one with `confirm` is asked to agree to calls: behind any other there may be nobody but the agent. */
  readonly scopes?: readonly TokenScope[];
}

/** What an HTTP server mounts. */
export interface McpHandler {
  readonly path: "/mcp";
  /** What a token must be good for. */
  readonly scope: "call";
  /** Without a caller: everybody who gets here is the same one. */
  fetch(request: Request, caller?: McpHttpCaller): Promise<Response>;
  /** Ends every stream; calls that clients wait for are cancelled. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SUBSCRIPTIONS = 64;
/** Sessions of one caller. */
const DEFAULT_SESSIONS = 64;
/** Beyond that the caller without open requests and running calls that was seen longest ago is forgotten. */
const MAX_CALLERS = 64;
const ANYBODY: McpHttpCaller = { id: "" };

/**
 * Requests of the current revision stand alone: all that come with one token are one client. Those of the older ones
 * belong to sessions that `initialize` opens, each a client of its own, which no other token can name.
 */
export function createMcpHandler(options: McpDoorOptions): McpHandler {
  const parts = createDoorParts(options);
  const maxSessions = options.maxSessions ?? DEFAULT_SESSIONS;
  /** In the order of their last use. */
  const callers = new Map<string, CallerDoor>();
  let closed = false;

  /** Undefined if there are too many. */
  function doorOf(caller: McpHttpCaller): CallerDoor | undefined {
    const door = callers.get(caller.id) ?? (forgetIdlest() ? openDoorOf(caller) : undefined);
    if (door === undefined) return undefined;
    callers.delete(caller.id);
    callers.set(caller.id, door);
    return door;
  }

  /** Makes room for one caller more. */
  function forgetIdlest(): boolean {
    if (callers.size < MAX_CALLERS) return true;
    const [id, door] = [...callers].find(([, { open, client, sessions }]) => open + client.running + sessions.running() === 0) ?? [];
    if (id === undefined) return false;
    callers.delete(id);
    door?.close().catch(parts.onError);
    return true;
  }

  function openDoorOf({ id, role, scopes }: McpHttpCaller): CallerDoor {
    const confirms = scopes === undefined || isGoodFor({ scopes }, "confirm");
    const session = { ...parts.session, owner: id, ...(role !== undefined && { role }) };
    return openDoorFor({ ...parts, confirms, session }, maxSessions);
  }

  return {
    path: "/mcp",
    scope: "call",
    async fetch(given, caller = ANYBODY) {
      if (closed) return failure(503, -32_000, "The server is closing");
      const door = doorOf(caller);
      if (door === undefined)
        return failure(429, -32_000, `${MAX_CALLERS} callers have requests open, as many as may: wait until some end`);
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
    if (request === undefined)
      return failure(413, -32_600, "The message is too large, or is no call: beside a call's arguments it may have 64 KB");
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
  /** Requests and streams that are open. */
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
