/** MCP door over standard input and output: one client per connection (SPEC I3). */

import { deserializeMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { errorText } from "../../platform/error-text.ts";
import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import type { LineConnection } from "../../platform/platform.ts";
import { createClient, type McpClient } from "./client.ts";
import { createDoorParts } from "./door.ts";
import { LARGE_TEXT } from "../../primitives/json/read-slices.ts";
import type { LargeInputs } from "./large-inputs.ts";
import type { DoorParts, McpDoorOptions } from "./parts.ts";
import { createServer, followChanges } from "./server.ts";

/** A client connected by lines. */
export interface McpLines {
  /** Aborted when the client has disconnected or was closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

/** Unsent bytes above which notices are dropped; answers are always sent. */
const MAX_UNSENT = 256 * 1024;

/** Serves the client on the connection. Its calls are cancelled when it disconnects. */
export function serveMcpLines(connection: LineConnection, options: McpDoorOptions): McpLines {
  const parts = createDoorParts(options, () => connection.unsent > MAX_UNSENT);
  const closed = new AbortController();
  const clients: McpClient[] = [];
  const serving = serveStdio(
    ({ era }) => {
      // A client that probes the revision and then falls back to an older one gets a second server.
      const client = createClient(parts);
      clients.push(client);
      const server = createServer(parts, client, era);
      followChanges({ parts, client, era, server });
      return server;
    },
    { transport: transportOf(connection, (text) => sendMarked(connection, text, parts), parts.inputs), onerror: parts.onError },
  );
  connection.onClose(() => {
    parts.changes.close();
    for (const client of clients) {
      parts.rounds.end(client);
      client.end().catch(parts.onError);
    }
    closed.abort();
  });
  return {
    closed: closed.signal,
    async close() {
      await serving.close();
      connection.close();
    },
  };
}

/** Sends a message. Large values are written in slices, so later messages may overtake it; answers are matched by id. */
async function sendMarked(connection: LineConnection, text: string, { marks, platform }: DoorParts): Promise<void> {
  const pieces = marks.split(text);
  if (pieces.length === 1) return connection.send(text);
  const bytes: Uint8Array[] = [];
  for await (const part of piecesBytes(pieces, platform.slices)) bytes.push(part);
  connection.sendPieces(bytes);
}

/** Creates a transport. Lines that are not protocol messages are dropped and logged, as in the SDK's own stdio transport. */
export function transportOf(
  connection: LineConnection,
  send: (text: string) => Promise<void> = async (text) => connection.send(text),
  inputs?: LargeInputs,
): Transport {
  const transport: Transport = {
    start() {
      connection.onClose(() => transport.onclose?.());
      connection.onLine((line) => {
        if (line.length <= LARGE_TEXT || inputs === undefined) return take(line);
        return inputs.shorten(line).then(take);
      });
      function take(line: string | undefined): void {
        if (line === undefined) return transport.onerror?.(new Error("Line too large, or not a call"));
        if (line.trim() === "") return;
        let message: JSONRPCMessage;
        try {
          message = deserializeMessage(line);
        } catch (error) {
          transport.onerror?.(new Error(`Not a protocol message: ${errorText(error)}`));
          return;
        }
        transport.onmessage?.(message);
      }
      return Promise.resolve();
    },
    send: (message) => send(JSON.stringify(message)),
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
  return transport;
}
