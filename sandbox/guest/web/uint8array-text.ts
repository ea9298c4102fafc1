/** `Uint8Array` to and from base64 and hex (https://tc39.es/proposal-arraybuffer-base64/spec/), converted by the worker. */

import { ownBytes, viewBytes } from "./bytes.ts";
import { askWorker, takeAnswerBytes } from "../call/channel.ts";
import { encodeUtf8 } from "./encoding.ts";
import { objectToJson } from "../language/json-text.ts";
import {
  arrayBufferDetached,
  type Callable,
  define,
  PrimordialArrayBuffer,
  PrimordialSyntaxError,
  PrimordialTypeError,
  PrimordialUint8Array,
  typedArrayBuffer,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from "../language/primordials.ts";
import { nameFunction } from "./webidl.ts";

interface Decoded {
  readonly read: number;
  readonly error?: string;
}

/** In method syntax, because methods are not constructors. */
const METHODS = {
  toBase64(this: unknown, options: unknown = undefined): string {
    const bytes = requireBytes(this);
    const given = toOptions(options);
    const isUrl = isUrlAlphabet(given);
    const omitPadding = !!given["omitPadding"];
    return `${askWorker("base64.encode", objectToJson({ __proto__: null, isUrl, omitPadding }), bufferOf(bytes)) as string}`;
  },

  toHex(this: unknown): string {
    return `${askWorker("hex.encode", "{}", bufferOf(requireBytes(this))) as string}`;
  },

  fromBase64(text: unknown, options: unknown = undefined): Uint8Array {
    const { error } = decodeBase64(requireText(text), options);
    const bytes = new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
    if (error !== undefined) throw new PrimordialSyntaxError(error);
    return bytes;
  },

  fromHex(text: unknown): Uint8Array {
    const { error } = decodeHex(requireText(text));
    const bytes = new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
    if (error !== undefined) throw new PrimordialSyntaxError(error);
    return bytes;
  },

  setFromBase64(this: unknown, text: unknown, options: unknown = undefined): object {
    const target = requireBytes(this);
    return fill(target, decodeBase64(requireText(text), options, target));
  },

  setFromHex(this: unknown, text: unknown): object {
    const target = requireBytes(this);
    return fill(target, decodeHex(requireText(text), target));
  },
};

/** Bytes that were decoded before an error are written nevertheless. */
function fill(target: Uint8Array, { read, error }: Decoded): object {
  const bytes = new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
  const written = typedArrayLength(bytes);
  if (written > 0) typedArraySet(target, bytes);
  if (error !== undefined) throw new PrimordialSyntaxError(error);
  return { read, written };
}

function decodeBase64(text: string, options: unknown, target?: Uint8Array): Decoded {
  const given = toOptions(options);
  const isUrl = isUrlAlphabet(given);
  const last = given["lastChunkHandling"] ?? "loose";
  if (last !== "loose" && last !== "strict" && last !== "stop-before-partial") throw new PrimordialTypeError("invalid option");
  const maximum = roomIn(target);
  return askWorker("base64.decode", objectToJson({ __proto__: null, isUrl, last, maximum }), typedArrayBuffer(encodeUtf8(text))) as Decoded;
}

function decodeHex(text: string, target?: Uint8Array): Decoded {
  const maximum = roomIn(target);
  if (text.length % 2 === 1) throw new PrimordialSyntaxError("Input string must contain hex characters in even length");
  return askWorker("hex.decode", objectToJson({ __proto__: null, maximum }), typedArrayBuffer(encodeUtf8(text))) as Decoded;
}

/** Returns how many bytes fit. @throws {TypeError} if the buffer was detached */
function roomIn(target: Uint8Array | undefined): number | undefined {
  if (target !== undefined && arrayBufferDetached(typedArrayBuffer(target))) throw new PrimordialTypeError("The buffer is detached");
  return target === undefined ? undefined : typedArrayLength(target);
}

/** Encodes bytes, whatever a plugin did to `toBase64`. */
export function bytesToBase64(bytes: Uint8Array<ArrayBuffer>): string {
  return `${askWorker("base64.encode", "{}", bufferOf(bytes)) as string}`;
}

function requireBytes(value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value !== "object" || value === null || typedArrayTag(value) !== "Uint8Array") {
    throw new PrimordialTypeError("The receiver is not a Uint8Array");
  }
  return value as Uint8Array<ArrayBuffer>;
}

/** The boundary takes whole buffers. */
function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return typedArrayBuffer(ownBytes(viewBytes(bytes, 0, typedArrayLength(bytes))));
}

function requireText(value: unknown): string {
  if (typeof value !== "string") throw new PrimordialTypeError("The input is not a string");
  return value;
}

function toOptions(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined) return NONE;
  if ((typeof value !== "object" || value === null) && typeof value !== "function")
    throw new PrimordialTypeError("The options are not an object");
  return value as Record<string, unknown>;
}

const NONE: Readonly<Record<string, unknown>> = Object.freeze({ __proto__: null });

function isUrlAlphabet(options: Readonly<Record<string, unknown>>): boolean {
  const { alphabet = "base64" } = options;
  if (alphabet !== "base64" && alphabet !== "base64url") throw new PrimordialTypeError("invalid option");
  return alphabet === "base64url";
}

export function installUint8ArrayText(): void {
  add(PrimordialUint8Array, [
    ["fromBase64", METHODS.fromBase64, 1],
    ["fromHex", METHODS.fromHex, 1],
  ]);
  add(PrimordialUint8Array.prototype, [
    ["toBase64", METHODS.toBase64, 0],
    ["toHex", METHODS.toHex, 0],
    ["setFromBase64", METHODS.setFromBase64, 1],
    ["setFromHex", METHODS.setFromHex, 1],
  ]);
}

function add(target: object, methods: readonly (readonly [name: string, method: Callable, length: number])[]): void {
  for (const [name, method, length] of methods) {
    nameFunction(method, name, length);
    define(target, name, method);
  }
}
