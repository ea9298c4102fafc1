/** Base64 for JSON, by lookup tables: `btoa` needs a binary string of the bytes first, which takes 30 times as long. */

import { joined } from "../../primitives/json/json-bytes.ts";

const ALPHABET = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const PADDING = "=".charCodeAt(0);
const NONE = 0xff;
const VALUES = new Uint8Array(256).fill(NONE);
for (const [value, character] of ALPHABET.entries()) VALUES[character] = value;

export function toBase64(bytes: Uint8Array): string {
  return new TextDecoder().decode(encoded(bytes));
}

function encoded(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const left = bytes.length - at;
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text[to] = ALPHABET[three >> 18] ?? 0;
    text[to + 1] = ALPHABET[(three >> 12) & 63] ?? 0;
    if (left > 1) text[to + 2] = ALPHABET[(three >> 6) & 63] ?? 0;
    if (left > 2) text[to + 3] = ALPHABET[three & 63] ?? 0;
  }
  return text;
}

/** Decodes the output of `toBase64`. Returns undefined for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  const { length } = text;
  if (length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  for (let at = 0, to = 0; at < length; at += 4, to += 3) {
    const isEnd = at + 4 === length;
    const a = valueAt(text, at);
    const b = valueAt(text, at + 1);
    const c = isEnd && padding > 1 ? 0 : valueAt(text, at + 2);
    const d = isEnd && padding > 0 ? 0 : valueAt(text, at + 3);
    if ((a | b | c | d) > 63) return undefined;
    const three = (a << 18) | (b << 12) | (c << 6) | d;
    bytes[to] = three >> 16;
    if (to + 1 < bytes.length) bytes[to + 1] = three >> 8;
    if (to + 2 < bytes.length) bytes[to + 2] = three;
  }
  return bytes;
}

/** Encodes like `toBase64`, in pieces of 64 KB of ASCII. */
export function* toBase64Slices(bytes: Uint8Array): Generator<void, readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(encoded(bytes.subarray(at, at + PIECE_BYTES)));
    yield;
  }
  return pieces;
}

/** Decodes like `fromBase64`, one piece at a time. */
export function* fromBase64Slices(text: string): Generator<void, Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    const piece = fromBase64(text.slice(at, at + PIECE_LENGTH));
    // Only the last piece may be padded.
    const isPadded = piece !== undefined && piece.length < PIECE_BYTES && at + PIECE_LENGTH < text.length;
    if (piece === undefined || isPadded) return undefined;
    parts.push(piece);
    yield;
  }
  return yield* joined(parts);
}

/** A multiple of three, so that only the last piece is padded; `PIECE_LENGTH` is its encoded length. */
const PIECE_BYTES = 48 * 1024;
const PIECE_LENGTH = 64 * 1024;

function valueAt(text: string, index: number): number {
  const character = text.charCodeAt(index);
  return character < VALUES.length ? (VALUES[character] ?? NONE) : NONE;
}
