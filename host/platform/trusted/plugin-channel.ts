/** Reads the lines that the host sends to a trusted plugin's process. */

import type { Duplex } from "node:stream";

/** One message from the host, which is trusted. */
export type Told = Readonly<Record<string, unknown>>;

export function readMessages(socket: Duplex, onMessage: (message: Told) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onMessage(JSON.parse(line) as Told);
  });
}
