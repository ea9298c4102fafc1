/**
 * The door over Streamable HTTP, for a server that has already asked who is there: `Host`, `Origin` and the token are checked
 * before a request comes here (SPEC I3).
 */

import { createMcpHandler as createModernHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { createClient } from "./client.ts";
import { createDoorParts } from "./door.ts";
import { createHttpSessions } from "./http-sessions.ts";
import type { McpDoorOptions } from "./parts.ts";
import { createServer } from "./server.ts";

/** What an HTTP server mounts. */
export interface McpHandler {
  readonly path: "/mcp";
  /** Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Ends every stream; calls that clients wait for are cancelled. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SUBSCRIPTIONS = 64;

/**
 * Requests of the current revision stand alone: all that come with the server's token are one client. Those of the older
 * ones belong to sessions that `initialize` opens, each a client of its own.
 */
export function createMcpHandler(options: McpDoorOptions): McpHandler {
  const parts = createDoorParts(options);
  const client = createClient(parts.host, parts.session);
  const modern = createModernHandler(({ era }) => createServer(parts, client, era), {
    legacy: "reject",
    onerror: parts.onError,
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  });
  const stopTelling = parts.changes.listen({
    toolsChanged: modern.notify.toolsChanged,
    resourcesChanged: modern.notify.resourcesChanged,
    resourceUpdated: modern.notify.resourceUpdated,
  });
  const sessions = createHttpSessions(parts, MAX_BODY_BYTES);
  let closed = false;

  return {
    path: "/mcp",
    async fetch(request) {
      if (closed) return new Response(null, { status: 503 });
      const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
      return isLegacy ? await sessions.fetch(request) : await modern.fetch(request);
    },
    async close() {
      closed = true;
      stopTelling();
      parts.changes.close();
      parts.rounds.end(client);
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}
