/** Cuts the bytes of a socket, or of a pair of pipes, into lines of bounded length. */

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { joinBytes } from "./bytes.ts";
import type { LineConnection } from "./platform.ts";

/** A longer line ends the connection, whichever side sends it. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** What may wait for a peer that does not read, in longest lines; past it the connection ends. */
const MAX_UNSENT_LINES = 16;

const NEWLINE = 0x0a;

export function createLineConnection(socket: Socket, maxLineBytes: number = MAX_LINE_BYTES): LineConnection {
  return createPipeConnection(socket, socket, maxLineBytes);
}

/** A connection over two pipes; it is closed when its input is. */
export function createPipeConnection(input: Readable, output: Writable, maxLineBytes: number = MAX_LINE_BYTES): LineConnection {
  const destroy = (): void => {
    output.destroy();
    input.destroy();
  };
  // A broken connection is a closed one: `close` follows every `error`.
  for (const stream of new Set([input, output])) stream.on("error", destroy);

  return {
    send(line) {
      if (line.includes("\n")) throw new Error("A line cannot contain a newline");
      if (input.destroyed || output.destroyed || !output.writable) return;
      output.write(`${line}\n`);
      if (output.writableLength > MAX_UNSENT_LINES * maxLineBytes) destroy();
    },
    onLine: (listener) => readLines(input, maxLineBytes, listener),
    onClose: (listener) => void input.once("close", () => listener()),
    close: () => void output.end(destroy),
  };
}

function readLines(input: Readable, maxLineBytes: number, listener: (line: string) => void): void {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;

  input.on("data", (chunk: Uint8Array) => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      if (!take(rest.subarray(0, end))) return;
      const line = decoder.decode(joinBytes(parts));
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      listener(line.endsWith("\r") ? line.slice(0, -1) : line);
      // The listener may have closed it.
      if (input.destroyed) return;
    }
    take(rest);
  });

  function take(part: Uint8Array): boolean {
    if (part.length > 0) parts.push(part);
    length += part.length;
    if (length <= maxLineBytes) return true;
    parts = [];
    input.destroy();
    return false;
  }
}
