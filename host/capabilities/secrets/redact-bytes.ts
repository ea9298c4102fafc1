/** Redacts secrets in values that stay bytes, in slices: the result equals that of redacting the parsed value (SPEC C7, LV2). */

import { piecesOf } from "../../primitives/json/json-bytes.ts";
import { LARGE_BYTES } from "../../../sandbox/mod.ts";
import { decodeText, type LargeFacts } from "../../primitives/json/large.ts";
import type { ByteReplacer } from "./byte-search.ts";

export interface SecretSearch {
  /** For texts: replaces a secret by its name. */
  readonly text: () => ByteReplacer;
  /** For JSON: only finds secrets, in the form that `JSON.stringify` gives them. */
  readonly json: () => ByteReplacer;
}

const encoder = new TextEncoder();

/** Returns the same bytes if nothing is found. */
export function* redactBytes({ kind, bytes }: Pick<LargeFacts, "kind" | "bytes">, search: SecretSearch): Generator<void, Uint8Array> {
  if (kind === "text") return yield* replaced(bytes, search.text());
  const looking = search.json();
  for (const piece of piecesOf(bytes)) {
    looking.push(piece);
    if (looking.hasFound) return yield* joined(stringsReplaced(bytes, search), bytes.length);
    yield;
  }
  looking.end();
  return looking.hasFound ? yield* joined(stringsReplaced(bytes, search), bytes.length) : bytes;
}

function* replaced(bytes: Uint8Array, replacer: ByteReplacer): Generator<void, Uint8Array> {
  const out: Uint8Array[] = [];
  for (const piece of piecesOf(bytes)) {
    out.push(replacer.push(piece));
    yield;
  }
  out.push(replacer.end());
  return replacer.hasFound ? yield* joined(out, bytes.length) : bytes;
}

/** @param about expected length */
function* joined(pieces: Iterable<Uint8Array | undefined>, about: number): Generator<void, Uint8Array> {
  let whole = new Uint8Array(about);
  let length = 0;
  for (const piece of pieces) {
    // A pause without output.
    if (piece === undefined) yield;
    else {
      if (length + piece.length > whole.length) {
        const larger = new Uint8Array((length + piece.length) * 2);
        larger.set(whole.subarray(0, length));
        whole = larger;
      }
      whole.set(piece, length);
      length += piece.length;
      if (piece.length >= LARGE_BYTES) yield;
    }
  }
  return whole.subarray(0, length);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Redacts every string of the JSON, names of members included. Yields undefined after about 64 KB, to pause. */
function* stringsReplaced(bytes: Uint8Array, search: SecretSearch): Generator<Uint8Array | undefined, void> {
  let copied = 0;
  let paused = 0;
  for (let open = bytes.indexOf(QUOTE); open !== -1;) {
    const close = yield* closingQuote(bytes, open);
    const pieces = yield* stringReplaced(bytes.subarray(open + 1, close), search.text());
    if (pieces !== undefined) {
      yield* piecesOf(bytes.subarray(copied, open + 1));
      yield* pieces;
      copied = close;
    }
    if (close - paused >= LARGE_BYTES) {
      yield undefined;
      paused = close;
    }
    open = bytes.indexOf(QUOTE, close + 1);
  }
  yield* piecesOf(bytes.subarray(copied));
}

function* closingQuote(bytes: Uint8Array, open: number): Generator<undefined, number> {
  let at = open + 1;
  for (let paused = at; at < bytes.length && bytes[at] !== QUOTE; at += bytes[at] === BACKSLASH ? 2 : 1) {
    if (at - paused < LARGE_BYTES) continue;
    yield undefined;
    paused = at;
  }
  return at;
}

/** Redacts the text between the quotes; undefined if nothing is found. */
function* stringReplaced(inside: Uint8Array, replacer: ByteReplacer): Generator<undefined, readonly Uint8Array[] | undefined> {
  const out: Uint8Array[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const put = (redacted: Uint8Array, stream: boolean): void =>
    void out.push(encoder.encode(JSON.stringify(decoder.decode(redacted, { stream })).slice(1, -1)));
  for (let at = 0; at < inside.length;) {
    const end = wholeUntil(inside, at);
    // Cannot throw: the text between the quotes of valid JSON is valid in quotes.
    const text = JSON.parse(`"${decodeText(inside.subarray(at, end))}"`) as string;
    put(replacer.push(encoder.encode(text)), true);
    at = end;
    if (at < inside.length) yield undefined;
  }
  put(replacer.end(), false);
  return replacer.hasFound ? out : undefined;
}

/** Returns an end after about 64 KB that splits no character and no escape. */
function wholeUntil(inside: Uint8Array, from: number): number {
  let at = from;
  while (at < inside.length && at - from < LARGE_BYTES) {
    if (inside[at] !== BACKSLASH) at++;
    else at += inside[at + 1] === 0x75 ? 6 : 2;
  }
  while (at < inside.length && ((inside[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at++;
  return at;
}
