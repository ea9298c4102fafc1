/**
 * Values above 64 KB, which stay bytes: the host passes them on, cuts them and hashes them without parsing (SPEC LV2).
 *
 * An object holds one in a member that is parsed when it is read. `toPieces` writes such an object and leaves the bytes as they are.
 */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { JsonShape } from "./json-scan.ts";

/** What is known of a large value. */
export interface LargeFacts {
  /** `text`: a string, whose UTF-8 the bytes are. `json`: JSON text in one line. */
  readonly kind: "text" | "json";
  readonly bytes: Uint8Array;
  readonly shape: JsonShape;
  /** How long it is as JSON. */
  readonly jsonBytes: number;
  /** Of the bytes, in hexadecimal; absent for a beginning that was cut off for somebody who takes no more. */
  readonly sha256?: string;
  /** A string in base64. */
  readonly isBase64?: boolean;
}

/** A value as its bytes. They have been checked, and nobody changes them. */
export class Large {
  readonly kind: LargeFacts["kind"];
  readonly bytes: Uint8Array;
  readonly shape: JsonShape;
  readonly jsonBytes: number;
  readonly sha256: string | undefined;
  readonly isBase64: boolean;
  #parsed: WeakRef<object> | undefined;

  constructor({ kind, bytes, shape, jsonBytes, sha256, isBase64 = false }: LargeFacts) {
    this.kind = kind;
    this.bytes = bytes;
    this.shape = shape;
    this.jsonBytes = jsonBytes;
    this.sha256 = sha256;
    this.isBase64 = isBase64;
  }

  /** Parses all of it, on the thread of whoever reads it. The same object for as long as somebody holds it. */
  get value(): JsonValue {
    const known = this.#parsed?.deref();
    // What was kept below.
    if (known !== undefined) return known as JsonValue;
    const text = decodeText(this.bytes);
    if (this.kind === "text") return text;
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === "object" && value !== null) this.#parsed = new WeakRef(value);
    return value;
  }

  /** The same bytes as a string: JSON within JSON. */
  asText(): Large {
    const { bytes, shape, jsonBytes } = this;
    return this.kind === "text" ? this : new Large({ kind: "text", bytes, shape, jsonBytes });
  }
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const encoder = new TextEncoder();
const HELD = new WeakMap<object, Map<string, Large>>();

/** Gives `holder` a member that is parsed when it is read. Copying it by spreading reads it, `copyHolder` does not. */
export function holdLarge(holder: object, key: string, large: Large): void {
  const held = HELD.get(holder) ?? new Map<string, Large>();
  held.set(key, large);
  HELD.set(holder, held);
  const get = (): unknown => (placed === undefined ? large.value : place(large, placed));
  Object.defineProperty(holder, key, { get, enumerable: true, configurable: true });
}

/** What an object holds as bytes in a member; undefined where it holds a plain value, or nothing. */
export function largeIn(holder: object, key: string): Large | undefined {
  return HELD.get(holder)?.get(key);
}

/** `{ ...holder, ...changes }` without reading what is held as bytes. */
export function copyHolder<T extends object>(holder: T, changes: Partial<T> = {}): T {
  const held = HELD.get(holder);
  if (held === undefined) return { ...holder, ...changes };
  const members = Object.keys(holder).filter((key) => !held.has(key));
  // Every member of T is there: from the holder, from the changes, or held.
  const copy = { ...Object.fromEntries(members.map((key) => [key, Reflect.get(holder, key)])), ...changes } as T;
  for (const [key, large] of held) if (!Object.hasOwn(changes, key)) holdLarge(copy, key, large);
  return copy;
}

/** JSON text and the large values between. */
export type JsonPiece = string | Large;

/** Set while an object is written: what it holds as bytes then reads as a mark. */
let placed: Large[] | undefined;

/** As `JSON.stringify`, but for what is held as bytes. One piece where nothing is. */
export function toPieces(value: unknown): readonly JsonPiece[] {
  const found: Large[] = [];
  placed = found;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    placed = undefined;
  }
  if (found.length === 0) return [text];
  return text.split(MARK).map((piece, index) => (index % 2 === 0 ? piece : (found[Number(piece)] ?? "null")));
}

/** How long the JSON of a value is in UTF-8, without writing what it holds as bytes. */
export function jsonLength(value: unknown): number {
  return toPieces(value).reduce((total, piece) => total + (typeof piece === "string" ? encoder.encode(piece).length : piece.jsonBytes), 0);
}

/** No text that `JSON.stringify` writes has `"\/` in it: it escapes no solidus. */
const MARK = /"\\\/(\d+)"/;

function place(large: Large, among: Large[]): unknown {
  const mark = `"\\/${among.push(large) - 1}"`;
  // ECMA-262 has it, Node 24 and Deno 2.9 too; the types do not yet.
  return Reflect.apply(Reflect.get(JSON, "rawJSON") as (text: string) => unknown, JSON, [mark]);
}
