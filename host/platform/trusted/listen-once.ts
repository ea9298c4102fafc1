/** A socket for one connection: whoever comes second finds nothing there. */

import { createServer, type Socket } from "node:net";
import { rmSync } from "node:fs";
import { createLineConnection } from "../network/line-connection.ts";
import type { LineConnection, LineListener } from "../platform.ts";

type LinePieces = readonly (string | Uint8Array)[];

export interface Listening {
  /** Resolves when somebody has connected. */
  readonly connected: Promise<void>;
  /** Kept until somebody connects. */
  send(...pieces: LinePieces): void;
  close(): void;
}

/** The folder of `path` is for this user only. Lines longer than `maxLineBytes` end the connection. */
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
      // From here on errors concern a connection, and that is closed then.
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
