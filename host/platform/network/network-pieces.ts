/**
 * Collects a body from the wire into few buffers: a server that sends single bytes, each as a piece, causes neither many buffers nor a long
 * turn of the event loop (SPEC C6).
 */

import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** Pieces and bytes that the parser may deliver before the event loop gets its turn. */
const MAX_PIECES_IN_A_TURN = 128;
const MAX_BYTES_IN_A_TURN = 64 * 1024;

/** Maximum number of buffers waiting in one stream. They are counted because small buffers cost more than their bytes. */
export const MAX_WAITING_BUFFERS = 2;

interface WireBody {
  readonly stream: Readable;
  /** Sets the controller of the answer that begins. */
  begin(controller: Dispatcher.DispatchController): void;
  add(piece: Buffer): void;
  end(): void;
}

/** Creates a body. @param onGone called once, when the reader is gone or everything was read */
export function createWireBody(onGone: () => void): WireBody {
  let controller: Dispatcher.DispatchController | undefined;
  let pieces: Buffer[] = [];
  let bytes = 0;
  let later: ReturnType<typeof setImmediate> | undefined;

  const stream = new Readable({
    objectMode: true,
    highWaterMark: MAX_WAITING_BUFFERS,
    // Buffered pieces resume by themselves.
    read: () => void (later === undefined && controller?.resume()),
    destroy: (error, done) => {
      clearImmediate(later);
      pieces = [];
      onGone();
      done(error);
    },
  });

  function flush(): void {
    clearImmediate(later);
    later = undefined;
    const [first] = pieces;
    if (first === undefined) return;
    const whole = pieces.length === 1 ? first : Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
    if (stream.push(whole)) controller?.resume();
    else controller?.pause();
  }

  return {
    stream,
    begin(given) {
      controller = given;
    },
    add(piece) {
      if (stream.destroyed) return;
      bytes += piece.length;
      if (pieces.push(piece) === 1) later = setImmediate(flush);
      if (pieces.length >= MAX_PIECES_IN_A_TURN || bytes >= MAX_BYTES_IN_A_TURN) controller?.pause();
    },
    end() {
      flush();
      stream.push(null);
    },
  };
}
