/** A socket that accepts a single connection. */

import { createServer, type Socket } from "node:net";
import { rmSync } from "node:fs";
import { createLineConnection } from "../network/line-connection.ts";
import type { LineConnection, LineListener } from "../platform.ts";

type LinePieces = readonly (string | Uint8Array)[];

interface Listening {
  /** Resolves when a client has connected. */
  readonly connected: Promise<void>;
  /** Sends a line; it is kept until a client connects. */
  send(...pieces: LinePieces): void;
  close(): void;
}

/** Listens on `path`, whose folder must be private to this user. A line longer than `maxLineBytes` ends the connection. */
export async function listenOnce(path: string, maxLineBytes: number, onLine: LineListener): Promise<Listening> {
  let connection: LineConnection | undefined;
  let first: Socket | undefined;
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const waiting: LinePieces[] = [];
  const server = createServer((socket) => {
    if (first !== undefined) {
      socket.destroy();
      return;
    }
    first = socket;
    server.close();
    rmSync(path, { force: true });
    connection = createLineConnection(socket, maxLineBytes);
    connection.onLine(onLine);
    for (const pieces of waiting.splice(0)) connection.sendPieces(pieces);
    connect();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // Later errors concern a connection, which is then closed.
      server.on("error", () => {});
      resolve();
    });
  });
  return {
    connected,
    send(...pieces) {
      if (connection === undefined) waiting.push(pieces);
      else connection.sendPieces(pieces);
    },
    close() {
      first?.destroy();
      server.close();
    },
  };
}
