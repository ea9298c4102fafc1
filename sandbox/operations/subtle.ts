/** Cryptography as the worker's runtime has it: a power that is handed in, because the sandbox imports no runtime. */

/** A key that the runtime holds; only what describes it can be read here. */
export interface HeldKey {
  readonly type: string;
  readonly extractable: boolean;
  /** `name`, and what else the standard gives keys of this algorithm; `publicExponent` is bytes. */
  readonly algorithm: Readonly<Record<string, unknown>>;
  readonly usages: readonly string[];
}

/** The methods of https://w3c.github.io/webcrypto/#subtlecrypto-interface and its later parts that a guest may ask for. */
export type SubtleMethod =
  | ("digest" | "encrypt" | "decrypt" | "sign" | "verify" | "deriveBits" | "deriveKey" | "importKey" | "exportKey")
  | ("generateKey" | "getPublicKey" | "wrapKey" | "unwrapKey")
  | ("encapsulateBits" | "encapsulateKey" | "decapsulateBits" | "decapsulateKey");

export const SUBTLE_METHODS: readonly SubtleMethod[] = [
  ...(["digest", "encrypt", "decrypt", "sign", "verify", "deriveBits", "deriveKey", "importKey", "exportKey"] as const),
  ...(["generateKey", "getPublicKey", "wrapKey", "unwrapKey"] as const),
  ...(["encapsulateBits", "encapsulateKey", "decapsulateBits", "decapsulateKey"] as const),
];

/** Works on other threads: this one stays free meanwhile. */
export interface Subtle {
  /** Rejects with what the runtime throws: a `DOMException`, or a `TypeError` for arguments of other kinds. */
  run(method: SubtleMethod, args: readonly unknown[]): Promise<unknown>;
  isKey(value: unknown): value is HeldKey;
}

/** The hash of the bytes in all pieces, at once; undefined if the runtime does not know the hash. What taking a piece throws comes through. */
export type Digest = (name: DigestName, pieces: Iterable<Uint8Array>) => Uint8Array | undefined;

/** Whether the runtime has an operation for an algorithm; undefined if it cannot tell. */
export type Supports = (args: readonly unknown[]) => boolean | undefined;

/** Hashes without parameters, as the standard spells them. */
export const DIGEST_NAMES = ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "SHA3-256", "SHA3-384", "SHA3-512"] as const;
export type DigestName = (typeof DIGEST_NAMES)[number];
