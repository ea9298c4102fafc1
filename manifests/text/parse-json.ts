/**
 * Strict JSON parser (RFC 8259) that records the place of every value.
 *
 * One pass without recursion, so neither depth nor length can overflow the stack. Stricter than `JSON.parse` where two readers
 * could understand a document differently: duplicate keys, `__proto__` and numbers out of range are refused.
 */

import { pointerToken, type JsonValue } from "./json.ts";
import { jsonAdvice, type MissingMark } from "./json-advice.ts";
import { printable } from "./names.ts";
import type { Parsed, Problem } from "./problem.ts";
import { utf8Length } from "./utf8-length.ts";

/** `maxBytes` counts UTF-8; `maxDepth` counts nested arrays and objects. */
export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** Line and column from 1; columns are UTF-16 units, as in editors. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A parsed JSON text with the places of its values. */
export interface LocatedJson {
  /** Objects have no prototype. */
  readonly value: JsonValue;
  /** Returns the start of the value at an RFC 6901 pointer, or of its member's key; undefined if the document has no such place. */
  readonly locate: (pointer: string, part?: "value" | "key") => TextPosition | undefined;
}

/**
 * Parses a JSON text, or returns its problems with their places.
 *
 * A syntax error ends the parsing: `Invalid JSON: unexpected token at position 12`. Duplicate and `__proto__` keys are all
 * listed.
 *
 * @example
 * ```ts
 * const parsed = parseJson('{"a": [1, true]}', { maxBytes: 1_000, maxDepth: 10 });
 * if (parsed.ok) parsed.value.locate("/a/1"); // { line: 1, column: 11 }
 * ```
 */
export function parseJson(text: string, bounds: JsonBounds): Parsed<LocatedJson> {
  const reading = parseJsonSlices(text, bounds);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** Like `parseJson`, in slices of a thousand values, for large texts. */
export function* parseJsonSlices(text: string, bounds: JsonBounds): Generator<void, Parsed<LocatedJson>> {
  const bytes = utf8Length(text, bounds.maxBytes);
  if (bytes > bounds.maxBytes) {
    return {
      ok: false,
      problems: [{ severity: "error", pointer: "", message: `Document is larger than ${bounds.maxBytes} bytes`, fix: "make it smaller" }],
    };
  }
  const reader = new Reader(text, bounds.maxDepth, undefined);
  const outcome = yield* reader.read();
  if (outcome.problems.length > 0) return { ok: false, problems: outcome.problems };

  let places: Places | undefined;
  return {
    ok: true,
    warnings: [],
    value: {
      value: outcome.value,
      locate(pointer, part = "value"): TextPosition | undefined {
        places ??= indexPlaces(text, bounds.maxDepth);
        const offset = (part === "key" ? places.keys.get(pointer) : undefined) ?? places.values.get(pointer);
        return offset === undefined ? undefined : positionAt(text, offset);
      },
    },
  };
}

/** Returns line and column of a UTF-16 offset in `text`. */
function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let start = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  for (let i = 0; i < offset; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) {
      line++;
      start = i + 1;
    }
  }
  return { line, column: offset - start + 1 };
}

const BYTE_ORDER_MARK = 0xfeff;
const MAX_PROBLEMS = 50;
const VALUES_A_SLICE = 1_000;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

interface Places {
  readonly values: Map<string, number>;
  readonly keys: Map<string, number>;
}

/** Built only after an error, so that parsing a valid document keeps no table. */
function indexPlaces(text: string, maxDepth: number): Places {
  const places: Places = { values: new Map(), keys: new Map() };
  const reading = new Reader(text, maxDepth, places).read();
  while (reading.next().done !== true);
  return places;
}

interface Frame {
  /** Exactly one of the two is set. */
  readonly list?: JsonValue[];
  readonly object?: Record<string, JsonValue>;
  readonly pointer: string;
  key: string;
}

/** Ends the parsing; caught in `read`. */
class SyntaxStop extends Error {
  readonly offset: number;
  readonly fix: string;
  constructor(offset: number, message: string, fix: string) {
    super(message);
    this.offset = offset;
    this.fix = fix;
  }
}

