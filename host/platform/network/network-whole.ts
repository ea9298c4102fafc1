/**
 * Decoders of formats whose end Deno's `node:zlib` does not look for: a body that was cut off would be read as one that ends there.
 *
 * After the body a known ending is decoded too. Where the body was whole, what comes of that is known; where it was not, the ending was
 * taken for the rest of it. Node says so itself, and gets the same, so that there is one way.
 */

import { Buffer } from "node:buffer";
import { type Duplex, Transform } from "node:stream";
import { constants, createBrotliDecompress, createZstdDecompress } from "node:zlib";
import { NetworkError } from "./network-types.ts";

/** To be put one after the other. */
export type DecoderSteps = readonly Duplex[];

/** Of a whole body the decoder takes no byte more. */
export function decodeBrotli(): DecoderSteps {
  const decoder = createBrotliDecompress();
  const before = withEnding([BROTLI_ENDING], [BROTLI_NOTHING]);
  const after = new Transform({
    transform: (piece: Uint8Array, _encoding, done) => done(null, piece),
    flush: (done) => done(decoder.bytesWritten > Math.max(before.bytes(), BROTLI_NOTHING.length) ? cutOff() : null),
  });
  return [before.stream, decoder, after];
}

/** Longer than any of the format's parts that produces nothing. */
const BROTLI_ENDING = Buffer.alloc(4_096, 0xff);
/** RFC 7932 §9.1: a stream whose one block is the last, and empty. */
const BROTLI_NOTHING = Buffer.from([0x06]);

/** A whole body is followed by a frame of its own, which says sixteen times the same. */
export function decodeZstd(): DecoderSteps {
  // A window of 8 MiB is what a decoder has to have (RFC 9659); larger ones are memory that the sender chooses.
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
 * RFC 8878: magic number, one segment of 16 bytes, and one last block that repeats a byte. As part of another block it would say
 * something else. In two pieces, because zstd takes a whole frame at the beginning of a piece for one even in the middle of another.
 */
const ZSTD_ENDING = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20]), Buffer.from([16, 0x83, 0, 0, 7])];
const ZSTD_SAID = Buffer.alloc(16, 7);

interface Ended {
  readonly stream: Transform;
  /** Of the body so far. */
  readonly bytes: () => number;
}

/** Counts the body and puts the ending after it; an empty one is a body too. */
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
