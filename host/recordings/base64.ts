/** Bytes as text, for JSON. By tables: `btoa` wants a text of the bytes first, which takes thirty times as long. */

const ALPHABET = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const PADDING = "=".charCodeAt(0);
const NONE = 0xff;
const VALUES = new Uint8Array(256).fill(NONE);
for (const [value, character] of ALPHABET.entries()) VALUES[character] = value;

export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const left = bytes.length - at;
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text[to] = ALPHABET[three >> 18] ?? 0;
    text[to + 1] = ALPHABET[(three >> 12) & 63] ?? 0;
    if (left > 1) text[to + 2] = ALPHABET[(three >> 6) & 63] ?? 0;
    if (left > 2) text[to + 3] = ALPHABET[three & 63] ?? 0;
  }
  return new TextDecoder().decode(text);
}

/** Undefined if the text is not what `toBase64` writes. */
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

function valueAt(text: string, index: number): number {
  const character = text.charCodeAt(index);
  return character < VALUES.length ? (VALUES[character] ?? NONE) : NONE;
}
