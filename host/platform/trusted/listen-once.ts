/** A socket for one connection: whoever comes second finds nothing there. */

import { createServer, type Socket } from "node:net";
import { rmSync } from "node:fs";
import { createLineConnection } from "../line-connection.ts";
import type { LineConnection } from "../platform.ts";

export interface Listening {
  /** Resolves when somebody has connected. */
  readonly connected: Promise<void>;
  /** Kept until somebody connects. */
  send(line: string): void;
  close(): void;
}

/** The folder of `path` is for this user only. Lines longer than `maxLineBytes` end the connection. */
export async function listenOnce(path: string, maxLineBytes: number, onLine: (line: string) => void): Promise<Listening> {
  let connection: LineConnection | undefined;
  let first: Socket | undefined;
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const waiting: string[] = [];
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
    for (const line of waiting.splice(0)) connection.send(line);
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
    send(line) {
      if (connection === undefined) waiting.push(line);
      else connection.send(line);
    },
    close() {
      first?.destroy();
      server.close();
    },
  };
}
