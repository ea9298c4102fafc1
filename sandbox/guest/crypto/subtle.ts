/** `crypto.subtle` (https://w3c.github.io/webcrypto/): arguments and results. The worker holds the keys and runs the algorithms. */

import { askWorker, request, takeAnswerBytes } from "../call/channel.ts";
import {
  argumentAt,
  arrayIncludes,
  define,
  PrimordialArrayBuffer,
  PrimordialPromise,
  PrimordialTypeError,
  promiseReject,
  reflectDefineProperty,
  stringAt,
  stringToUpperCase,
} from "../language/primordials.ts";
import { SubtleMessage, toResult } from "./subtle-message.ts";
import { exposeInterface, nameFunction, requireArguments, showAs } from "../web/webidl.ts";

const secret = {};

export class SubtleCrypto {
  #isSubtle = true;

  constructor(key?: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  static isSubtle(this: void, value: unknown): boolean {
    return typeof value === "object" && value !== null && #isSubtle in value;
  }
}

const { isSubtle } = SubtleCrypto;

/**
 * Each method's arguments: `a`lgorithm, `k`ey, `b`ytes, `f`ormat, key `d`ata of that format, `x` for extractable, `u`sages,
 * optional `n`umber of bits.
 */
const METHODS: readonly (readonly [name: string, signature: string])[] = [
  ["digest", "ab"],
  ["encrypt", "akb"],
  ["decrypt", "akb"],
  ["sign", "akb"],
  ["verify", "akbb"],
  ["deriveBits", "akn"],
  ["deriveKey", "akaxu"],
  ["importKey", "fdaxu"],
  ["exportKey", "fk"],
  ["encapsulateBits", "ak"],
  ["decapsulateBits", "akb"],
  ["generateKey", "axu"],
  ["getPublicKey", "ku"],
  ["wrapKey", "fkka"],
  ["unwrapKey", "fbkaaxu"],
  ["encapsulateKey", "akaxu"],
  ["decapsulateKey", "akbaxu"],
];

function createMethod(name: string, signature: string): (...given: unknown[]) => Promise<unknown> {
  const needed = stringAt(signature, signature.length - 1) === "n" ? signature.length - 1 : signature.length;
  const what = `execute '${name}' on 'SubtleCrypto'`;
  const method = function (this: unknown, ...given: unknown[]): Promise<unknown> {
    try {
      if (!isSubtle(this)) throw new PrimordialTypeError("Illegal invocation");
      requireArguments(given.length, needed, what);
      const message = new SubtleMessage(`Failed to ${what}`);
      for (let index = 0; index < signature.length; index++) add(message, stringAt(signature, index), given, index);
      const hash = name === "digest" ? plainHash(given[0]) : undefined;
      if (hash !== undefined) return digestNow(hash, message.bytes);
      return request({
        __proto__: null,
        operation: `subtle.${name}`,
        args: NOTHING,
        json: message.json,
        bytes: message.bytes,
        convert: toResult,
      });
    } catch (error) {
      return promiseReject(error);
    }
  };
  nameFunction(method, name, needed);
  return method;
}

const NOTHING = { __proto__: null };

function add(message: SubtleMessage, kind: string, given: readonly unknown[], index: number): void {
  const value = argumentAt(given, index);
  switch (kind) {
    case "a":
      return message.addAlgorithm(value);
    case "k":
      return message.addKey(value);
    case "b":
      return message.addBytes(value);
    case "f":
      return message.addText(value);
    case "d":
      return message.addKeyData(value, `${given[0] as string}` === "jwk");
    case "x":
      return message.addFlag(value);
    case "u":
      return message.addUsages(value);
    default:
      return message.addLength(value);
  }
}

/** Hashes without parameters, which the worker computes at once, even while the plugin loads. */
const PLAIN_HASHES = ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "SHA3-256", "SHA3-384", "SHA3-512"];

/** Returns the hash's name if the algorithm is only a name. */
function plainHash(algorithm: unknown): string | undefined {
  const name: unknown = typeof algorithm === "object" && algorithm !== null ? (algorithm as { name?: unknown }).name : algorithm;
  const known = typeof name === "string" ? stringToUpperCase(name) : undefined;
  return known !== undefined && arrayIncludes(PLAIN_HASHES, known) ? known : undefined;
}

function digestNow(hash: string, bytes: ArrayBuffer | undefined): Promise<ArrayBuffer> {
  askWorker("crypto.digest", hash, bytes);
  const answer = takeAnswerBytes() ?? new PrimordialArrayBuffer(0);
  return new PrimordialPromise((resolve) => resolve(answer));
}

/** https://wicg.github.io/webcrypto-modern-algos/#SubtleCrypto-method-supports */
function supports(...given: unknown[]): boolean {
  requireArguments(given.length, 2, "execute 'SubtleCrypto.supports'");
  const message = new SubtleMessage("Failed to execute 'SubtleCrypto.supports'");
  message.addText(given[0]);
  message.addAlgorithm(given[1]);
  const more = argumentAt(given, 2);
  if (more === undefined || more === null || typeof more === "number") message.addLength(more);
  else message.addAlgorithm(more);
  return askWorker("crypto.supports", message.json, message.bytes) === true;
}

/** Installs the class and returns its only object. */
export function installSubtle(global: object): SubtleCrypto {
  const subtle = new SubtleCrypto(secret);
  Reflect.deleteProperty(SubtleCrypto, "isSubtle");
  reflectDefineProperty(SubtleCrypto, "length", { value: 0, configurable: true });
  for (const [name, signature] of METHODS) define(SubtleCrypto.prototype, name, createMethod(name, signature), true);
  nameFunction(supports, "supports", 2);
  define(SubtleCrypto, "supports", supports, true);
  exposeInterface(global, "SubtleCrypto", SubtleCrypto);
  showAs((value) => (value === subtle ? { name: "SubtleCrypto", members: {} } : undefined));
  return subtle;
}
