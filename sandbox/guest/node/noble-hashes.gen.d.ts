/** The members of `@noble/hashes` that `node:crypto` uses (scripts/build-node-modules.ts). */

type Bytes = Uint8Array<ArrayBuffer>;

export interface Running {
  update(bytes: Bytes): Running;
  digest(): Bytes;
  clone(): Running;
}

export interface Hasher {
  (bytes: Bytes): Bytes;
  create(): Running;
}

export declare const md5: Hasher;
export declare const ripemd160: Hasher;
export declare const sha1: Hasher;
export declare const sha224: Hasher;
export declare const sha256: Hasher;
export declare const sha384: Hasher;
export declare const sha512: Hasher;
export declare const sha512_256: Hasher;
export declare const sha3_256: Hasher;
export declare const sha3_384: Hasher;
export declare const sha3_512: Hasher;
export declare const hmac: { create(hasher: Hasher, key: Bytes): Running };
export declare function pbkdf2(
  hasher: Hasher,
  password: Bytes,
  salt: Bytes,
  options: { readonly c: number; readonly dkLen: number },
): Bytes;
export declare function scrypt(
  password: Bytes,
  salt: Bytes,
  options: { readonly N: number; readonly r: number; readonly p: number; readonly dkLen: number },
): Bytes;
