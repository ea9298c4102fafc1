/** HTTP sessions of legacy clients: opened by `initialize`, identified by a header, ended by the client or by the idle timeout. */

import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { toHex } from "../../platform/bytes.ts";
import { createClient, type McpClient } from "./client.ts";
import type { DoorParts } from "./parts.ts";
import { createRecentEvents } from "./recent-events.ts";
import { createServer, followChanges } from "./server.ts";

/** The legacy sessions of one caller. */
export interface HttpSessions {
  fetch(request: Request): Promise<Response>;
  /** Number of running calls in all sessions. */
  running(): number;
  close(): Promise<void>;
}

const IDLE_MS = 60 * 60 * 1_000;
/** Delay before a client reconnects a broken stream (SSE `retry`). */
const RETRY_MS = 1_000;
const ID_BYTES = 32;
const SESSION_HEADER = "mcp-session-id";

interface HttpSession {
  readonly id: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly client: McpClient;
  /** True once the session has ended; it must not be kept any longer. */
  isOver: boolean;
  /** Number of open requests and streams. */
  open: number;
  stopTimer: () => void;
}

interface HttpSessionsOptions {
  readonly maxRequestBodySize: number;
  /** Maximum open sessions. */
  readonly maxSessions: number;
}

export function createHttpSessions(parts: DoorParts, { maxRequestBodySize, maxSessions }: HttpSessionsOptions): HttpSessions {
  const { clock, random } = parts.platform;
  /** Sessions by id, least recently used first. */
  const sessions = new Map<string, HttpSession>();

  async function fetch(request: Request): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) {
      const session = sessions.get(id);
      return session === undefined ? failure(404, -32_001, "Session not found") : await answer(session, request);
    }
    // Only `initialize` may come without a session id.
    if (!(await beginsSession(request))) return failure(400, -32_000, "Bad Request: Mcp-Session-Id header is required");
    if (sessions.size >= maxSessions && !endIdlest()) {
      const advice = 'end one with DELETE, or allow more with "server.limits.sessions" in bascule.json';
      return failure(429, -32_000, `The token has reached its limit of ${maxSessions} sessions in use: ${advice}`);
    }
    const session = await open();
    const response = await answer(session, request);
    // If `initialize` failed, the client does not know the session, so end it here.
    if (!response.ok) await session.transport.close();
    return response;
  }

  async function open(): Promise<HttpSession> {
    const id = toHex(random.bytes(ID_BYTES));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize,
      eventStore: createRecentEvents(),
      retryInterval: RETRY_MS,
    });
    const client = createClient(parts);
    const server = createServer(parts, client, "legacy");
    const stopTelling = followChanges({ parts, client, era: "legacy", server });
    const session: HttpSession = { id, transport, client, isOver: false, open: 0, stopTimer: () => {} };
    sessions.set(id, session);
    await server.connect(transport);
    const onclose = transport.onclose;
    transport.onclose = () => {
      session.isOver = true;
      session.stopTimer();
      sessions.delete(id);
      stopTelling();
      parts.rounds.end(client);
      client.end().catch(parts.onError);
      onclose?.();
    };
    return session;
  }

  /** Answers a request. The idle timeout starts when no request or stream is open; an ended session, as after DELETE, gets no timer. */
  async function answer(session: HttpSession, request: Request): Promise<Response> {
    session.stopTimer();
    session.open += 1;
    return await untilRead(session.transport.handleRequest(request), () => {
      session.open -= 1;
      if (session.isOver) return;
      sessions.delete(session.id);
      sessions.set(session.id, session);
      if (session.open === 0) session.stopTimer = clock.after(IDLE_MS, () => void session.transport.close());
    });
  }

  /** Ends the least recently used session without open requests and running calls. Returns false if there is none. */
  function endIdlest(): boolean {
    const idle = [...sessions.values()].find(({ open, client }) => open === 0 && client.running === 0);
    if (idle === undefined) return false;
    sessions.delete(idle.id);
    idle.transport.close().catch(parts.onError);
    return true;
  }

  return {
    fetch,
    running: () => [...sessions.values()].reduce((total, { client }) => total + client.running, 0),
    async close() {
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

async function beginsSession(request: Request): Promise<boolean> {
  if (request.method !== "POST") return false;
  try {
    return isInitializeRequest(await request.clone().json());
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Returns the same answer and calls `done` once: when its body was read or cancelled, or when it fails. */
export async function untilRead(answer: Promise<Response>, done: () => void): Promise<Response> {
  let response: Response;
  try {
    response = await answer;
  } catch (error) {
    done();
    throw error;
  }
  if (response.body !== null) return new Response(watched(response.body, done), response);
  done();
  return response;
}

/** Returns the same bytes and calls `done` once: when they were all read or reading was cancelled. */
function watched(body: ReadableStream<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isDone = false;
  const end = (): void => {
    if (!isDone) done();
    isDone = true;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await reader.read();
        if (!next.done) return controller.enqueue(next.value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}

/** Creates a JSON-RPC error. @param id of the request, if known */
export function failure(status: number, code: number, message: string, id: unknown = null): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
}
