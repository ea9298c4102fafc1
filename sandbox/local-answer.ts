/** What operations of the worker itself get and give, and how they read their input. */

import type { Codec } from "./codec.ts";
import type { Digest } from "./subtle.ts";

/** What a local operation may use of the world: the call's own, so that it can be recorded and seeded (SPEC B6). */
export interface LocalEnvironment {
  /** Milliseconds; only differences mean something. */
  monotonicMs(): number;
  randomBytes(count: number): Uint8Array;
  /** Absent where nothing compresses: the operation then says so. */
  readonly codec?: Codec;
  /** Absent where nothing hashes. */
  readonly hash?: Digest;
}

export interface LocalAnswer {
  /** Tagged as in `guest/protocol.ts`: `v` + JSON, `s` + raw text without U+0000, or `e` + JSON `{ name, message }`. */
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Answers every input. `text` is JSON, but raw for `text.encode`, `text.atob` and `text.btoa`. */
export type LocalOperation = (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) => LocalAnswer;

/** Hard ceiling of one operation's payload (SPEC B3). */
export const MAX_BYTES: number = 64 * 1024 * 1024;
/** A URL, a query, a label, an operation's options: far more than any that works elsewhere. */
export const MAX_URL_TEXT: number = 8 * 1024 * 1024;

/** An error that the guest is to see. */
export class Refusal extends Error {
  readonly refused: string;

  constructor(name: string, message: string) {
    super(message);
    this.refused = name;
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
export function textAnswer(text: string): LocalAnswer {
  return text.includes("\0") ? valueAnswer(text) : rawAnswer(text);
}

/** @throws {Refusal} if it is longer than `maximum` characters. @throws {SyntaxError} if it is not JSON. */
export function readJson(text: string, maximum: number): unknown {
  if (text.length > maximum) throw new Refusal("RangeError", `The input is longer than ${maximum} characters`);
  return JSON.parse(text);
}

/** A JSON string. @throws {Refusal} for anything else. */
export function readString(text: string): string {
  const value = readJson(text, MAX_BYTES);
  if (typeof value !== "string") throw new Refusal("TypeError", "The input is not a string");
  return value;
}

/** What came from the guest, by key. */
export type Fields = ReadonlyMap<string, unknown>;

/** The fields of a JSON object in a map: keys come from the guest. @throws {Refusal} for anything else. */
export function readObject(text: string): Fields {
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
