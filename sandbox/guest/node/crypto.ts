/** `node:crypto`: hashes, HMAC, key derivation and randomness. Ciphers and keys are the web's `crypto.subtle`. */

import { Buffer } from "./buffer.gen.ts";
import { sandbox } from "./globals.ts";
import {
  type Hasher,
  hmac,
  md5,
  pbkdf2,
  ripemd160,
  type Running,
  scrypt,
  sha1,
  sha224,
  sha256,
  sha384,
  sha3_256,
  sha3_384,
  sha3_512,
  sha512,
  sha512_256,
} from "./noble-hashes.gen.ts";

type Data = string | Uint8Array<ArrayBuffer>;

const HASHES: Readonly<Record<string, Hasher>> = {
  ...{ md5, ripemd160, rmd160: ripemd160, sha1, sha224, sha256, sha384, sha512 },
  ...{ "sha512-256": sha512_256, "sha3-256": sha3_256, "sha3-384": sha3_384, "sha3-512": sha3_512 },
};

function hasherOf(name: string): Hasher {
  const key = name
    .toLowerCase()
    .replace(/^rsa-/, "")
    .replace(/^sha-(?=\d)/, "sha");
  const found = Object.hasOwn(HASHES, key) ? HASHES[key] : undefined;
  if (found === undefined)
    throw new sandbox.Deno.errors.NotSupported(`A plugin's node:crypto has no "${name}": it has ${getHashes().join(", ")}`);
  return found;
}

function bytesOf(data: Data | DataView<ArrayBuffer> | ArrayBuffer, encoding?: string): Uint8Array<ArrayBuffer> {
  if (typeof data === "string") return Buffer.from(data, encoding);
  if (data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function encoded(bytes: Uint8Array, encoding?: string): Uint8Array | string {
  const buffer = Buffer.from(bytes);
  return encoding === undefined || encoding === "buffer" ? buffer : buffer.toString(encoding);
}

/** A hash or an HMAC under way. */
export class Hash {
  #running: Running;
  #isDone = false;
  constructor(running: Running) {
    this.#running = running;
  }
  update(data: Data, encoding?: string): this {
    this.#refuseDone();
    this.#running.update(bytesOf(data, encoding));
    return this;
  }
  digest(encoding?: string): Uint8Array | string {
    this.#refuseDone();
    this.#isDone = true;
    return encoded(this.#running.digest(), encoding);
  }
  copy(): Hash {
    this.#refuseDone();
    return new Hash(this.#running.clone());
  }
  #refuseDone(): void {
    if (this.#isDone) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
  }
}
export const Hmac: typeof Hash = Hash;

export const createHash = (name: string): Hash => new Hash(hasherOf(name).create());
export const createHmac = (name: string, key: Data): Hash => new Hash(hmac.create(hasherOf(name), bytesOf(key)));
export const hash = (name: string, data: Data, encoding = "hex"): Uint8Array | string => encoded(hasherOf(name)(bytesOf(data)), encoding);
export const getHashes = (): readonly string[] => Object.keys(HASHES);

type Derivation = readonly [password: Data, salt: Data, iterations: number, length: number, hash: string];
export const pbkdf2Sync = (...[password, salt, c, dkLen, name]: Derivation): Uint8Array =>
  Buffer.from(pbkdf2(hasherOf(name), bytesOf(password), bytesOf(salt), { c, dkLen }));

interface ScryptOptions {
  readonly N?: number;
  readonly r?: number;
  readonly p?: number;
}
export const scryptSync = (password: Data, salt: Data, dkLen: number, { N = 16_384, r = 8, p = 1 }: ScryptOptions = {}): Uint8Array =>
  Buffer.from(scrypt(bytesOf(password), bytesOf(salt), { N, r, p, dkLen }));

const RANDOM_BYTES = 65_536;

export function randomFillSync<T extends Uint8Array>(bytes: T): T {
  for (let at = 0; at < bytes.length; at += RANDOM_BYTES) sandbox.crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES));
  return bytes;
}

type RandomDone = (error: null, bytes: Uint8Array) => void;
export function randomBytes(size: number, done?: RandomDone): Uint8Array | undefined {
  const bytes = randomFillSync(Buffer.alloc(size));
  if (done === undefined) return bytes;
  sandbox.queueMicrotask(() => done(null, bytes));
  return undefined;
}
export const pseudoRandomBytes: typeof randomBytes = randomBytes;

/** Returns an integer from `low` up to but without `high`, each equally likely. */
export function randomInt(low: number, high?: number): number {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  const range = to - from;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || range <= 0 || range > 2 ** 48)
    throw Object.assign(new RangeError(`The range ${String(from)} to ${String(to)} is not valid`), { code: "ERR_OUT_OF_RANGE" });
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = randomFillSync(Buffer.alloc(6)).reduce((sum, byte) => sum * 256 + byte, 0);
    if (value < limit) return from + (value % range);
  }
}

export const randomUUID = (): string => sandbox.crypto.randomUUID();
export const webcrypto: typeof sandbox.crypto = sandbox.crypto;
export const subtle: object = sandbox.crypto.subtle;
export const getRandomValues = <T extends Uint8Array>(bytes: T): T => sandbox.crypto.getRandomValues(bytes);

/** Takes as long for any two values of the same length. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength)
    throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" });
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}

export const constants: object = {};
