/** Cuts a socket's bytes into lines of bounded length. */

import type { Socket } from "node:net";
import { joinBytes } from "./bytes.ts";
import type { LineConnection } from "./platform.ts";

/** A longer line ends the connection, whichever side sends it. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** What may wait for a peer that does not read, in longest lines; past it the connection ends. */
const MAX_UNSENT_LINES = 16;

const NEWLINE = 0x0a;

export function createLineConnection(socket: Socket, maxLineBytes: number = MAX_LINE_BYTES): LineConnection {
  // A broken connection is a closed one: `close` follows every `error`.
  socket.on("error", () => socket.destroy());

  return {
    send(line) {
      if (line.includes("\n")) throw new Error("A line cannot contain a newline");
      if (socket.destroyed || !socket.writable) return;
      socket.write(`${line}\n`);
      if (socket.writableLength > MAX_UNSENT_LINES * maxLineBytes) socket.destroy();
    },
    onLine: (listener) => readLines(socket, maxLineBytes, listener),
    onClose: (listener) => void socket.once("close", () => listener()),
    close: () => void socket.end(() => socket.destroy()),
  };
}

function readLines(socket: Socket, maxLineBytes: number, listener: (line: string) => void): void {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;

  socket.on("data", (chunk: Uint8Array) => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      if (!take(rest.subarray(0, end))) return;
      const line = decoder.decode(joinBytes(parts));
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      listener(line.endsWith("\r") ? line.slice(0, -1) : line);
      // The listener may have closed it.
      if (socket.destroyed) return;
    }
    take(rest);
  });

  function take(part: Uint8Array): boolean {
    if (part.length > 0) parts.push(part);
    length += part.length;
    if (length <= maxLineBytes) return true;
    parts = [];
    socket.destroy();
    return false;
  }
}
