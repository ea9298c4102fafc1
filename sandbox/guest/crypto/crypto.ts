/** `crypto`: random values from the host, and `subtle`. */

import { askWorker, takeAnswerBytes } from "../call/channel.ts";
import { DOMException, QuotaExceededError } from "../web/dom-exception.ts";
import { objectToJson } from "../language/json-text.ts";
import {
  arrayBufferIsView,
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
} from "../language/primordials.ts";
import { installCryptoKey } from "./crypto-key.ts";
import { installSubtle, type SubtleCrypto } from "./subtle.ts";
import { exposeInterface, requireArguments, showAs } from "../web/webidl.ts";

/** Maximum bytes per call (https://www.w3.org/TR/WebCryptoAPI/#Crypto-method-getRandomValues). */
const QUOTA = 65_536;

const secret = {};

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  askWorker("crypto.random", objectToJson({ __proto__: null, n: count }));
  return new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
}

class Crypto {
  #subtle: SubtleCrypto;

  constructor(key?: unknown, subtle?: SubtleCrypto) {
    if (key !== secret || subtle === undefined) throw new PrimordialTypeError("Illegal constructor");
    this.#subtle = subtle;
  }

  get subtle(): SubtleCrypto {
    requireCrypto(this);
    return this.#subtle;
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
      throw new QuotaExceededError(message);
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
    return #subtle in value;
  }
}

const { isCrypto } = Crypto;

function requireCrypto(value: object): void {
  if (!isCrypto(value)) throw new PrimordialTypeError("Illegal invocation");
}

export function installCrypto(global: object): void {
  installCryptoKey(global);
  const subtle = installSubtle(global);
  const crypto = new Crypto(secret, subtle);
  Reflect.deleteProperty(Crypto, "isCrypto");
  Reflect.defineProperty(Crypto, "length", { value: 0, configurable: true });
  exposeInterface(global, "Crypto", Crypto);
  define(global, "crypto", crypto, true);
  showAs((value) => (value === crypto ? { name: "Crypto", members: { subtle } } : undefined));
}
