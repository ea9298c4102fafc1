/** The members of `fflate` that `node:zlib` uses (scripts/build-node-modules.ts). */

type Compress = (bytes: Uint8Array, options: { readonly level: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 }) => Uint8Array;
type Decompress = (bytes: Uint8Array) => Uint8Array;

export declare const gzipSync: Compress;
export declare const zlibSync: Compress;
export declare const deflateSync: Compress;
export declare const gunzipSync: Decompress;
export declare const unzlibSync: Decompress;
export declare const inflateSync: Decompress;
