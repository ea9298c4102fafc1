/** A socket that accepts a single connection. */

import { rmSync } from "node:fs";
import type { Duplex } from "node:stream";
import { createLineConnection } from "../network/line-connection.ts";
import { listenOnPath, type PathServer } from "../network/path-sockets.ts";
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
  let first: Duplex | undefined;
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const waiting: LinePieces[] = [];
  const server: PathServer = await listenOnPath(path, (socket) => {
    if (first !== undefined) {
      socket.destroy();
      return;
    }
    first = socket;
    void server.close();
    rmSync(path, { force: true });
    connection = createLineConnection(socket, maxLineBytes);
    connection.onLine(onLine);
    for (const pieces of waiting.splice(0)) connection.sendPieces(pieces);
    connect();
  });
  return {
    connected,
    send(...pieces) {
      if (connection === undefined) waiting.push(pieces);
      else connection.sendPieces(pieces);
    },
    close() {
      first?.destroy();
      void server.close();
    },
  };
}
