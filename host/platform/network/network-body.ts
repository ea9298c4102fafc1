/** The body of an answer: decompressed while it is read, and capped by its decompressed size (SPEC C6). */

import { Buffer } from "node:buffer";
import { Duplex, pipeline, type Readable, Transform } from "node:stream";
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { toNetworkError } from "./network-error.ts";
import { type HttpField, type HttpLimits, NetworkError } from "./network-types.ts";
import { MAX_WAITING_BUFFERS } from "./network-pieces.ts";
import { decodeBrotli, decodeZstd, type DecoderSteps } from "./network-whole.ts";

const BY_BUFFERS = { objectMode: true, highWaterMark: MAX_WAITING_BUFFERS };

/** Maximum size of a piece that is joined for the reader. */
const PIECE_BYTES = 64 * 1024;

/** Maximum number of encodings of one body; no honest server uses more. */
const MAX_ENCODINGS = 2;

/** Returns the stream to read instead of `raw`; both end together. A body with an unknown encoding is left as it is. */
export function decodeBody(raw: Readable, fields: readonly HttpField[], limits: HttpLimits): Readable {
  const encodings = contentEncodings(fields);
  if (encodings.length > MAX_ENCODINGS) throw new NetworkError("encoding", "the body has too many encodings");
  const known = encodings.every((encoding) => DECODERS.has(encoding)) ? encodings : [];
  // Decodes in reverse order, because the last encoding was applied last.
  const decoders = known.toReversed().flatMap((encoding) => DECODERS.get(encoding)?.() ?? []);
  const wire = { bytes: 0 };
  const counted = new Transform({
    ...BY_BUFFERS,
    transform(chunk: Uint8Array, _encoding, done) {
      wire.bytes += chunk.length;
      done(null, chunk);
    },
  });
  const capped = capOutput(wire, limits);
  for (const decoder of decoders)
    decoder.once("error", () => capped.destroy(new NetworkError("encoding", "the body cannot be decompressed")));
  // Errors appear on the stream that is read.
  pipeline([raw, counted, ...decoders, capped], () => undefined);
  return capped;
}

/** Returns the next piece with all available data; undefined at the end. @throws {NetworkError} */
export async function nextPiece(stream: Readable, signal: AbortSignal, idleMs: number): Promise<Uint8Array | undefined> {
  const piece = takePiece(stream);
  if (piece !== undefined || stream.readableEnded) return piece;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(
      () => stream.destroy(new NetworkError("timed_out", "the next piece of the body did not arrive in time")),
      idleMs,
    );
    const stop = (): void => void stream.destroy(new NetworkError("aborted", "the request was aborted"));
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      for (const event of EVENTS) stream.removeListener(event, settle);
      resolve();
    };
    for (const event of EVENTS) stream.once(event, settle);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return takePiece(stream);
}

const EVENTS = ["readable", "end", "error", "close"] as const;

function takePiece(stream: Readable): Uint8Array | undefined {
  if (stream.errored) throw toNetworkError(stream.errored);
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes < PIECE_BYTES;) {
    const chunk: unknown = stream.read();
    if (!(chunk instanceof Uint8Array)) break;
    bytes += chunk.length;
    chunks.push(chunk);
  }
  const [first] = chunks;
  if (first !== undefined)
    return chunks.length === 1 ? new Uint8Array(first.buffer, first.byteOffset, first.length) : Buffer.concat(chunks);
  if (stream.destroyed && !stream.readableEnded) throw new NetworkError("closed", "the body was closed");
  return undefined;
}

function contentEncodings(fields: readonly HttpField[]): readonly string[] {
  const values = fields.filter(([name]) => name === "content-encoding").flatMap(([, value]) => value.split(","));
  return values.map((value) => value.trim().toLowerCase()).filter((value) => value !== "" && value !== "identity");
}

const DECODERS: ReadonlyMap<string, () => DecoderSteps> = new Map([
  ["gzip", () => [createGunzip()]],
  ["x-gzip", () => [createGunzip()]],
  ["deflate", () => [Duplex.from(inflateEither)]],
  ["br", decodeBrotli],
  ["zstd", decodeZstd],
]);

/** Inflates `deflate`, which means zlib's format (RFC 9110 §8.4.1.2). Some servers send raw deflate, and all clients accept both. */
async function* inflateEither(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return;
  const inflate = isZlib(first.value) ? createInflate() : createInflateRaw();
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  pipeline(whole, inflate, () => undefined);
  for await (const piece of inflate) if (piece instanceof Uint8Array) yield piece;
}

/** RFC 1950 §2.2: the method is 8, and the two bytes are a multiple of 31. */
function isZlib(first: Uint8Array): boolean {
  const [method = 0, flags = 0] = first;
  return (method & 0x0f) === 8 && (first.length < 2 || (method * 256 + flags) % 31 === 0);
}

function capOutput(wire: { readonly bytes: number }, { bodyBytes, ratio, ratioFromBytes }: HttpLimits): Transform {
  let bytes = 0;
  return new Transform({
    ...BY_BUFFERS,
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bodyBytes) return done(new NetworkError("body_too_large", `the body is larger than ${bodyBytes} bytes`));
      if (bytes > ratioFromBytes && bytes > wire.bytes * ratio)
        return done(new NetworkError("body_too_large", `the body is more than ${ratio} times larger than what was sent`));
      done(null, chunk);
    },
  });
}
