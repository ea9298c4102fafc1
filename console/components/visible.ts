/** Text whose characters are all seen, so that what the user approves is what it looks like. */

/**
 * Control and format characters (bidi controls reorder the others), line and paragraph separators, lone surrogates, private use, all that
 * fonts leave blank or ignore, and combining marks after the fourth, which cover the lines above. Variation selectors of emoji stay.
 */
const HIDDEN = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\u2800]|(?<=\p{M}{4})\p{M}/gu;
const PLAIN = "\n\t\r";

/** Writes out characters that are invisible or move others, as the command line does: `\u{202e}`. Keeps line ends and tabs. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) =>
    PLAIN.includes(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

/** Like `visible`, for text of one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
