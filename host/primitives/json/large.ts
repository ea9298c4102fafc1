/**
 * Values above 64 KB that stay bytes: the host passes them on, cuts them and hashes them without parsing (SPEC LV2).
 *
 * An object holds such a value in a member that is parsed on access. `toPieces` writes the object and keeps the bytes as they are.
 */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { JsonShape } from "./json-scan.ts";

/** Facts about a large value. */
export interface LargeFacts {
  /** `text`: a string in UTF-8. `json`: JSON text on one line. */
  readonly kind: "text" | "json";
  readonly bytes: Uint8Array;
  readonly shape: JsonShape;
  /** Length as JSON. */
  readonly jsonBytes: number;
  /** Hash of the bytes, in hexadecimal; absent for a truncated value. */
  readonly sha256?: string;
  /** Whether the value is a string in base64. */
  readonly isBase64?: boolean;
}

/** A value as validated, immutable bytes. */
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

  /** Parses the whole value on the calling thread. Returns the same object while it is referenced. */
  get value(): JsonValue {
    const known = this.#parsed?.deref();
    // Set below.
    if (known !== undefined) return known as JsonValue;
    const text = decodeText(this.bytes);
    if (this.kind === "text") return text;
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === "object" && value !== null) this.#parsed = new WeakRef(value);
    return value;
  }

  /** Returns the same bytes as a string: JSON within JSON. */
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

/** Defines a member of `holder` that is parsed on access. Spreading the holder reads it, `copyHolder` does not. */
export function holdLarge(holder: object, key: string, large: Large): void {
  const held = HELD.get(holder) ?? new Map<string, Large>();
  held.set(key, large);
  HELD.set(holder, held);
  const get = (): unknown => (placed === undefined ? large.value : place(large, placed));
  Object.defineProperty(holder, key, { get, enumerable: true, configurable: true });
}

/** Returns the bytes that an object holds in a member; undefined for a plain value or a missing member. */
export function largeIn(holder: object, key: string): Large | undefined {
  return HELD.get(holder)?.get(key);
}

/** Copies like `{ ...holder, ...changes }`, without parsing members that are held as bytes. */
export function copyHolder<T extends object>(holder: T, changes: Partial<T> = {}): T {
  const held = HELD.get(holder);
  if (held === undefined) return { ...holder, ...changes };
  const members = Object.keys(holder).filter((key) => !held.has(key));
  // Every member of T exists: from the holder, from the changes, or held.
  const copy = { ...Object.fromEntries(members.map((key) => [key, Reflect.get(holder, key)])), ...changes } as T;
  for (const [key, large] of held) if (!Object.hasOwn(changes, key)) holdLarge(copy, key, large);
  return copy;
}

/** A piece of JSON text, or a large value in between. */
export type JsonPiece = string | Large;

/** Set while an object is serialized: members that are held as bytes then read as marks. */
let placed: Large[] | undefined;

/** Serializes like `JSON.stringify`, with held bytes as separate pieces. Returns one piece if there are none. */
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

/** Returns the UTF-8 length of a value's JSON, without writing the held bytes. */
export function jsonLength(value: unknown): number {
  return toPieces(value).reduce((total, piece) => total + (typeof piece === "string" ? encoder.encode(piece).length : piece.jsonBytes), 0);
}

/** Cannot collide with text from `JSON.stringify`, which never escapes a solidus. */
const MARK = /"\\\/(\d+)"/;

function place(large: Large, among: Large[]): unknown {
  const mark = `"\\/${among.push(large) - 1}"`;
  // `JSON.rawJSON` is in ECMA-262, Node 24 and Deno 2.9, but not yet in the types.
  return Reflect.apply(Reflect.get(JSON, "rawJSON") as (text: string) => unknown, JSON, [mark]);
}
