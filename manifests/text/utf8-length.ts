/** The length of a text in UTF-8. */

/** Returns the length of `text` in UTF-8. Stops above `enough`; the result then only means more than that. */
export function utf8Length(text: string, enough: number): number {
  if (text.length > enough || text.length * 3 <= enough) return text.length;
  let bytes = 0;
  for (let i = 0; i < text.length && bytes <= enough; i++) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    // A pair is 4 bytes, of which its first half counted 3.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 1;
      i++;
    }
  }
  return bytes;
}
