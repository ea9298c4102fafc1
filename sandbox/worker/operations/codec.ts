/** Compression by the worker's runtime. Passed in, because the sandbox does not import a runtime. */

export type CompressionFormat = "gzip" | "deflate" | "deflate-raw";

/** Decompressed bytes, or the reason why there are none. */
export type Decompressed =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `corrupt` includes input that ends too early or continues after its end. */
  | { readonly ok: false; readonly why: "corrupt" | "too-large" };

/** Pure: the same input gives the same bytes, and no state is kept. */
export interface Codec {
  /** Compresses all pieces, one after the other. Exceptions of the iterator are passed on. */
  compress(format: CompressionFormat, pieces: Iterable<Uint8Array>): Uint8Array;
  /** Decompresses the available input. With `final` it must be exactly one whole stream. Returns at most `maximumBytes`. */
  decompress(
    format: CompressionFormat,
    bytes: Uint8Array,
    options: { readonly final: boolean; readonly maximumBytes: number },
  ): Decompressed;
}
