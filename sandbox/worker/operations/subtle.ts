/** Cryptography by the worker's runtime. Passed in, because the sandbox does not import a runtime. */

/** A key that the runtime holds. Only its description can be read. */
export interface HeldKey {
  readonly type: string;
  readonly extractable: boolean;
  /** `name`, and the other members that the standard defines for keys of this algorithm; `publicExponent` is bytes. */
  readonly algorithm: Readonly<Record<string, unknown>>;
  readonly usages: readonly string[];
}

/** The methods of https://w3c.github.io/webcrypto/#subtlecrypto-interface and its later parts that a guest may use. */
export type SubtleMethod =
  | ("digest" | "encrypt" | "decrypt" | "sign" | "verify" | "deriveBits" | "deriveKey" | "importKey" | "exportKey")
  | ("generateKey" | "getPublicKey" | "wrapKey" | "unwrapKey")
  | ("encapsulateBits" | "encapsulateKey" | "decapsulateBits" | "decapsulateKey");

export const SUBTLE_METHODS: readonly SubtleMethod[] = [
  ...(["digest", "encrypt", "decrypt", "sign", "verify", "deriveBits", "deriveKey", "importKey", "exportKey"] as const),
  ...(["generateKey", "getPublicKey", "wrapKey", "unwrapKey"] as const),
  ...(["encapsulateBits", "encapsulateKey", "decapsulateBits", "decapsulateKey"] as const),
];

/** Cryptography that runs on other threads, so that this one stays free. */
export interface Subtle {
  /** Rejects with the runtime's exception: a `DOMException`, or a `TypeError` for arguments of other kinds. */
  run(method: SubtleMethod, args: readonly unknown[]): Promise<unknown>;
  isKey(value: unknown): value is HeldKey;
}

/** Hashes all pieces at once. Returns undefined if the runtime does not know the hash. Exceptions of the iterator are passed on. */
export type Digest = (name: DigestName, pieces: Iterable<Uint8Array>) => Uint8Array | undefined;

/** Returns whether the runtime supports an algorithm in an operation; undefined if it cannot tell. */
export type Supports = (args: readonly unknown[]) => boolean | undefined;

/** Hashes without parameters, as the standard spells them. */
export const DIGEST_NAMES = ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "SHA3-256", "SHA3-384", "SHA3-512"] as const;
export type DigestName = (typeof DIGEST_NAMES)[number];
