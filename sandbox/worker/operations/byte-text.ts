/** Encodes and decodes base64 and hex text, by the steps of https://tc39.es/proposal-arraybuffer-base64/spec/. */

interface Base64Decoding {
  /** Uses `-` and `_` instead of `+` and `/`. */
  readonly isUrl: boolean;
  readonly last: "loose" | "strict" | "stop-before-partial";
  /** Maximum number of bytes to decode. */
  readonly maximumBytes: number;
  /** Called at intervals. Its exceptions are passed on. */
  readonly goOn?: () => void;
}

const BYTES_A_LOOK = 3 * 64 * 1024;

/** The decoded part of a text. */
interface DecodedText {
  /** Number of characters used. */
  readonly read: number;
  readonly bytes: Uint8Array;
  /** The reason why the rest is invalid. Absent if there is none. */
  readonly error?: string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_ALPHABET = `${ALPHABET.slice(0, 62)}-_`;
const BAD_CHARACTER = "Found a character that cannot be part of a valid base64 string.";
const INCOMPLETE = "The base64 input terminates with a single character, excluding padding (=).";
const BAD_PADDING = "Invalid padding in the base64 string.";
const EXTRA_BITS = "The base64 input has bits past its last byte.";
const PARTIAL = "The base64 input ends in an incomplete chunk.";
const EQUALS = 0x3d;

const ascii = new TextDecoder();
const toCodes = (letters: string): Uint8Array => new TextEncoder().encode(letters);
const CODES = toCodes(ALPHABET);
const URL_CODES = toCodes(URL_ALPHABET);
const HEX_CODES = toCodes("0123456789abcdef");

/** Works on byte tables and buffers, because texts are long: one string per letter takes twenty times as long. */
export function encodeBase64Text(
  bytes: Uint8Array,
  { isUrl, omitPadding }: { readonly isUrl: boolean; readonly omitPadding: boolean },
): string {
  const codes = isUrl ? URL_CODES : CODES;
  const letters = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    letters[end++] = codes[bits >> 18] ?? 0;
    letters[end++] = codes[(bits >> 12) & 63] ?? 0;
    letters[end++] = codes[(bits >> 6) & 63] ?? 0;
    letters[end++] = codes[bits & 63] ?? 0;
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  if (!omitPadding) letters.fill(EQUALS, end - padding);
  return ascii.decode(omitPadding ? letters.subarray(0, end - padding) : letters);
}

/** FromBase64 of the proposal. */
export function decodeBase64Text(text: Uint8Array, { isUrl, last, maximumBytes, goOn }: Base64Decoding): DecodedText {
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
  /** Decodes the two or three letters at the end. */
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
    const letter = text[at++] ?? 0;
    if (letter === EQUALS) {
      if (count < 2) return stop(read, BAD_PADDING);
      at = skipWhitespace(text, at);
      if (count === 2) {
        if (at === text.length) return last === "stop-before-partial" ? stop(read) : stop(read, BAD_PADDING);
        if (text[at] === EQUALS) at = skipWhitespace(text, at + 1);
      }
      return at < text.length ? stop(read, BAD_PADDING) : finish(last === "strict");
    }
    const value = values[letter] ?? NO_VALUE;
    if (value === NO_VALUE) return stop(read, BAD_CHARACTER);
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
    if (written % BYTES_A_LOOK === 0) goOn?.();
    if (written === maximumBytes) return stop(read);
  }
}

const NO_VALUE = 255;
const WHITESPACE = 254;
const VALUES = valuesOf(CODES);
const URL_VALUES = valuesOf(URL_CODES);

function valuesOf(codes: Uint8Array): Uint8Array {
  const values = new Uint8Array(256).fill(NO_VALUE);
  for (const [value, code] of codes.entries()) values[code] = value;
  for (const code of toCodes("\t\n\f\r ")) values[code] = WHITESPACE;
  return values;
}

function skipWhitespace(text: Uint8Array, from: number): number {
  let at = from;
  while (at < text.length && VALUES[text[at] ?? 0] === WHITESPACE) at++;
  return at;
}

export function encodeHexText(bytes: Uint8Array): string {
  const letters = new Uint8Array(2 * bytes.length);
  let end = 0;
  for (const byte of bytes) {
    letters[end++] = HEX_CODES[byte >> 4] ?? 0;
    letters[end++] = HEX_CODES[byte & 15] ?? 0;
  }
  return ascii.decode(letters);
}

/** FromHex of the proposal, for a text of even length. */
export function decodeHexText(text: Uint8Array, { maximumBytes, goOn }: Pick<Base64Decoding, "maximumBytes" | "goOn">): DecodedText {
  const out = new Uint8Array(Math.min(maximumBytes, text.length >> 1));
  for (let index = 0; index < out.length; index++) {
    if (index % BYTES_A_LOOK === 0) goOn?.();
    const high = HEX_VALUES[text[2 * index] ?? 0] ?? NO_VALUE;
    const low = HEX_VALUES[text[2 * index + 1] ?? 0] ?? NO_VALUE;
    if (high === NO_VALUE || low === NO_VALUE) {
      return { read: 2 * index, bytes: out.slice(0, index), error: "Found a character that cannot be part of a valid hex string." };
    }
    out[index] = (high << 4) | low;
  }
  return { read: 2 * out.length, bytes: out };
}

const HEX_VALUES = valuesOf(HEX_CODES).map((value) => (value === WHITESPACE ? NO_VALUE : value));
for (const [index, code] of toCodes("ABCDEF").entries()) HEX_VALUES[code] = index + 10;
