/** Cuts streams of bytes into lines of bounded length. */

import type { Duplex, Readable, Writable } from "node:stream";
import { joinBytes } from "../bytes.ts";
import type { LineConnection, LineListener } from "../platform.ts";

/** Maximum bytes of a line. A longer line from either side ends the connection. */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024;

/** Maximum unsent data for a peer that does not read, in longest lines; beyond it the connection ends. */
const MAX_UNSENT_LINES = 16;

const NEWLINE = 0x0a;
/**
 * Bytes of lines handled before yielding to the event loop: one piece of a stream can hold 64,000 lines, and each is parsed, checked and
 * answered.
 */
const MOST_OF_TURN = 64 * 1024;
/** Fixed cost of a line in addition to its bytes. */
const LINE_COST = 2 * 1024;
/** Number of pieces that are joined into one, because a waiting piece of one byte costs hundreds of bytes. */
const MAX_LOOSE_PIECES = 1_024;

export function createLineConnection(socket: Duplex, maxLineBytes: number = MAX_LINE_BYTES): LineConnection {
  // A broken connection is a closed one: `close` follows every `error`.
  socket.on("error", () => socket.destroy());
  const ending: Ending = { maxLineBytes, isOver: () => socket.destroyed, end: () => socket.destroy() };

  return {
    send: (line) => writeLine([line], socket, ending),
    sendPieces: (pieces) => writeLine(pieces, socket, ending),
    get unsent() {
      return socket.writableLength;
    },
    onLine: (listener) => readLines(socket, ending, listener),
    onClose: (listener) => void socket.once("close", () => listener()),
    close: () => void socket.end(() => socket.destroy()),
  };
}

/** Creates a connection over the process's standard input and output. Closing it leaves the streams open. */
export function createStreamConnection(input: Readable, output: Writable): LineConnection {
  const listeners: (() => void)[] = [];
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    input.pause();
    for (const listener of listeners) listener();
  };
  for (const name of ["end", "close", "error"]) input.once(name, close);
  // The reader of the output is gone.
  for (const name of ["close", "error"]) output.once(name, close);
  const ending: Ending = { maxLineBytes: MAX_LINE_BYTES, isOver: () => closed, end: close };

  return {
    send(line) {
      if (!closed) writeLine([line], output, ending);
    },
    sendPieces(pieces) {
      if (!closed) writeLine(pieces, output, ending);
    },
    get unsent() {
      return output.writableLength;
    },
    onLine: (listener) => readLines(input, ending, listener),
    onClose: (listener) => void listeners.push(listener),
    close,
  };
}

/** Bounds and end of a connection. */
interface Ending {
  readonly maxLineBytes: number;
  readonly isOver: () => boolean;
  readonly end: () => void;
}

function writeLine(pieces: readonly (string | Uint8Array)[], output: Writable, { maxLineBytes, end }: Ending): void {
  for (const piece of pieces)
    if (typeof piece === "string" ? piece.includes("\n") : piece.includes(NEWLINE)) throw new Error("A line cannot contain a newline");
  if (output.destroyed || !output.writable) return;
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === "string") output.write(`${only}\n`);
  else {
    output.cork();
    for (const piece of pieces) output.write(piece);
    output.write("\n");
    output.uncork();
  }
  if (output.writableLength > MAX_UNSENT_LINES * maxLineBytes) end();
}

/** Reads lines that end with `\n` or `\r\n`. The stream pauses while the listener's promise is pending, and between many lines. */
export function readLines(input: Readable, { maxLineBytes, isOver, end }: Ending, listener: LineListener): void {
  let parts: Uint8Array[] = [];
  let loose = 0;
  let length = 0;

  let heardSincePause = 0;

  input.on("data", read);

  /** Pauses until `ready` calls back. The stream keeps the rest and does not end before. */
  function wait(rest: Uint8Array, ready: (then: () => void) => void): void {
    input.pause();
    if (rest.length > 0) input.unshift(rest);
    ready(() => {
      if (!isOver()) input.resume();
    });
  }

  function read(chunk: Uint8Array): void {
    if (isOver()) return;
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      if (!take(rest.subarray(0, at))) return;
      const line = decoded(parts);
      heardSincePause += length + LINE_COST;
      parts = [];
      length = 0;
      rest = rest.subarray(at + 1);
      const heard = listener(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (heard !== undefined) return wait(rest, (then) => void heard.then(then));
      // The listener may have closed the connection.
      if (isOver()) return;
      if (heardSincePause >= MOST_OF_TURN) {
        heardSincePause = 0;
        return wait(rest, setImmediate);
      }
    }
    take(rest);
  }

  function take(part: Uint8Array): boolean {
    if (part.length > 0) parts.push(part);
    length += part.length;
    loose += 1;
    if (loose === MAX_LOOSE_PIECES) {
      parts.push(joinBytes(parts.splice(-loose)));
      loose = 0;
    }
    if (length <= maxLineBytes) return true;
    parts = [];
    end();
    return false;
  }
}

/** Decodes at most 64 KB at once (SPEC LV2). */
function decoded(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const part of parts)
    for (let at = 0; at < part.length; at += MOST_OF_TURN) text += decoder.decode(part.subarray(at, at + MOST_OF_TURN), { stream: true });
  return text + decoder.decode();
}
