/** Primitives, strings and property names as `console.log` shows them. */

import type { InspectOptions } from "./inspection.ts";
import {
  arrayJoin,
  bareList,
  numberToString,
  objectIs,
  stringAt,
  stringCharCodeAt,
  stringIncludes,
  stringPadStart,
  stringSlice,
  stringToWellFormed,
  symbolToString,
} from "../language/primordials.ts";

type TextOptions = Pick<InspectOptions, "escapeSequences" | "quotes">;

const SHORT_ESCAPES: Readonly<Record<number, string>> = { 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\" };

/**
 * Quotes with the first quote character, or with another one if that saves escapes. Escapes control characters if requested and
 * replaces lone surrogates.
 */
export function quoteString(text: string, { escapeSequences, quotes }: TextOptions): string {
  let quote = quotes[0] ?? '"';
  for (let index = 0; index < quotes.length; index++) {
    const candidate = quotes[index];
    if (candidate !== undefined && !stringIncludes(text, candidate)) {
      quote = candidate;
      break;
    }
  }
  return `${quote}${escapeControls(stringToWellFormed(text), stringCharCodeAt(quote, 0), escapeSequences)}${quote}`;
}

function escapeControls(text: string, quote: number, escapes: boolean): string {
  const parts = bareList<string>();
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    const code = stringCharCodeAt(text, index);
    const escape = escapes || code === quote || code === 92 ? escapeOf(code, quote) : undefined;
    if (escape === undefined) continue;
    parts[parts.length] = stringSlice(text, from, index) + escape;
    from = index + 1;
  }
  return parts.length === 0 ? text : arrayJoin(parts, "") + stringSlice(text, from);
}

function escapeOf(code: number, quote: number): string | undefined {
  if (code === quote) return `\\${stringAt("\"'`", code === 34 ? 0 : code === 39 ? 1 : 2)}`;
  if (code === 92 || (code >= 8 && code <= 13)) return SHORT_ESCAPES[code];
  if (code < 32 || (code >= 127 && code < 160)) return `\\x${stringPadStart(numberToString(code, 16), 2, "0")}`;
  return undefined;
}

/** Shows null, undefined and every primitive except strings. */
export function showPrimitive(value: unknown): string {
  switch (typeof value) {
    case "number":
      return objectIs(value, -0) ? "-0" : `${value}`;
    case "bigint":
      return `${value}n`;
    case "symbol":
      return symbolToString(value);
    default:
      // null, undefined and booleans.
      return `${value as null}`;
  }
}

/** Shows a property's name: bare if it is an identifier, else quoted; in brackets if it is not enumerable. */
export function showKey(key: string | symbol, isEnumerable: boolean, options: TextOptions): string {
  if (typeof key === "symbol") return isEnumerable ? symbolToString(key) : `[${symbolToString(key)}]`;
  if (key === "__proto__") return "['__proto__']";
  if (!isEnumerable) return `[${key}]`;
  return isIdentifier(key) ? key : quoteString(key, options);
}

function isIdentifier(text: string): boolean {
  if (text === "") return false;
  for (let index = 0; index < text.length; index++) {
    const code = stringCharCodeAt(text, index);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
    if (!isLetter && (index === 0 || code < 48 || code > 57)) return false;
  }
  return true;
}
