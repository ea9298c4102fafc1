/** Cuts streams of bytes into lines of bounded length. */

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { joinBytes } from "./bytes.ts";
import type { LineConnection } from "./platform.ts";

/** A longer line ends the connection, whichever side sends it. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** What may wait for a peer that does not read; past it the connection ends. */
const MAX_UNSENT_BYTES = 16 * MAX_LINE_BYTES;

const NEWLINE = 0x0a;

export function createLineConnection(socket: Socket): LineConnection {
  // A broken connection is a closed one: `close` follows every `error`.
  socket.on("error", () => socket.destroy());

  return {
    send: (line) => writeLine(line, socket, () => socket.destroy()),
    onLine: (listener) =>
      readLines(
        socket,
        () => socket.destroyed,
        () => socket.destroy(),
        listener,
      ),
    onClose: (listener) => void socket.once("close", () => listener()),
    close: () => void socket.end(() => socket.destroy()),
  };
}

/** Two streams that belong to the process, standard input and output: closing the connection leaves them as they are. */
export function createStreamConnection(input: Readable, output: Writable): LineConnection {
  const listeners: (() => void)[] = [];
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    input.pause();
    for (const listener of listeners) listener();
  };
  for (const end of ["end", "close", "error"]) input.once(end, close);
  // Whoever read has gone.
  for (const end of ["close", "error"]) output.once(end, close);

  return {
    send(line) {
      if (!closed) writeLine(line, output, close);
    },
    onLine: (listener) => readLines(input, () => closed, close, listener),
    onClose: (listener) => void listeners.push(listener),
    close,
  };
}

function writeLine(line: string, output: Writable, end: () => void): void {
  if (line.includes("\n")) throw new Error("A line cannot contain a newline");
  if (output.destroyed || !output.writable) return;
  output.write(`${line}\n`);
  if (output.writableLength > MAX_UNSENT_BYTES) end();
}

function readLines(input: Readable, isOver: () => boolean, end: () => void, listener: (line: string) => void): void {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;

  input.on("data", (chunk: Uint8Array) => {
    if (isOver()) return;
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      if (!take(rest.subarray(0, at))) return;
      const line = decoder.decode(joinBytes(parts));
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
      listener(line.endsWith("\r") ? line.slice(0, -1) : line);
      // The listener may have closed it.
      if (isOver()) return;
    }
    take(rest);
  });

  function take(part: Uint8Array): boolean {
    if (part.length > 0) parts.push(part);
    length += part.length;
    if (length <= MAX_LINE_BYTES) return true;
    parts = [];
    end();
    return false;
  }
}
