/** Messages of `crypto.subtle`: arguments as JSON with all bytes in one buffer beside it, and results. */

import { bufferOf, concatBytes, isBufferSource, ownBytes, toBytes, viewBytes } from "../web/bytes.ts";
import { handleOf, toKey } from "./crypto-key.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import {
  arrayJoin,
  bareList,
  define,
  isFiniteNumber,
  objectHasOwn,
  PrimordialArrayBuffer,
  PrimordialTypeError,
  PrimordialUint8Array,
  reflectGet,
  reflectOwnKeys,
  typedArrayLength,
} from "../language/primordials.ts";
import { forEachItem, toDictionary, toDomString } from "../web/webidl.ts";

/** Parameters of all algorithms, by type. The worker's runtime decides which ones an algorithm needs. */
const BYTES = ["iv", "counter", "additionalData", "label", "salt", "info", "context", "publicExponent", "nonce", "secretValue"];
const MORE_BYTES = ["associatedData", "functionName", "customization"];
const NUMBERS = ["length", "modulusLength", "tagLength", "saltLength", "iterations", "memory", "passes", "parallelism", "version"];
const MORE_NUMBERS = ["outputLength", "domainSeparation"];
const JWK_TEXTS = ["kty", "use", "alg", "crv", "x", "y", "d", "n", "e", "p", "q", "dp", "dq", "qi", "k", "pub", "priv"];

/** The arguments of one operation, converted in order. `what` is the beginning of the message of a `TypeError`. */
export class SubtleMessage {
  #what: string;
  #items = bareList<string>();
  #parts = bareList<Uint8Array>();
  #length = 0;

  constructor(what: string) {
    this.#what = what;
  }

  get json(): string {
    return `[${arrayJoin(this.#items, ",")}]`;
  }

  get bytes(): ArrayBuffer | undefined {
    return this.#parts.length === 0 ? undefined : bufferOf(concatBytes(this.#parts));
  }

  addAlgorithm(value: unknown): void {
    this.#add(this.#algorithm(value));
  }

  addKey(value: unknown): void {
    this.#add(this.#key(value));
  }

  addBytes(value: unknown): void {
    this.#add(this.#bytes(value, "the data"));
  }

  addText(value: unknown): void {
    this.#add(quoteJson(toDomString(value)));
  }

  addFlag(value: unknown): void {
    this.#add(value ? "true" : "false");
  }

  /** Undefined and null are sent as null. */
  addLength(value: unknown): void {
    this.#add(value === undefined || value === null ? "null" : this.#number(value, "the length"));
  }

  addUsages(value: unknown): void {
    this.#add(this.#texts(value, "the usages are not iterable"));
  }

  /** Adds bytes, or an object for the format "jwk". */
  addKeyData(value: unknown, isJwk: boolean): void {
    if (!isJwk || isBufferSource(value)) return this.#add(this.#bytes(value, "the key data"));
    this.#add(this.#webKey(value));
  }

  #add(json: string): void {
    this.#items[this.#items.length] = json;
  }

  #algorithm(value: unknown): string {
    if ((typeof value !== "object" && typeof value !== "function") || value === null)
      return `{"a":{"name":${quoteJson(toDomString(value))}}}`;
    const members = bareList<string>();
    const read = (name: string, convert: (member: unknown) => string): void => {
      const member = reflectGet(value, name);
      if (member !== undefined) members[members.length] = `${quoteJson(name)}:${convert(member)}`;
    };
    if (reflectGet(value, "name") === undefined) throw new PrimordialTypeError(`${this.#what}: the algorithm has no name`);
    read("name", (member) => quoteJson(toDomString(member)));
    read("hash", (member) => this.#algorithm(member));
    read("namedCurve", (member) => quoteJson(toDomString(member)));
    read("public", (member) => this.#key(member));
    for (const names of [BYTES, MORE_BYTES]) {
      for (let index = 0; index < names.length; index++) read(names[index] ?? "", (member) => this.#bytes(member, names[index] ?? ""));
    }
    for (const names of [NUMBERS, MORE_NUMBERS]) {
      for (let index = 0; index < names.length; index++) read(names[index] ?? "", (member) => this.#number(member, names[index] ?? ""));
    }
    return `{"a":{${arrayJoin(members, ",")}}}`;
  }

  #key(value: unknown): string {
    const handle = handleOf(value);
    if (handle === undefined) throw new PrimordialTypeError(`${this.#what}: a value is not a CryptoKey`);
    return `{"k":${quoteJson(handle)}}`;
  }

  #bytes(value: unknown, name: string): string {
    if (!isBufferSource(value)) throw new PrimordialTypeError(`${this.#what}: ${name} is not an ArrayBuffer or a view of one`);
    const part = toBytes(value, this.#what);
    const at = this.#length;
    this.#parts[this.#parts.length] = part;
    this.#length += typedArrayLength(part);
    return `{"b":[${at},${typedArrayLength(part)}]}`;
  }

  #number(value: unknown, name: string): string {
    const number = +(value as number);
    if (!isFiniteNumber(number)) throw new PrimordialTypeError(`${this.#what}: ${name} is not a finite number`);
    return `${number}`;
  }

  #texts(value: unknown, message: string): string {
    const texts = bareList<string>();
    forEachItem(value, `${this.#what}: ${message}`, (item) => (texts[texts.length] = toDomString(item)));
    return listToJson(texts);
  }

  /** https://w3c.github.io/webcrypto/#JsonWebKey-dictionary */
  #webKey(given: unknown): string {
    const dictionary = toDictionary(given, this.#what);
    const members = bareList<string>();
    for (let index = 0; index < JWK_TEXTS.length; index++) {
      const name = JWK_TEXTS[index] ?? "";
      const value = dictionary[name];
      if (value !== undefined) members[members.length] = `"${name}":${quoteJson(toDomString(value))}`;
    }
    const { ext, key_ops: operations } = dictionary;
    if (ext !== undefined) members[members.length] = `"ext":${ext ? "true" : "false"}`;
    if (operations !== undefined) members[members.length] = `"key_ops":${this.#texts(operations, "key_ops is not iterable")}`;
    // Keys of more than two primes: no runtime accepts them, and the runtime's own error is wanted.
    if (dictionary["oth"] !== undefined) members[members.length] = `"oth":[]`;
    return `{"j":{${arrayJoin(members, ",")}}}`;
  }
}

/** Reads the worker's answer (`writeResult` in subtle-operations.ts). */
export function toResult(value: unknown, buffer: ArrayBuffer | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  const shape = value as Readonly<Record<string, unknown>>;
  if (objectHasOwn(shape, "b")) return toBuffer(shape["b"] as readonly number[], buffer);
  if (objectHasOwn(shape, "k")) return toKey(shape["k"] as readonly unknown[]);
  if (objectHasOwn(shape, "j")) return shape["j"];
  const members = shape["o"] as Readonly<Record<string, unknown>>;
  const result = {};
  const keys = reflectOwnKeys(members);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key === "string") define(result, key, toResult(members[key], buffer), true);
  }
  return result;
}

function toBuffer(place: readonly number[], buffer: ArrayBuffer | undefined): ArrayBuffer {
  const bytes = new PrimordialUint8Array(buffer ?? new PrimordialArrayBuffer(0));
  const at = place[0] ?? 0;
  return bufferOf(ownBytes(viewBytes(bytes, at, at + (place[1] ?? 0))));
}
