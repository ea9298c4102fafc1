/**
 * Decoders of formats for which Deno's `node:zlib` does not detect a truncated body.
 *
 * A known ending is decoded after the body. If the body was complete, the output of that ending is known; if not, the ending was consumed
 * as part of the body. Node detects truncation itself and takes the same path for uniformity.
 */

import { Buffer } from "node:buffer";
import { type Duplex, Transform } from "node:stream";
import { constants, createBrotliDecompress, createZstdDecompress } from "node:zlib";
import { NetworkError } from "./network-types.ts";

/** Streams to connect one after the other. */
export type DecoderSteps = readonly Duplex[];

/** Decodes brotli. After a complete body the decoder consumes no further byte. */
export function decodeBrotli(): DecoderSteps {
  const decoder = createBrotliDecompress();
  const before = withEnding([BROTLI_ENDING], [BROTLI_NOTHING]);
  const after = new Transform({
    transform: (piece: Uint8Array, _encoding, done) => done(null, piece),
    flush: (done) => done(decoder.bytesWritten > Math.max(before.bytes(), BROTLI_NOTHING.length) ? cutOff() : null),
  });
  return [before.stream, decoder, after];
}

/** Longer than any part of the format that produces no output. */
const BROTLI_ENDING = Buffer.alloc(4_096, 0xff);
/** RFC 7932 §9.1: a stream whose only block is the last one, and empty. */
const BROTLI_NOTHING = Buffer.from([0x06]);

/** Decodes zstd. A frame with sixteen known bytes follows the body and must be its last output. */
export function decodeZstd(): DecoderSteps {
  // Decoders must support a window of 8 MiB (RFC 9659); a larger one would let the sender choose the memory.
  const decoder = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
  const before = withEnding(ZSTD_ENDING);
  let held: Buffer = Buffer.alloc(0);
  const after = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      const bytes = Buffer.concat([held, piece]);
      held = bytes.subarray(Math.max(0, bytes.length - ZSTD_SAID.length));
      done(null, bytes.subarray(0, bytes.length - held.length));
    },
    flush: (done) => done(held.equals(ZSTD_SAID) ? null : cutOff()),
  });
  return [before.stream, decoder, after];
}

/**
 * RFC 8878: magic number, one segment of 16 bytes, and one last block that repeats a byte. Inside another block it would decode
 * differently. It is sent in two pieces, because zstd recognises a whole frame at the beginning of a piece even inside another frame.
 */
const ZSTD_ENDING = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20]), Buffer.from([16, 0x83, 0, 0, 7])];
const ZSTD_SAID = Buffer.alloc(16, 7);

interface Ended {
  readonly stream: Transform;
  /** Bytes of the body so far. */
  readonly bytes: () => number;
}

/** Counts the body and appends the ending; an empty body gets one too. */
function withEnding(ending: readonly Buffer[], ofNothing: readonly Buffer[] = ending): Ended {
  let bytes = 0;
  const stream = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      bytes += piece.length;
      done(null, piece);
    },
    flush(done) {
      for (const piece of bytes > 0 ? ending : ofNothing) this.push(piece);
      done();
    },
  });
  return { stream, bytes: () => bytes };
}

function cutOff(): NetworkError {
  return new NetworkError("encoding", "the body cannot be decompressed");
}
