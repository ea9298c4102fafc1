/** `crypto.getRandomValues` and `crypto.randomUUID`, and `Math.random`, from the host's randomness. */

import { askWorker, takeAnswerBytes, toText } from "./channel.ts";
import { DOMException } from "./dom-exception.ts";
import {
  arrayBufferIsView,
  bareList,
  define,
  numberToString,
  PrimordialArrayBuffer,
  PrimordialTypeError,
  PrimordialUint8Array,
  stringPadStart,
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArraySet,
  typedArrayTag,
} from "./primordials.ts";
import { exposeInterface, nameFunction, requireArguments, showAs } from "./webidl.ts";

/** https://www.w3.org/TR/WebCryptoAPI/#Crypto-method-getRandomValues */
const QUOTA = 65_536;

const secret = {};

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  askWorker("crypto.random", toText({ __proto__: null, n: count }));
  return new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
}

export class Crypto {
  #isCrypto = true;

  constructor(key?: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  getRandomValues(array: unknown): unknown {
    requireCrypto(this);
    requireArguments(arguments.length, 1, "execute 'getRandomValues' on 'Crypto'");
    const tag = typeof array === "object" && array !== null && arrayBufferIsView(array) ? typedArrayTag(array) : undefined;
    if (tag === undefined || tag === "Float16Array" || tag === "Float32Array" || tag === "Float64Array") {
      throw new DOMException("The provided value is not an integer-type TypedArray", "TypeMismatchError");
    }
    const length = typedArrayByteLength(array);
    if (length > QUOTA) {
      const message = `The ArrayBufferView's byte length (${length}) exceeds the number of bytes of entropy available via this API (${QUOTA})`;
      throw new DOMException(message, "QuotaExceededError");
    }
    const view = new PrimordialUint8Array(typedArrayBuffer(array), typedArrayByteOffset(array), length);
    if (length > 0) typedArraySet(view, randomBytes(length));
    return array;
  }

  randomUUID(): string {
    requireCrypto(this);
    const bytes = randomBytes(16);
    // RFC 9562, version 4.
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    let text = "";
    for (let index = 0; index < 16; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
      text += stringPadStart(numberToString(bytes[index] ?? 0, 16), 2, "0");
    }
    return text;
  }

  static isCrypto(this: void, value: object): boolean {
    return #isCrypto in value;
  }
}

const { isCrypto } = Crypto;

function requireCrypto(value: object): void {
  if (!isCrypto(value)) throw new PrimordialTypeError("Illegal invocation");
}

/** State of the generator behind `Math.random`: none until it is asked, so that no image holds one (SPEC B9). */
let seeded = false;
const state = bareList<number>();

/** A call begins: the next `Math.random` takes a new seed. */
export function resetRandom(): void {
  seeded = false;
}

/** Xoshiro128++ (https://prng.di.unimi.it/xoshiro128plusplus.c): the engine's own generator would repeat after each restore. */
function random(): number {
  if (!seeded) seed();
  // 53 bits, of two outputs.
  return ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
}

function seed(): void {
  const bytes = randomBytes(16);
  for (let word = 0; word < 4; word++) {
    const at = word * 4;
    state[word] = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  }
  // All zeros would stay zeros.
  state[0] = (state[0] ?? 0) | 1;
  seeded = true;
}

function next(): number {
  let s0 = state[0] ?? 0;
  let s1 = state[1] ?? 0;
  let s2 = state[2] ?? 0;
  let s3 = state[3] ?? 0;
  const sum = (s0 + s3) | 0;
  const result = (((sum << 7) | (sum >>> 25)) + s0) | 0;
  const shifted = s1 << 9;
  s2 ^= s0;
  s3 ^= s1;
  s1 ^= s2;
  s0 ^= s3;
  s2 ^= shifted;
  s3 = (s3 << 11) | (s3 >>> 21);
  state[0] = s0;
  state[1] = s1;
  state[2] = s2;
  state[3] = s3;
  return result;
}

export function installCrypto(global: object): void {
  const crypto = new Crypto(secret);
  Reflect.deleteProperty(Crypto, "isCrypto");
  Reflect.defineProperty(Crypto, "length", { value: 0, configurable: true });
  exposeInterface(global, "Crypto", Crypto);
  define(global, "crypto", crypto, true);
  nameFunction(random, "random");
  define(Math, "random", random);
  showAs((value) => (value === crypto ? { name: "Crypto", members: {} } : undefined));
}
