/** Text whose characters are all seen, so that what the user approves is what it looks like. */

// Control and format characters: bidi controls reorder the others, zero-width ones hide. Line and paragraph separators.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
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
