/** `node:zlib`: compression of whole values. Streams are the web's `CompressionStream`. */

import { Buffer } from "./buffer.gen.ts";
import {
  deflateSync as toRaw,
  gunzipSync as fromGzip,
  gzipSync as toGzip,
  inflateSync as fromRaw,
  unzlibSync,
  zlibSync,
} from "./fflate.gen.ts";
import { sandbox } from "./globals.ts";

type Input = string | ArrayBuffer | Uint8Array;
interface Options {
  readonly level?: number;
}
type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Done = (error: Error | null, bytes?: Uint8Array) => void;
type Sync = (input: Input, options?: Options) => Uint8Array;

function bytesOf(input: Input): Uint8Array {
  if (typeof input === "string") return Buffer.from(input);
  return input instanceof Uint8Array ? input : new Uint8Array(input);
}

function compressing(run: (bytes: Uint8Array, options: { level: Level }) => Uint8Array): Sync {
  // Node's default, -1, is level 6.
  return (input, { level = 6 } = {}) => Buffer.from(run(bytesOf(input), { level: (level < 0 ? 6 : level) as Level }));
}

function decompressing(run: (bytes: Uint8Array) => Uint8Array): Sync {
  return (input) => Buffer.from(run(bytesOf(input)));
}

export const gzipSync: Sync = compressing(toGzip);
export const deflateSync: Sync = compressing(zlibSync);
export const deflateRawSync: Sync = compressing(toRaw);
export const gunzipSync: Sync = decompressing(fromGzip);
export const inflateSync: Sync = decompressing(unzlibSync);
export const inflateRawSync: Sync = decompressing(fromRaw);
export const unzipSync: Sync = decompressing((bytes) => (bytes[0] === 0x1f ? fromGzip(bytes) : unzlibSync(bytes)));

function later(run: Sync): (input: Input, options: Options | Done, done?: Done) => void {
  return (input, options, done = options as Done) => {
    sandbox.queueMicrotask(() => {
      let bytes: Uint8Array;
      try {
        bytes = run(input, typeof options === "function" ? {} : options);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, bytes);
    });
  };
}

type Async = ReturnType<typeof later>;
export const gzip: Async = later(gzipSync);
export const deflate: Async = later(deflateSync);
export const deflateRaw: Async = later(deflateRawSync);
export const gunzip: Async = later(gunzipSync);
export const inflate: Async = later(inflateSync);
export const inflateRaw: Async = later(inflateRawSync);
export const unzip: Async = later(unzipSync);

export const constants: Readonly<Record<string, number>> = {
  ...{ Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5 },
  ...{ Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_DEFAULT_STRATEGY: 0 },
  ...{ Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_DEFAULT_CHUNK: 16_384 },
};
