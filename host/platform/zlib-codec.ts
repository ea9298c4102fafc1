/** The sandbox's compression, by `node:zlib`, which Deno has too. */

import { constants, crc32, deflateRawSync, gunzipSync, type InputType, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import type { Codec, CompressionFormat, Decompressed } from "../../sandbox/mod.ts";
import { joinBytes } from "./bytes.ts";

const DECOMPRESS = { gzip: gunzipSync, deflate: inflateSync, "deflate-raw": inflateRawSync } as const;

/** The last four bytes of gzip: the uncompressed length, modulo 2^32 (RFC 1952, ISIZE). */
const SIZE_BYTES = 4;

export const zlibCodec: Codec = {
  compress,
  decompress(format, bytes, { final, maximumBytes }): Decompressed {
    try {
      const { output, consumed } = run(format, bytes, {
        maxOutputLength: maximumBytes,
        ...(final ? {} : { finishFlush: constants.Z_SYNC_FLUSH }),
      });
      if (final && (consumed !== bytes.length || (format === "gzip" && sizeOf(bytes) !== output.length % 2 ** 32))) return CORRUPT;
      return { ok: true, bytes: output };
    } catch (error) {
      const tooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      return tooLarge ? { ok: false, why: "too-large" } : CORRUPT;
    }
  },
};

/** Level 6, the default; no name, no time, "unknown" system (RFC 1952). */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** A window of 32 KiB, default level (RFC 1950). */
const ZLIB_HEAD = Uint8Array.of(0x78, 0x9c);
/** An empty last block (RFC 1951). */
const NO_MORE = Uint8Array.of(3, 0);
/** Maximum distance to which a deflated block may point back. */
const WINDOW_BYTES = 32 * 1024;

/** Compresses each piece into blocks of one stream, with the preceding bytes as its dictionary, as `pigz` does. */
function compress(format: CompressionFormat, pieces: Iterable<Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  let checksum = format === "deflate" ? 1 : 0;
  let size = 0;
  let dictionary: Uint8Array | undefined;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    parts.push(deflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH, ...(dictionary !== undefined && { dictionary }) }));
    if (format === "gzip") checksum = crc32(piece, checksum);
    if (format === "deflate") checksum = adler32(piece, checksum);
    size += piece.length;
    dictionary = piece.subarray(-WINDOW_BYTES);
  }
  if (format === "gzip") return joinBytes([GZIP_HEAD, ...parts, NO_MORE, littleEndian(checksum), littleEndian(size)]);
  if (format === "deflate") return joinBytes([ZLIB_HEAD, ...parts, NO_MORE, littleEndian(checksum).toReversed()]);
  return joinBytes([...parts, NO_MORE]);
}

function littleEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(SIZE_BYTES);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

const ADLER_MODULUS = 65_521;
/** Number of additions before the sums must be reduced. */
const ADLER_RUN = 3_800;

/** Adler-32 checksum (RFC 1950). */
function adler32(bytes: Uint8Array, before: number): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (let at = 0; at < bytes.length; at += ADLER_RUN) {
    const end = Math.min(at + ADLER_RUN, bytes.length);
    for (let index = at; index < end; index++) {
      low += bytes[index] ?? 0;
      high += low;
    }
    low %= ADLER_MODULUS;
    high %= ADLER_MODULUS;
  }
  return ((high << 16) | low) >>> 0;
}

const CORRUPT: Decompressed = { ok: false, why: "corrupt" };

function run(format: CompressionFormat, bytes: Uint8Array, options: ZlibOptions): { output: Uint8Array; consumed: number } {
  // With `info` the result also holds the engine; Node's types lack this (https://nodejs.org/api/zlib.html#class-options).
  const decompress = DECOMPRESS[format] as unknown as (
    input: InputType,
    options: ZlibOptions,
  ) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  const { buffer, engine } = decompress(bytes, { ...options, info: true });
  return { output: bare(buffer), consumed: engine.bytesWritten };
}

/** Returns the size claimed at the end. zlib reads several concatenated gzip files; the standard allows one. */
function sizeOf(bytes: Uint8Array): number {
  if (bytes.length < SIZE_BYTES) return -1;
  return new DataView(bytes.buffer, bytes.byteOffset + bytes.length - SIZE_BYTES, SIZE_BYTES).getUint32(0, true);
}

/** Returns a plain `Uint8Array` instead of Node's subclass. */
function bare({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
