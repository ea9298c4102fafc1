/** Bytes as base64 and hex text, by the steps of https://tc39.es/proposal-arraybuffer-base64/spec/. */

export interface Base64Decoding {
  /** With `-` and `_` instead of `+` and `/`. */
  readonly isUrl: boolean;
  readonly last: "loose" | "strict" | "stop-before-partial";
  /** Decodes no more than fits. */
  readonly maximumBytes: number;
}

/** What was decoded, and where and why it stopped. */
export interface DecodedText {
  /** Characters that were used. */
  readonly read: number;
  readonly bytes: Uint8Array;
  /** Why the rest was not: it is no such text. */
  readonly error?: string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_ALPHABET = `${ALPHABET.slice(0, 62)}-_`;
const WHITESPACE = new Set(["\t", "\n", "\f", "\r", " "]);
const BAD_CHARACTER = "Found a character that cannot be part of a valid base64 string.";
const INCOMPLETE = "The base64 input terminates with a single character, excluding padding (=).";
const BAD_PADDING = "Invalid padding in the base64 string.";
const EXTRA_BITS = "The base64 input has bits past its last byte.";
const PARTIAL = "The base64 input ends in an incomplete chunk.";

export function encodeBase64Text(
  bytes: Uint8Array,
  { isUrl, omitPadding }: { readonly isUrl: boolean; readonly omitPadding: boolean },
): string {
  const alphabet = isUrl ? URL_ALPHABET : ALPHABET;
  const letters: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    letters.push(letterOf(alphabet, bits >> 18), letterOf(alphabet, bits >> 12));
    if (left > 1) letters.push(letterOf(alphabet, bits >> 6));
    if (left > 2) letters.push(letterOf(alphabet, bits));
    if (left < 3 && !omitPadding) letters.push(left === 1 ? "==" : "=");
  }
  return letters.join("");
}

function letterOf(alphabet: string, bits: number): string {
  return alphabet.charAt(bits & 63);
}

/** FromBase64 of the proposal. */
export function decodeBase64Text(text: string, { isUrl, last, maximumBytes }: Base64Decoding): DecodedText {
  const out = new Uint8Array(Math.min(maximumBytes, Math.ceil((text.length * 3) / 4)));
  const values = isUrl ? URL_VALUES : VALUES;
  let written = 0;
  let read = 0;
  let bits = 0;
  let count = 0;
  const stop = (used: number, error?: string): DecodedText => ({
    read: used,
    bytes: out.slice(0, written),
    ...(error !== undefined && { error }),
  });
  /** The two or three letters at the end. */
  const finish = (strict: boolean): DecodedText => {
    const extra = count === 2 ? bits & 15 : bits & 3;
    if (strict && extra !== 0) return stop(read, EXTRA_BITS);
    out[written++] = count === 2 ? bits >> 4 : bits >> 10;
    if (count === 3) out[written++] = (bits >> 2) & 255;
    return stop(text.length);
  };
  if (maximumBytes === 0) return stop(0);
  for (let at = skipWhitespace(text, 0); ; at = skipWhitespace(text, at)) {
    if (at === text.length) {
      if (count === 0) return stop(text.length);
      if (last === "stop-before-partial") return stop(read);
      if (last === "strict") return stop(read, PARTIAL);
      return count === 1 ? stop(read, INCOMPLETE) : finish(false);
    }
    const letter = text.charAt(at++);
    if (letter === "=") {
      if (count < 2) return stop(read, BAD_PADDING);
      at = skipWhitespace(text, at);
      if (count === 2) {
        if (at === text.length) return last === "stop-before-partial" ? stop(read) : stop(read, BAD_PADDING);
        if (text.charAt(at) === "=") at = skipWhitespace(text, at + 1);
      }
      return at < text.length ? stop(read, BAD_PADDING) : finish(last === "strict");
    }
    const value = values.get(letter);
    if (value === undefined) return stop(read, BAD_CHARACTER);
    const room = maximumBytes - written;
    if ((room === 1 && count === 2) || (room === 2 && count === 3)) return stop(read);
    bits = (bits << 6) | value;
    if (++count < 4) continue;
    out[written++] = bits >> 16;
    out[written++] = (bits >> 8) & 255;
    out[written++] = bits & 255;
    bits = 0;
    count = 0;
    read = at;
    if (written === maximumBytes) return stop(read);
  }
}

const VALUES: ReadonlyMap<string, number> = new Map([...ALPHABET].map((letter, index) => [letter, index]));
const URL_VALUES: ReadonlyMap<string, number> = new Map([...URL_ALPHABET].map((letter, index) => [letter, index]));

function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (at < text.length && WHITESPACE.has(text.charAt(at))) at++;
  return at;
}

export function encodeHexText(bytes: Uint8Array): string {
  const pairs: string[] = [];
  for (const byte of bytes) pairs.push(byte.toString(16).padStart(2, "0"));
  return pairs.join("");
}

/** FromHex of the proposal, for a text of even length. */
export function decodeHexText(text: string, maximumBytes: number): DecodedText {
  const out = new Uint8Array(Math.min(maximumBytes, text.length >> 1));
  for (let index = 0; index < out.length; index++) {
    const pair = text.slice(2 * index, 2 * index + 2);
    if (!/^[0-9a-f]{2}$/i.test(pair)) {
      return { read: 2 * index, bytes: out.slice(0, index), error: "Found a character that cannot be part of a valid hex string." };
    }
    out[index] = parseInt(pair, 16);
  }
  return { read: 2 * out.length, bytes: out };
}
