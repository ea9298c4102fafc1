/** Server-sent events as a bounded stream of frames with heartbeats (WHATWG HTML §9.2). */

import { piecesBytes } from "../../primitives/json/json-bytes.ts";
import { type JsonPiece, toPieces } from "../../primitives/json/large.ts";
import type { Clock, Slices } from "../../platform/platform.ts";

/** An event. `data` is serialized as one line of JSON, so it cannot end the frame. */
export interface SseFrame {
  readonly event: string;
  readonly data: unknown;
  /** `data` as one line of JSON in UTF-8, if it is already serialized. */
  readonly json?: Uint8Array | undefined;
  /** Event id, which a reconnecting client sends as `Last-Event-ID`. */
  readonly id?: string | undefined;
}

/** A stream of events to one client. */
export interface SseStream {
  readonly response: Response;
  /** Queues an event. Returns false, and drops it, if the buffer is full or the client has disconnected. */
  send(frame: SseFrame): boolean;
  /** Waits until the event fits into the buffer. Resolves with false if the client has disconnected. Must not be called concurrently. */
  sendInTurn(frame: SseFrame): Promise<boolean>;
  /** Waits until half of the buffer is free. Resolves with false if the client has disconnected. */
  hasRead(): Promise<boolean>;
  /** Sends the last event, even if the buffer is full, and closes the stream. It may hold large values as bytes. */
  sendLast(frame: SseFrame, slices: Slices): void;
  close(): void;
}

interface SseOptions {
  readonly clock: Pick<Clock, "after">;
  /** Called once, when the client has disconnected or the stream was closed. */
  readonly onEnd: () => void;
  /** Maximum bytes buffered for a client that does not read. Default 1 MiB. */
  readonly bufferBytes?: number;
}

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
const DEFAULT_BUFFER_BYTES = 1024 * 1024;
const encoder = new TextEncoder();

export function createSseStream({ clock, onEnd, bufferBytes = DEFAULT_BUFFER_BYTES }: SseOptions): SseStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let stopHeart = (): void => undefined;
  let onRead = (): void => undefined;

  function end(): void {
    if (controller === undefined) return;
    controller = undefined;
    stopHeart();
    onRead();
    onEnd();
  }

  function write(...pieces: readonly (string | Uint8Array)[]): boolean {
    const written = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece));
    const length = written.reduce((total, bytes) => total + bytes.length, 0);
    if (controller === undefined || (controller.desiredSize ?? 0) < length) return false;
    for (const bytes of written) controller.enqueue(bytes);
    return true;
  }

  /** Writes the pieces, large ones in slices. Rejects if the client has disconnected. */
  async function pour(pieces: readonly JsonPiece[], slices: Slices): Promise<void> {
    if (pieces.every((piece) => typeof piece === "string")) return controller?.enqueue(encoder.encode(pieces.join("")));
    for await (const bytes of piecesBytes(pieces, slices)) controller?.enqueue(bytes);
  }

  /** Waits until `bytes` fit, or the buffer is empty if they exceed it. Resolves with false if the client has disconnected. */
  async function room(bytes: number): Promise<boolean> {
    while (controller !== undefined && (controller.desiredSize ?? 0) < Math.min(bytes, bufferBytes))
      await new Promise<void>((resolve) => (onRead = resolve));
    return controller !== undefined;
  }

  function beat(): void {
    // The heartbeat is dropped if the buffer is full; otherwise it detects a dead connection.
    write(": \n\n");
    stopHeart = clock.after(HEARTBEAT_MS, beat);
  }

  function close(): void {
    controller?.close();
    end();
  }

  const body = new ReadableStream<Uint8Array>(
    { start: (given) => void (controller = given), pull: () => onRead(), cancel: end },
    { highWaterMark: bufferBytes, size: (piece) => piece?.length ?? 0 },
  );
  write(`retry: ${RETRY_MS}\n\n`);
  stopHeart = clock.after(HEARTBEAT_MS, beat);
  return {
    response: new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    }),
    send: (frame) => (frame.json === undefined ? write(toText(frame)) : write(`${headOf(frame)}data: `, frame.json, "\n\n")),
    async sendInTurn(frame) {
      const { json } = frame;
      const pieces =
        json === undefined ? [encoder.encode(toText(frame))] : [encoder.encode(`${headOf(frame)}data: `), json, encoder.encode("\n\n")];
      if (!(await room(pieces.reduce((bytes, piece) => bytes + piece.length, 0)))) return false;
      for (const piece of pieces) controller?.enqueue(piece);
      return true;
    },
    hasRead: () => room(bufferBytes / 2),
    sendLast(frame, slices) {
      pour([`${headOf(frame)}data: `, ...toPieces(frame.data), "\n\n"], slices).then(close, close);
    },
    close,
  };
}

function toText(frame: SseFrame): string {
  return `${headOf(frame)}data: ${JSON.stringify(frame.data)}\n\n`;
}

function headOf({ event, id }: Pick<SseFrame, "event" | "id">): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\n`;
}
