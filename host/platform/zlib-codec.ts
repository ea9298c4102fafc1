/** The sandbox's compression, by `node:zlib`, which Deno serves too. */

import {
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  type InputType,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from "node:zlib";
import type { Codec, CompressionFormat, Decompressed } from "../../sandbox/mod.ts";

const COMPRESS = { gzip: gzipSync, deflate: deflateSync, "deflate-raw": deflateRawSync } as const;
const DECOMPRESS = { gzip: gunzipSync, deflate: inflateSync, "deflate-raw": inflateRawSync } as const;

/** The last four bytes of gzip: the length of what was compressed, modulo 2^32 (RFC 1952, ISIZE). */
const SIZE_BYTES = 4;

export const zlibCodec: Codec = {
  compress: (format, bytes) => bare(COMPRESS[format](bytes)),
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

const CORRUPT: Decompressed = { ok: false, why: "corrupt" };

function run(format: CompressionFormat, bytes: Uint8Array, options: ZlibOptions): { output: Uint8Array; consumed: number } {
  // With `info` the answer holds the engine too; the types of Node do not know (https://nodejs.org/api/zlib.html#class-options).
  const decompress = DECOMPRESS[format] as unknown as (
    input: InputType,
    options: ZlibOptions,
  ) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  const { buffer, engine } = decompress(bytes, { ...options, info: true });
  return { output: bare(buffer), consumed: engine.bytesWritten };
}

/** gzip may be several files one after the other, and zlib reads them all; the standard knows one. */
function sizeOf(bytes: Uint8Array): number {
  if (bytes.length < SIZE_BYTES) return -1;
  return new DataView(bytes.buffer, bytes.byteOffset + bytes.length - SIZE_BYTES, SIZE_BYTES).getUint32(0, true);
}

/** Without Node's class around it. */
function bare({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
