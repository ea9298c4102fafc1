/** Types and helpers of the operations that the worker answers itself. */

import type { Codec } from "./codec.ts";
import type { Digest, Supports } from "./subtle.ts";

/** The capabilities of a local operation. They belong to the call, so that it can be recorded and seeded (SPEC B6). */
export interface LocalEnvironment {
  /** Milliseconds. Only differences are meaningful. */
  monotonicMs(): number;
  randomBytes(count: number): Uint8Array;
  /** Absent if the runtime has no compression; the operation then fails. */
  readonly codec?: Codec;
  /** Absent if the runtime has no hash functions. */
  readonly hash?: Digest;
  /** Absent if the runtime has no cryptography. */
  readonly supports?: Supports;
  /** Absent if the runtime's own decoders are correct. */
  readonly legacyDecoders?: LegacyDecoders | undefined;
  /** Returns true if the guest must stop. Long operations check between two pieces. Absent if the call has no limits. */
  readonly isOver?: () => boolean;
}

/** A decoder like `TextDecoder`. */
export interface Decoding {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
}

/** Returns a new decoder of an encoding, by its name in the standard; undefined for encodings that the runtime decodes correctly. */
export type LegacyDecoders = (encoding: string, fatal: boolean) => Decoding | undefined;

export interface LocalAnswer {
  /** Tagged as in `guest/call/protocol.ts`: `v` + JSON, `s` + raw text without U+0000, or `e` + JSON `{ name, message }`. */
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Answers every input. `text` is JSON, except for `text.encode`, `text.atob` and `text.btoa`, where it is raw. */
export type LocalOperation = (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) => LocalAnswer;

/** Maximum payload of one operation (SPEC B3). */
export const MAX_BYTES: number = 64 * 1024 * 1024;
/** Maximum length of a URL, a label, or an operation's options. The runtime parses them in one go, in some tens of milliseconds at most. */
export const MAX_URL_TEXT: number = 2 * 1024 * 1024;
/** Size of a piece of work, some milliseconds. After each piece the limits are checked (SPEC B3). */
const PIECE_BYTES: number = 192 * 1024;

/** An error that the guest sees. */
export class Refusal extends Error {
  readonly refused: string;

  constructor(name: string, message: string) {
    super(message);
    this.refused = name;
  }
}

/** Checks the limits between two pieces of work. @throws {Refusal} if the guest must stop */
export function goOn({ isOver }: LocalEnvironment): void {
  if (isOver?.() === true) throw new Refusal("Interrupted", "The call has ended");
}

/** Yields pieces and checks the limits in between. @throws {Refusal} if the guest must stop */
export function* piecesOf(bytes: Uint8Array, env: LocalEnvironment): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    goOn(env);
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Returns an error for the guest, by name. */
export function errorAnswer(name: string, message: string): LocalAnswer {
  return { answer: `e${JSON.stringify({ name, message })}` };
}

/** Returns any JSON value. */
export function valueAnswer(value: unknown): LocalAnswer {
  return { answer: `v${JSON.stringify(value)}` };
}

/** Returns text, which must not contain U+0000. */
export function rawAnswer(text: string): LocalAnswer {
  return { answer: `s${text}` };
}

/** Returns text raw if possible, else as JSON. */
export function textAnswer(text: string, env: LocalEnvironment): LocalAnswer {
  if (!text.includes("\0")) return rawAnswer(text);
  let json = "";
  // A surrogate pair cut in half is written as two escapes, which form a pair again.
  for (let at = 0; at < text.length; at += PIECE_BYTES) {
    goOn(env);
    json += JSON.stringify(text.slice(at, at + PIECE_BYTES)).slice(1, -1);
  }
  return { answer: `v"${json}"` };
}

/** @throws {Refusal} if the text is longer than `maximum` characters @throws {SyntaxError} if it is not JSON */
export function readJson(text: string, maximum: number): unknown {
  if (text.length > maximum) throw new Refusal("RangeError", `The input is longer than ${maximum} characters`);
  return JSON.parse(text);
}

/** Reads a JSON string. @throws {Refusal} for anything else */
export function readString(text: string): string {
  // Other texts are not parsed: the tree of a text like `[[[…` would take too long.
  const value = text.startsWith('"') ? readJson(text, MAX_BYTES) : undefined;
  if (typeof value !== "string") throw new Refusal("TypeError", "The input is not a string");
  return value;
}

/** Members of an object from the guest, by name. */
export type Fields = ReadonlyMap<string, unknown>;

/** Reads a JSON object into a map, because the guest controls its keys. @throws {Refusal} for anything else */
export function readObject(text: string): Fields {
  if (!isBrief(text)) throw new Refusal("RangeError", `The input is longer than ${MAX_URL_TEXT} characters, or has too many members`);
  const value = readJson(text, MAX_URL_TEXT);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refusal("TypeError", "The input is not an object");
  return new Map(Object.entries(value));
}

/** @throws {Refusal} if the field is not a string */
export function readField(fields: Fields, key: string): string {
  const value = fields.get(key);
  if (typeof value !== "string") throw new Refusal("TypeError", `The field "${key}" is not a string`);
  return value;
}

const MAX_STRINGS = 32;
const MAX_OTHERS = 1_000;

/** True for a few strings of any length and little else, which bounds the size of the parsed tree. */
function isBrief(text: string): boolean {
  if (text.length > MAX_URL_TEXT) return false;
  let others = 0;
  let at = 0;
  for (let strings = 0; strings <= MAX_STRINGS; strings++) {
    const quote = text.indexOf('"', at);
    others += (quote === -1 ? text.length : quote) - at;
    if (quote === -1 || others > MAX_OTHERS) return others <= MAX_OTHERS;
    at = endOfString(text, quote);
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === "\\") before--;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}
