/** Randomness. Types only. */

/** Cryptographically strong randomness. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** RFC 9562 version 7. */
  uuidv7(): string;
}
