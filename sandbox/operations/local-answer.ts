/** What operations of the worker itself get and give, and how they read their input. */

import type { Codec } from "./codec.ts";
import type { Digest, Supports } from "./subtle.ts";

/** What a local operation may use of the world: the call's own, so that it can be recorded and seeded (SPEC B6). */
export interface LocalEnvironment {
  /** Milliseconds; only differences mean something. */
  monotonicMs(): number;
  randomBytes(count: number): Uint8Array;
  /** Absent where nothing compresses: the operation then says so. */
  readonly codec?: Codec;
  /** Absent where nothing hashes. */
  readonly hash?: Digest;
  /** Absent where there is no cryptography. */
  readonly supports?: Supports;
  /** Absent where the runtime's own decoders are right. */
  readonly legacyDecoders?: LegacyDecoders | undefined;
  /** Whether the guest must stop: what takes long asks between two pieces. Absent where nothing ends it. */
  readonly isOver?: () => boolean;
}

/** A decoder, as of `TextDecoder`. */
export interface Decoding {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
}

/** A new decoder of an encoding, by its name in the standard; undefined for those that the runtime reads right. */
export type LegacyDecoders = (encoding: string, fatal: boolean) => Decoding | undefined;

export interface LocalAnswer {
  /** Tagged as in `guest/protocol.ts`: `v` + JSON, `s` + raw text without U+0000, or `e` + JSON `{ name, message }`. */
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Answers every input. `text` is JSON, but raw for `text.encode`, `text.atob` and `text.btoa`. */
export type LocalOperation = (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) => LocalAnswer;

/** Hard ceiling of one operation's payload (SPEC B3). */
export const MAX_BYTES: number = 64 * 1024 * 1024;
/** A URL, a label, an operation's options. The runtime reads them in one go, which takes some tens of milliseconds at most. */
export const MAX_URL_TEXT: number = 2 * 1024 * 1024;
/** Work on so many bytes takes some milliseconds: after each such piece it is asked whether to go on (SPEC B3). */
export const PIECE_BYTES: number = 192 * 1024;

/** An error that the guest is to see. */
export class Refusal extends Error {
  readonly refused: string;

  constructor(name: string, message: string) {
    super(message);
    this.refused = name;
  }
}

/** Between two pieces of work. @throws {Refusal} if the guest must stop. */
export function goOn({ isOver }: LocalEnvironment): void {
  if (isOver?.() === true) throw new Refusal("Interrupted", "The call has ended");
}

/** @throws {Refusal} between two of them if the guest must stop. */
export function* piecesOf(bytes: Uint8Array, env: LocalEnvironment): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    goOn(env);
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

/** No bytes. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** An error for the guest, by name. */
export function errorAnswer(name: string, message: string): LocalAnswer {
  return { answer: `e${JSON.stringify({ name, message })}` };
}

/** Any JSON value. */
export function valueAnswer(value: unknown): LocalAnswer {
  return { answer: `v${JSON.stringify(value)}` };
}

/** Text without U+0000. */
export function rawAnswer(text: string): LocalAnswer {
  return { answer: `s${text}` };
}

/** Raw where the boundary can carry it, else JSON. */
export function textAnswer(text: string, env: LocalEnvironment): LocalAnswer {
  if (!text.includes("\0")) return rawAnswer(text);
  let json = "";
  // Halves of a pair that is cut are written as escapes, which are a pair again.
  for (let at = 0; at < text.length; at += PIECE_BYTES) {
    goOn(env);
    json += JSON.stringify(text.slice(at, at + PIECE_BYTES)).slice(1, -1);
  }
  return { answer: `v"${json}"` };
}

/** @throws {Refusal} if it is longer than `maximum` characters. @throws {SyntaxError} if it is not JSON. */
export function readJson(text: string, maximum: number): unknown {
  if (text.length > maximum) throw new Refusal("RangeError", `The input is longer than ${maximum} characters`);
  return JSON.parse(text);
}

/** A JSON string. @throws {Refusal} for anything else. */
export function readString(text: string): string {
  // Nothing else is parsed: the tree of a text like `[[[…` takes longer than anybody waits.
  const value = text.startsWith('"') ? readJson(text, MAX_BYTES) : undefined;
  if (typeof value !== "string") throw new Refusal("TypeError", "The input is not a string");
  return value;
}

/** What came from the guest, by key. */
export type Fields = ReadonlyMap<string, unknown>;

/** The fields of a JSON object in a map: keys come from the guest. @throws {Refusal} for anything else. */
export function readObject(text: string): Fields {
  if (!isBrief(text)) throw new Refusal("RangeError", `The input is longer than ${MAX_URL_TEXT} characters, or has too many members`);
  const value = readJson(text, MAX_URL_TEXT);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refusal("TypeError", "The input is not an object");
  return new Map(Object.entries(value));
}

/** @throws {Refusal} if the field is not a string. */
export function readField(fields: Fields, key: string): string {
  const value = fields.get(key);
  if (typeof value !== "string") throw new Refusal("TypeError", `The field "${key}" is not a string`);
  return value;
}

const MAX_STRINGS = 32;
const MAX_OTHERS = 1_000;

/** A few strings, of any length, and little else: no tree of a million values. */
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
