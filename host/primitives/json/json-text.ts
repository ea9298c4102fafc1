/** Parses JSON text from callers: bounded before it is parsed, and refused with the position of the first invalid character. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { JsonBounds } from "./json.ts";

/** The parsed value, or the reason for the refusal. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  /** Invalid JSON from UTF-16 unit `position` on. */
  | { readonly ok: false; readonly position: number }
  | { readonly ok: false; readonly tooLarge: "bytes" | "depth" | "members" };

/** Parses a text within bounds. */
export function readJsonText(text: string, bounds: JsonBounds): JsonText {
  if (text.length > bounds.maxBytes) return { ok: false, tooLarge: "bytes" };
  if (nesting(text, bounds.maxDepth) > bounds.maxDepth) return { ok: false, tooLarge: "depth" };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // Engines word their errors differently and may omit the position, so it is computed here.
    return { ok: false, position: firstWrongPosition(text) };
  }
}

/** Parses a text whose size is bounded already. Returns undefined if it is not JSON. */
export function tryJson(text: string): JsonValue | undefined {
  try {
    // The result of JSON.parse is JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Returns the nesting depth of brackets outside of strings; stops counting above `enough`. */
function nesting(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length && deepest <= enough; index++) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}

/** Returns the index of the closing quote of the string that opens at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
export const LITERAL: RegExp = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The tokens that may come next. */
export type Expected = "value" | "value-or-end" | "key-or-end" | "key" | "colon" | "after";

/**
 * Returns the first position that violates RFC 8259's grammar. Uses an explicit stack instead of recursion, because the text is untrusted.
 */
function firstWrongPosition(text: string): number {
  const open: ("[" | "{")[] = [];
  let expect: Expected = "value";
  let at = 0;
  for (;;) {
    at = match(SPACE, text, at);
    const character = text[at];
    const inside = open.at(-1);
    if (character === undefined) return at;
    if (expect === "after") {
      if (character === "," && inside !== undefined) expect = inside === "{" ? "key" : "value";
      else if ((character === "]" && inside === "[") || (character === "}" && inside === "{")) open.pop();
      else return at;
      at += 1;
    } else if (expect === "colon") {
      if (character !== ":") return at;
      expect = "value";
      at += 1;
    } else if (isEmptyEnd(expect, character)) {
      open.pop();
      expect = "after";
      at += 1;
    } else if (character === '"') {
      const end = wellFormedUntil(text, at + 1);
      if (text[end] !== '"') return end;
      expect = isKey(expect) ? "colon" : "after";
      at = end + 1;
    } else if (isKey(expect)) {
      return at;
    } else if (character === "[" || character === "{") {
      open.push(character);
      expect = character === "[" ? "value-or-end" : "key-or-end";
      at += 1;
    } else {
      const end = match(LITERAL, text, at);
      if (end === at) return at;
      expect = "after";
      at = end;
    }
  }
}

export function isKey(expect: Expected): boolean {
  return expect === "key" || expect === "key-or-end";
}

export function isEmptyEnd(expect: Expected, character: string): boolean {
  return (expect === "value-or-end" && character === "]") || (expect === "key-or-end" && character === "}");
}

/** Returns the index of the closing quote of the string whose content begins at `at`, or of the first invalid character. */
function wellFormedUntil(text: string, at: number): number {
  for (let index = at; ; index++) {
    const character = text[index];
    if (character === undefined || character === '"' || character < " ") return index;
    if (character !== "\\") continue;
    const end = match(ESCAPE, text, index);
    if (end === index) return index;
    index = end - 1;
  }
}

/** Returns the end of `pattern`'s match at `at`, or `at` without a match. */
export function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
