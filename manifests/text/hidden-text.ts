/** Finds characters that are invisible to the user but not to a model or a terminal (SPEC M5). */

/** The first hidden character of a text. */
export interface HiddenText {
  /** Index in UTF-16 units, from 0. */
  readonly index: number;
  readonly codePoint: number;
  /** Readable name: `U+202E (right-to-left override)`. */
  readonly description: string;
}

// Default_Ignorable covers variation selectors, fillers and tags; Cf the bidi and joining controls; Cs lone surrogates.
const SUSPECT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const PICTOGRAPH_BEFORE = /\p{Extended_Pictographic}$/u;

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x00, "NUL"],
  [0x07, "bell"],
  [0x08, "backspace"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
  [0x7f, "delete"],
  [0xad, "soft hyphen"],
  [0x61c, "Arabic letter mark"],
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "pop directional formatting"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "pop directional isolate"],
  [0x3164, "Hangul filler"],
  [0xfeff, "byte order mark"],
]);

/**
 * Finds the first invisible, bidirectional or control character in `text`.
 *
 * Tabs, line feeds and CRLF are allowed, and U+FE0F directly after a pictograph, where it is part of an emoji.
 */
export function findHiddenText(text: string): HiddenText | undefined {
  for (const match of text.matchAll(SUSPECT)) {
    const codePoint = match[0].codePointAt(0) ?? 0;
    if (!isHarmless(codePoint, text, match.index)) return { index: match.index, codePoint, description: describe(codePoint) };
  }
  return undefined;
}

/** Returns `text` with each hidden character escaped as `\\u202e`, so that it can be shown. */
export function showHidden(text: string): string {
  return text.replace(SUSPECT, (match, index: number) => {
    const codePoint = match.codePointAt(0) ?? 0;
    if (isHarmless(codePoint, text, index)) return match;
    return codePoint > 0xffff ? `\\u{${codePoint.toString(16)}}` : `\\u${codePoint.toString(16).padStart(4, "0")}`;
  });
}

/** Returns true if `text` is not well-formed UTF-16, so that no UTF-8 file name, header or document can contain it. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Cs}/u.test(text);
}

function isHarmless(codePoint: number, text: string, index: number): boolean {
  if (codePoint === 0x09 || codePoint === 0x0a) return true;
  if (codePoint === 0x0d) return text.charCodeAt(index + 1) === 0x0a;
  return codePoint === 0xfe0f && PICTOGRAPH_BEFORE.test(text.slice(Math.max(0, index - 2), index));
}

function describe(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")} (${NAMES.get(codePoint) ?? family(codePoint)})`;
}

function family(codePoint: number): string {
  if (codePoint < 0x20 || (codePoint >= 0x80 && codePoint < 0xa0)) return "control character";
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return "lone surrogate";
  if (codePoint >= 0xe0000 && codePoint <= 0xe007f) return "tag character";
  if ((codePoint >= 0xfe00 && codePoint <= 0xfe0f) || (codePoint >= 0xe0100 && codePoint <= 0xe01ef)) return "variation selector";
  return "invisible character";
}
