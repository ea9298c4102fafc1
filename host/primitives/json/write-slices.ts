/** Serializes and hashes JSON values in slices (SPEC LV2). */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { REDACTED } from "./redact-fields.ts";
import type { RunningHash } from "../../platform/platform.ts";
import { compareText } from "../digest.ts";

interface WriteOptions {
  /** Whether to sort members, so that equal values have the same text. */
  readonly sorted?: boolean;
  /** Returns the JSON of a value that is not plain, in pieces; undefined for any other value. */
  readonly leaf?: (item: object) => Iterable<string> | undefined;
  /** Members whose values are hidden. */
  readonly isHidden?: (name: string) => boolean;
}

/** Returns the value's JSON as one text. */
export function* writeSlices(value: JsonValue, options: WriteOptions = {}): Generator<void, string> {
  const pieces: string[] = [];
  for (const piece of jsonPieces(value, options)) {
    pieces.push(piece);
    yield;
  }
  return pieces.join("");
}

/** Returns the value's JSON in UTF-8, in parts. */
export function* encodeSlices(value: JsonValue, options: WriteOptions = {}): Generator<void, readonly Uint8Array[]> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (const piece of jsonPieces(value, options)) {
    parts.push(encoder.encode(piece));
    yield;
  }
  return parts;
}

/** Returns the SHA-256 of the value's canonical text in hexadecimal, as in `hashOf`, and the text's length in UTF-8. */
export function* hashSlices(
  value: JsonValue,
  sha256: () => RunningHash,
): Generator<void, { readonly sha256: string; readonly bytes: number }> {
  const hash = sha256();
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const piece of jsonPieces(value, { sorted: true })) {
    const encoded = encoder.encode(piece);
    hash.update(encoded);
    bytes += encoded.length;
    yield;
  }
  return { sha256: hash.hex(), bytes };
}

/** A container whose members are being written. */
interface Frame {
  readonly list: readonly JsonValue[] | undefined;
  readonly object: Readonly<Record<string, JsonValue>>;
  readonly keys: readonly string[];
  next: number;
}

const PIECE = 8_192;

/** Yields the JSON in pieces. No piece splits a character, and the longest is about twelve times `PIECE`. */
export function* jsonPieces(value: JsonValue, { sorted = false, isHidden, leaf }: WriteOptions): Generator<string, void> {
  const open: Frame[] = [];
  let text = "";
  let next: JsonValue | undefined = value;
  for (;;) {
    if (next === undefined) {
      const frame = open.at(-1);
      if (frame === undefined) break;
      const { list, object, keys } = frame;
      const index = frame.next++;
      if (index === (list ?? keys).length) {
        text += list === undefined ? "}" : "]";
        open.pop();
        continue;
      }
      if (index > 0) text += ",";
      const key = keys[index] ?? "";
      if (list === undefined) text += `${JSON.stringify(key)}:`;
      next = list === undefined && isHidden?.(key) === true ? REDACTED : ((list === undefined ? object[key] : list[index]) ?? null);
    }
    const item: JsonValue = next;
    next = undefined;
    const own = leaf !== undefined && typeof item === "object" && item !== null ? leaf(item) : undefined;
    if (own !== undefined) {
      yield text;
      yield* own;
      text = "";
    } else if (typeof item === "string" && item.length > PIECE) {
      text += '"';
      for (let at = 0; at < item.length;) {
        const end = endOfPiece(item, at + PIECE);
        yield text + JSON.stringify(item.slice(at, end)).slice(1, -1);
        text = "";
        at = end;
      }
      text += '"';
    } else if (isJsonArray(item)) {
      text += "[";
      open.push({ list: item, object: {}, keys: [], next: 0 });
    } else if (isJsonObject(item)) {
      text += "{";
      open.push({ list: undefined, object: item, keys: sorted ? inOrder(Object.keys(item)) : Object.keys(item), next: 0 });
    } else text += JSON.stringify(item);
    if (text.length < PIECE) continue;
    yield text;
    text = "";
  }
  yield text;
}

/** Yields a text in pieces that do not split a character. */
export function* textPieces(text: string): Generator<string, void> {
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at + PIECE);
    yield text.slice(at, end);
    at = end;
  }
}

function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

/** Returns the order of an object with sorted members: names that are array indexes come first. */
function inOrder(keys: readonly string[]): readonly string[] {
  return Object.keys(Object.fromEntries(keys.toSorted(compareText).map((key) => [key, 0])));
}
