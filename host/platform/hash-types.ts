/** Hashing in pieces. Types only. */

/** A SHA-256 in progress. */
export interface RunningHash {
  update(piece: Uint8Array): void;
  /** Returns the hash in hexadecimal; call it once. */
  hex(): string;
}
