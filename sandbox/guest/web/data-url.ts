/** The content of `data:` URLs, as text with one byte per character. */

import {
  arrayJoin,
  bareList,
  parseIntText,
  PrimordialUint8Array,
  splitText,
  stringCharCodeAt,
  stringFromCharCode,
  stringSlice,
} from "../language/primordials.ts";

/** Decodes ASCII text of a serialised URL (https://url.spec.whatwg.org/#string-percent-decode). */
export function percentDecode(text: string): string {
  const parts = splitText(text, "%");
  const decoded = bareList<string>();
  decoded[0] = parts[0] ?? "";
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const isByte = isHexDigit(part, 0) && isHexDigit(part, 1);
    decoded[index] = isByte ? stringFromCharCode(parseIntText(`0x${stringSlice(part, 0, 2)}`)) + stringSlice(part, 2) : `%${part}`;
  }
  return arrayJoin(decoded, "");
}

function isHexDigit(text: string, at: number): boolean {
  const code = at < text.length ? stringCharCodeAt(text, at) | 0x20 : 0;
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);
}

/** Returns each character code as a byte. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new PrimordialUint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = stringCharCodeAt(text, index);
  return bytes;
}