class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #places: Places | undefined;
  readonly #stack: Frame[] = [];
  readonly #problems: Problem[] = [];
  #at = 0;

  constructor(text: string, maxDepth: number, places: Places | undefined) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#places = places;
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.#at = 1;
  }

  *read(): Generator<void, { readonly value: JsonValue; readonly problems: readonly Problem[] }> {
    try {
      return { value: yield* this.#document(), problems: this.#problems };
    } catch (stop) {
      if (!(stop instanceof SyntaxStop)) throw stop;
      const { message, fix } = stop;
      const place = positionAt(this.#text, stop.offset);
      return { value: null, problems: [{ severity: "error", pointer: "", ...place, message, fix }, ...this.#problems] };
    }
  }

  *#document(): Generator<void, JsonValue> {
    let done = this.#value();
    for (let values = 1; ; values++) {
      if (values % VALUES_A_SLICE === 0) yield;
      const frame = this.#stack.at(-1);
      if (frame === undefined) {
        this.#space();
        if (this.#at < this.#text.length || done === undefined) throw this.#unexpected(this.#at, "end");
        return done;
      }
      // An undefined value is a container just opened; any other value is added to the innermost container.
      if (done !== undefined) this.#put(frame, done);
      done = this.#next(frame, done === undefined) ? this.#value() : this.#close(frame);
    }
  }

  /** Reads a scalar, or opens a container and returns undefined. */
  #value(): JsonValue | undefined {
    this.#space();
    const start = this.#at;
    this.#places?.values.set(this.#pointer(), start);
    const char = this.#text[start];
    if (char === "{" || char === "[") return this.#open(char);
    if (char === '"') return this.#string();
    if (char === "t") return this.#word("true", true);
    if (char === "f") return this.#word("false", false);
    if (char === "n") return this.#word("null", null);
    return this.#number();
  }

  #open(char: "{" | "["): undefined {
    if (this.#stack.length >= this.#maxDepth)
      throw new SyntaxStop(this.#at, `Document is nested deeper than ${this.#maxDepth} levels`, "make it flatter");
    const pointer = this.#places === undefined ? "" : this.#pointer();
    this.#at++;
    // A null prototype, because keys come from outside.
    this.#stack.push(
      char === "[" ? { list: [], pointer, key: "" } : { object: Object.create(null) as Record<string, JsonValue>, pointer, key: "" },
    );
    return undefined;
  }

  /** Moves to the next value of a container and, in an object, past its key; false at the container's end. */
  #next(frame: Frame, isFirst: boolean): boolean {
    this.#space();
    const char = this.#text[this.#at];
    if (char === (frame.list === undefined ? "}" : "]")) return false;
    if (!isFirst) {
      if (char !== ",") throw this.#unexpected(this.#at, ",");
      this.#at++;
      this.#space();
    }
    if (frame.object !== undefined) this.#key(frame, frame.object);
    return true;
  }

  #key(frame: Frame, object: Record<string, JsonValue>): void {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#unexpected();
    frame.key = this.#string();
    if (frame.key === "__proto__") this.#refuse(start, 'Key "__proto__" is not allowed', "remove it");
    else if (Object.hasOwn(object, frame.key)) this.#refuse(start, `Duplicate key "${printable(frame.key)}"`, "keep one of them");
    this.#places?.keys.set(this.#pointer(), start);
    this.#space();
    if (this.#text[this.#at] !== ":") throw this.#unexpected(this.#at, ":");
    this.#at++;
  }

  #put(frame: Frame, value: JsonValue): void {
    if (frame.list !== undefined) frame.list.push(value);
    else if (frame.object !== undefined && frame.key !== "__proto__") frame.object[frame.key] = value;
  }

  #close(frame: Frame): JsonValue {
    this.#at++;
    this.#stack.pop();
    return frame.list ?? frame.object ?? null;
  }

  #string(): string {
    const start = this.#at;
    let escaped = false;
    for (let i = start + 1; ; i++) {
      const unit = this.#text.charCodeAt(i);
      if (unit === 0x22) {
        this.#at = i + 1;
        return escaped ? this.#unescape(start) : this.#text.slice(start + 1, i);
      }
      if (unit === 0x5c) {
        escaped = true;
        i++;
      }
      // NaN past the end fails the comparison too.
      if (!(unit >= 0x20)) throw this.#unexpected(i);
    }
  }

  #unescape(start: number): string {
    const written = this.#text.slice(start, this.#at);
    const wrong = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(written.replaceAll("\\\\", "__"));
    if (wrong !== null) throw this.#unexpected(start + wrong.index + 1);
    try {
      // The text is a string literal, so the result is a string.
      return JSON.parse(written) as string;
    } catch {
      // After a backslash only a control character is left as an error.
      throw this.#unexpected(start);
    }
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    for (const char of word) {
      if (this.#text[this.#at] !== char) throw this.#unexpected();
      this.#at++;
    }
    return value;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const written = NUMBER.exec(this.#text)?.[0];
    if (written === undefined) throw this.#unexpected();
    const value = Number(written);
    if (!Number.isFinite(value)) throw new SyntaxStop(this.#at, `Number "${printable(written)}" is out of range`, "write a smaller one");
    this.#at += written.length;
    return value;
  }

  #space(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #pointer(): string {
    const frame = this.#stack.at(-1);
    return frame === undefined || this.#places === undefined ? "" : frame.pointer + ownToken(frame);
  }

  #refuse(offset: number, message: string, fix: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const pointer = this.#stack.map(ownToken).join("");
    this.#problems.push({ severity: "error", pointer, ...positionAt(this.#text, offset), message, fix });
  }

  #unexpected(from: number = this.#at, missing?: MissingMark): SyntaxStop {
    const offset = Math.min(from, this.#text.length);
    const what = offset === this.#text.length ? "end of text" : "token";
    return new SyntaxStop(offset, `Invalid JSON: unexpected ${what} at position ${offset}`, jsonAdvice(this.#text, offset, missing));
  }
}

/** Returns the reference token of a container's current value. */
function ownToken(frame: Frame): string {
  return `/${frame.list === undefined ? pointerToken(frame.key) : frame.list.length}`;
}

/** Replaces comments and trailing commas, which a `deno.json` may contain, by spaces, so that positions stay correct. */
export function withoutComments(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, " ");
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) => (part.startsWith('"') ? part : blank(part)))
    .replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part === "," ? " " : part));
}
