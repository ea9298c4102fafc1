/** Cryptography as a plugin sees it. */

import type { ApiGroup } from "./api-group.ts";

const RANDOM = `
declare class Crypto {
  private constructor();
  readonly subtle: SubtleCrypto;
  getRandomValues<
    T extends
      | Int8Array
      | Int16Array
      | Int32Array
      | Uint8Array
      | Uint16Array
      | Uint32Array
      | Uint8ClampedArray
      | BigInt64Array
      | BigUint64Array,
  >(array: T): T;
  randomUUID(): \`\${string}-\${string}-\${string}-\${string}-\${string}\`;
}
declare var crypto: Crypto;
`;

const SUBTLE = `
interface Algorithm {
  name: string;
}
type AlgorithmIdentifier = string | Algorithm;
interface KeyAlgorithm {
  name: string;
}
type KeyType = "private" | "public" | "secret";
type KeyUsage =
  | "encrypt"
  | "decrypt"
  | "sign"
  | "verify"
  | "deriveKey"
  | "deriveBits"
  | "wrapKey"
  | "unwrapKey"
  | "encapsulateKey"
  | "encapsulateBits"
  | "decapsulateKey"
  | "decapsulateBits";
type KeyFormat = "jwk" | "pkcs8" | "raw" | "spki" | "raw-secret" | "raw-public" | "raw-private" | "raw-seed";
interface JsonWebKey {
  alg?: string;
  crv?: string;
  d?: string;
  dp?: string;
  dq?: string;
  e?: string;
  ext?: boolean;
  k?: string;
  key_ops?: string[];
  kty?: string;
  n?: string;
  p?: string;
  priv?: string;
  pub?: string;
  q?: string;
  qi?: string;
  use?: string;
  x?: string;
  y?: string;
}
interface CryptoKeyPair {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}
interface EncapsulatedBits {
  sharedKey: ArrayBuffer;
  ciphertext: ArrayBuffer;
}
interface EncapsulatedKey {
  sharedKey: CryptoKey;
  ciphertext: ArrayBuffer;
}
/** Parameters of the algorithms, by name. */
interface AlgorithmParameters extends Algorithm {
  additionalData?: BufferSource;
  associatedData?: BufferSource;
  context?: BufferSource;
  counter?: BufferSource;
  customization?: BufferSource;
  domainSeparation?: number;
  functionName?: BufferSource;
  hash?: AlgorithmIdentifier;
  info?: BufferSource;
  iterations?: number;
  iv?: BufferSource;
  label?: BufferSource;
  length?: number;
  memory?: number;
  modulusLength?: number;
  namedCurve?: string;
  nonce?: BufferSource;
  outputLength?: number;
  parallelism?: number;
  passes?: number;
  public?: CryptoKey;
  publicExponent?: Uint8Array;
  salt?: BufferSource;
  saltLength?: number;
  secretValue?: BufferSource;
  tagLength?: number;
  version?: number;
}
type KeyPairAlgorithm =
  | "Ed25519"
  | "X25519"
  | { name: "Ed25519" | "X25519" }
  | (Algorithm & { namedCurve: string })
  | (Algorithm & { modulusLength: number; publicExponent: Uint8Array; hash: AlgorithmIdentifier });
type SecretKeyAlgorithm = (Algorithm & { length: number }) | (Algorithm & { hash: AlgorithmIdentifier; length?: number });
/** A key that is valid only during this call. */
declare class CryptoKey {
  private constructor();
  readonly algorithm: KeyAlgorithm;
  readonly extractable: boolean;
  readonly type: KeyType;
  readonly usages: KeyUsage[];
}
declare class SubtleCrypto {
  private constructor();
  static supports(operation: string, algorithm: AlgorithmIdentifier, length?: number | null): boolean;
  static supports(operation: string, algorithm: AlgorithmIdentifier, additionalAlgorithm: AlgorithmIdentifier): boolean;
  decapsulateBits(algorithm: AlgorithmIdentifier, key: CryptoKey, ciphertext: BufferSource): Promise<ArrayBuffer>;
  decapsulateKey(
    algorithm: AlgorithmIdentifier,
    key: CryptoKey,
    ciphertext: BufferSource,
    sharedKeyAlgorithm: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<CryptoKey>;
  decrypt(algorithm: string | AlgorithmParameters, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  deriveBits(algorithm: string | AlgorithmParameters, baseKey: CryptoKey, length?: number | null): Promise<ArrayBuffer>;
  deriveKey(
    algorithm: string | AlgorithmParameters,
    baseKey: CryptoKey,
    derivedKeyType: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<CryptoKey>;
  digest(algorithm: string | AlgorithmParameters, data: BufferSource): Promise<ArrayBuffer>;
  encapsulateBits(algorithm: AlgorithmIdentifier, key: CryptoKey): Promise<EncapsulatedBits>;
  encapsulateKey(
    algorithm: AlgorithmIdentifier,
    key: CryptoKey,
    sharedKeyAlgorithm: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<EncapsulatedKey>;
  encrypt(algorithm: string | AlgorithmParameters, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  exportKey(format: "jwk", key: CryptoKey): Promise<JsonWebKey>;
  exportKey(format: Exclude<KeyFormat, "jwk">, key: CryptoKey): Promise<ArrayBuffer>;
  exportKey(format: KeyFormat, key: CryptoKey): Promise<ArrayBuffer | JsonWebKey>;
  generateKey(algorithm: KeyPairAlgorithm, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKeyPair>;
  generateKey(algorithm: SecretKeyAlgorithm, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey>;
  generateKey(
    algorithm: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<CryptoKey | CryptoKeyPair>;
  getPublicKey(key: CryptoKey, usages: readonly KeyUsage[]): Promise<CryptoKey>;
  importKey(
    format: KeyFormat,
    keyData: BufferSource | JsonWebKey,
    algorithm: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<CryptoKey>;
  sign(algorithm: string | AlgorithmParameters, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  unwrapKey(
    format: KeyFormat,
    wrappedKey: BufferSource,
    unwrappingKey: CryptoKey,
    unwrapAlgorithm: string | AlgorithmParameters,
    unwrappedKeyAlgorithm: string | AlgorithmParameters,
    extractable: boolean,
    usages: readonly KeyUsage[],
  ): Promise<CryptoKey>;
  verify(
    algorithm: string | AlgorithmParameters,
    key: CryptoKey,
    signature: BufferSource,
    data: BufferSource,
  ): Promise<boolean>;
  wrapKey(
    format: KeyFormat,
    key: CryptoKey,
    wrappingKey: CryptoKey,
    wrapAlgorithm: string | AlgorithmParameters,
  ): Promise<ArrayBuffer>;
}
`;

/** Available to every plugin. */
export const CRYPTO_API: readonly ApiGroup[] = [{ text: RANDOM }, { text: SUBTLE }];
