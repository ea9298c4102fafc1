/** Compression as the worker's runtime has it: a power that is handed in, because the sandbox imports no runtime. */

export type CompressionFormat = "gzip" | "deflate" | "deflate-raw";

/** What came of compressed bytes, or why nothing did. */
export type Decompressed =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `corrupt` also for input that ends too early or goes on after its end. */
  | { readonly ok: false; readonly why: "corrupt" | "too-large" };

/** Pure: the same bytes in give the same bytes out, and nothing is kept in between. */
export interface Codec {
  /** All pieces, one after the other, at once; what taking a piece throws comes through. */
  compress(format: CompressionFormat, pieces: Iterable<Uint8Array>): Uint8Array;
  /** Reads what is there of it; with `final` it must be exactly one whole stream. Makes at most `maximumBytes`. */
  decompress(
    format: CompressionFormat,
    bytes: Uint8Array,
    options: { readonly final: boolean; readonly maximumBytes: number },
  ): Decompressed;
}
