/** Parses large JSON text from callers in slices: the value is plain, frozen and measured (SPEC LV2). */

import type { JsonValue } from "../../../manifests/mod.ts";
import { noteSize } from "./known-size.ts";
import { utf8Bytes, type JsonBounds } from "./json.ts";
import { piecesOf } from "./json-bytes.ts";
import type { Large } from "./large.ts";
import { type Expected, isEmptyEnd, isKey, type JsonText, LITERAL, match, readJsonText } from "./json-text.ts";
import type { Slices } from "../../platform/platform.ts";

/** Maximum length of a text that is parsed at once, in characters. */
export const LARGE_TEXT: number = 64 * 1024;

/**
 * Maximum number of members of one object. Listing, sorting and freezing an object are single engine operations, whose time grows with the
 * number of members.
 */
export const MAX_MEMBERS = 10_000;

/** Like `readJsonText`; a large text is read in slices, and its objects may have at most `MAX_MEMBERS` members. */
export function readText(text: string, bounds: JsonBounds, slices: Slices): JsonText | Promise<JsonText> {
  return text.length <= LARGE_TEXT || text.length > bounds.maxBytes ? readJsonText(text, bounds) : slices.run(readSlices(text, bounds));
}

/** An open container. */
interface Frame {
  readonly list: JsonValue[] | undefined;
  readonly object: Record<string, JsonValue>;
  key: string;
  members: number;
  bytes: number;
  depth: number;
}

/** Parses a guest's JSON text or its UTF-8; returns undefined if it is not JSON within the bounds. The value is frozen and measured. */
export function* readLargeJson(text: string | Uint8Array, maxDepth: number): Generator<void, JsonValue | undefined> {
  const read = yield* readSlices(typeof text === "string" ? text : yield* decodeSlices(text), { maxBytes: Infinity, maxDepth });
  // The parsed value is JSON.
  return read.ok ? (read.value as JsonValue) : undefined;
}

function* decodeSlices(bytes: Uint8Array): Generator<void, string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for (const piece of piecesOf(bytes)) {
    text += decoder.decode(piece, { stream: true });
    yield;
  }
  return text + decoder.decode();
}

/** Parses a value that is kept as bytes. The result belongs to the caller and is neither frozen nor bounded again. */
export function* readLarge(large: Pick<Large, "kind" | "bytes">): Generator<void, JsonValue> {
  const text = yield* decodeSlices(large.bytes);
  if (large.kind === "text") return text;
  const read = yield* readSlices(text, { maxBytes: Infinity, maxDepth: Infinity }, { isReadersOwn: true });
  if (!read.ok) throw new Error("Cannot read a large value: its validated bytes are not JSON");
  // The parsed value is JSON.
  return read.value as JsonValue;
}

/** Drops members named `__proto__`, like `copyJson`. `isReadersOwn`: nothing is frozen or measured, and objects may have any size. */
export function* readSlices(
  text: string,
  { maxBytes, maxDepth }: JsonBounds,
  { isReadersOwn = false }: { readonly isReadersOwn?: boolean } = {},
): Generator<void, JsonText> {
  if (text.length > maxBytes) return { ok: false, tooLarge: "bytes" };
  const open: Frame[] = [];
  let expect: Expected = "value";
  let at = 0;
  let root: JsonValue = null;
  let steps = STEPS;

  function add(value: JsonValue, bytes: number, depth: number): void {
    const inside = open.at(-1);
    if (inside === undefined) {
      root = value;
      return;
    }
    if (inside.list === undefined && inside.key === "__proto__") return;
    inside.bytes += bytes + 1;
    inside.depth = Math.max(inside.depth, depth);
    if (inside.list !== undefined) inside.list.push(value);
    else {
      if (!Object.hasOwn(inside.object, inside.key)) inside.members++;
      inside.object[inside.key] = value;
    }
  }

  function close(): void {
    const frame = open.pop();
    if (frame === undefined) return;
    const value = frame.list ?? frame.object;
    if (!isReadersOwn) noteSize(Object.freeze(value), frame);
    add(value, frame.bytes, frame.depth + 1);
  }

  for (;;) {
    if (--steps <= 0) {
      steps = STEPS;
      yield;
    }
    const from = at;
    at = match(SPACE, text, at);
    steps -= (at - from) >> 5;
    // A run of white space is read in pieces, too.
    if (at - from === MAX_SPACE) continue;
    const character = text[at];
    const inside = open.at(-1);
    if (character === undefined)
      return expect === "after" && inside === undefined ? { ok: true, value: root } : { ok: false, position: at };
    if (expect === "after") {
      if (character === "," && inside !== undefined) expect = inside.list === undefined ? "key" : "value";
      else if (inside !== undefined && character === (inside.list === undefined ? "}" : "]")) close();
      else return { ok: false, position: at };
      at += 1;
    } else if (expect === "colon") {
      if (character !== ":") return { ok: false, position: at };
      expect = "value";
      at += 1;
    } else if (isEmptyEnd(expect, character)) {
      close();
      expect = "after";
      at += 1;
    } else if (character === '"') {
      let string = "";
      let bytes = 2;
      at += 1;
      while (text[at] !== '"') {
        const end = match(CHARACTERS, text, at);
        if (end === at) return { ok: false, position: at };
        const piece = text.slice(at, end);
        const read = piece.includes("\\") ? (JSON.parse(`"${piece}"`) as string) : piece;
        string += read;
        bytes += utf8Bytes(read, Infinity);
        steps -= (end - at) >> 5;
        at = end;
        if (steps <= 0) {
          steps = STEPS;
          yield;
        }
      }
      at += 1;
      if (!isKey(expect) || inside === undefined) {
        add(string, bytes, 0);
        expect = "after";
      } else {
        inside.key = string;
        if (string !== "__proto__") inside.bytes += bytes + 1;
        if (inside.members >= (isReadersOwn ? Infinity : MAX_MEMBERS) && !Object.hasOwn(inside.object, string))
          return { ok: false, tooLarge: "members" };
        expect = "colon";
      }
    } else if (isKey(expect)) {
      return { ok: false, position: at };
    } else if (character === "[" || character === "{") {
      if (open.length >= maxDepth) return { ok: false, tooLarge: "depth" };
      open.push({ list: character === "[" ? [] : undefined, object: {}, key: "", members: 0, bytes: 2, depth: 0 });
      expect = character === "[" ? "value-or-end" : "key-or-end";
      at += 1;
    } else {
      const end = match(LITERAL, text, at);
      if (end === at) return { ok: false, position: at };
      const value = JSON.parse(text.slice(at, end)) as JsonValue;
      add(value, typeof value === "number" ? 1 : 4, 0);
      expect = "after";
      steps -= (end - at) >> 5;
      at = end;
    }
  }
}

/** Tokens per slice; 32 characters of a long one count as one. */
const STEPS = 1_000;
const MAX_SPACE = 8_192;
const SPACE = /[ \t\n\r]{0,8192}/y;
/** Matches one character at a time, to limit backtracking, and a bounded number of them. */
const CHARACTERS = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,8192}/y;
