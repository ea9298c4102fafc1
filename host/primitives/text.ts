/** Makes text from a guest, a plugin folder or a manifest inert for a terminal (FACTS, schemas and text). */

// Control characters (C0, DEL, C1), invisible and format characters (bidi controls, zero-width, tags, soft hyphen,
// variation selectors stay), line and paragraph separators, and lone surrogates.
const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** Escapes every character that a terminal interprets or that is invisible (`\x1b`, `\u{202e}`), so that the text stays on one line. */
export function printable(text: string): string {
  return text.replace(HARMFUL, writtenOut);
}

/** Escapes like `printable`, but keeps line ends and tabs. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/gu, "\n")
    .replace(HARMFUL, (character) => (character === "\n" || character === "\t" ? character : writtenOut(character)));
}

/** Escapes harmful characters as JSON does (`\u202e`), so that the text stays JSON with the same value. Keeps indentation. */
export function printableJson(text: string): string {
  return text.replace(HARMFUL, (character) => (character === "\n" ? character : unitsOf(character)));
}

/** Returns how many cells of a terminal the text takes. Styles take none, wide characters (UAX 11) two. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(STYLES, "")) width += cellsOf(character);
  return width;
}

/** Shortens text without styles to at most `width` cells, including the ellipsis. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let left = width - 1;
  let cut = "";
  for (const character of text) {
    left -= cellsOf(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

/**
 * Shortens text to at most `length` characters, including the ellipsis, for keeping: JavaScript's own parts of a text keep the whole one in
 * memory.
 */
export function keptText(text: string, length: number): string {
  if (text.length <= length) return text;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(`${text.slice(0, length - 1)}…`));
}

/** Shortens prose at a word boundary, unless that would leave less than half of the width. */
export function shortenWords(text: string, width: number): string {
  const cut = shorten(text, width);
  if (cut === text) return text;
  const end = text.startsWith(" ", cut.length - 1) ? cut.length - 1 : cut.lastIndexOf(" ");
  return end < cut.length / 2 ? cut : `${cut.slice(0, end).trimEnd()}…`;
}

/** Wraps text between words into lines of at most `width` cells. A longer word stays whole. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Formats a number with a noun: `1 tool`, `2 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const NARROW = /^[\x20-\x7e]*$/u;
const STYLES = /\x1b\[\d+m/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const ZERO = /\p{M}/u;

function cellsOf(character: string): number {
  if (character >= " " && character <= "~") return 1;
  return ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

function writtenOut(character: string): string {
  const short = SHORT.get(character);
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

function unitsOf(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\0", "\\0"],
]);
