/** Identities of members and callers of a cluster: NKeys, which are Ed25519 keys as NATS writes them (SPEC CL6). Types only. */

/** A key that signs. */
export interface Identity {
  /** `U` and 55 further characters. */
  readonly publicKey: string;
  /** `SU` and 56 further characters. Secret. */
  readonly seed: string;
  /** Returns 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export interface Identities {
  create(): Identity;
  /** @throws {TypeError} if the text is not the seed of a user's NKey; the message does not repeat it */
  open(seed: string): Identity;
  /** Verifies a signature; false if the key or the signature is malformed. */
  isSigned(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean;
}
