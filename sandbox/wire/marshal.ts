/**
 * Limits and parsing of what crosses between guest and host: JSON text and bytes, bounded in size and depth before anything is parsed
 * (SPEC B5).
 */

import type { JsonValue } from "../../manifests/mod.ts";

/** Maximum JSON of one host operation. Bulk data travels as bytes beside it. */
export const OPERATION_TEXT_BYTES: number = 1024 * 1024;

/** Size above which the host's thread does not parse, check, copy or write outside data in one go (SPEC LV2). */
export const LARGE_BYTES: number = 64 * 1024;

/** Maximum number of parts of one output that cross as bytes. */
export const MAXIMUM_PARTS = 1_024;

/** Marks an answer whose JSON is in its bytes. The worker decodes them, not the host's thread. */
export const JSON_IN_BYTES = "j";

interface AnswerWords {
  readonly answer: string;
  readonly bytes?: Uint8Array;
}

/** Returns an answer in the form that enters a guest. */
export function unpackAnswer(packed: AnswerWords): AnswerWords {
  return packed.answer === JSON_IN_BYTES ? { answer: `v${new TextDecoder("utf-8", { ignoreBOM: true }).decode(packed.bytes)}` } : packed;
}

/** Returns the JSON of an operation's arguments from the guest's encoding (`guest/call/protocol.ts`). */
export function argumentsJson(told: string): string {
  return told.startsWith("p") ? `{"path":${JSON.stringify(told.slice(1))}}` : told;
}

/** Returns true if the text nests no deeper than `maximum`. */
export function nestsWithin(text: string, maximum: number): boolean {
  return nesting(text, maximum) <= maximum;
}

/** Returns the nesting depth of the text. Stops counting above `enough`. One pass, no recursion, no allocation. */
export function nesting(text: string, enough: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === BACKSLASH) index++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (depth > enough) return depth;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Parses JSON from a guest. Returns undefined if it is not JSON or nests too deep. */
export function parseGuestJson(text: string, maximumDepth: number): JsonValue | undefined {
  if (!nestsWithin(text, maximumDepth)) return undefined;
  try {
    // JSON.parse makes own properties only, `__proto__` included, so its result is a JsonValue.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
