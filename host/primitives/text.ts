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

/** Shortens text to at most `width` characters, including the ellipsis. */
export function shorten(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Shortens prose at a word boundary, unless that would leave less than half of the width. */
export function shortenWords(text: string, width: number): string {
  const cut = shorten(text, width);
  if (cut === text) return text;
  const end = text.startsWith(" ", cut.length - 1) ? cut.length - 1 : cut.lastIndexOf(" ");
  return end < cut.length / 2 ? cut : `${cut.slice(0, end).trimEnd()}…`;
}

/** Wraps text between words into lines of at most `width` characters. A longer word stays whole. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && [...last].length + 1 + [...word].length <= width) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Formats a number with a noun: `1 tool`, `2 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
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
