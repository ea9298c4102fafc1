/** Positions in a text as line and column. */

const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 30;

/** A position in a text; both count from 1, `column` in characters. */
export interface Place {
  line: number;
  column: number;
}

/** Converts an index of a text to a position. A line ends with `\n`, `\r\n` or `\r`. */
export function placeOf(text: string, index: number): Place {
  let line = 1;
  let start = 0;
  const ends = /\r\n|\n|\r/gu;
  for (let end = ends.exec(text); end !== null && ends.lastIndex <= index; end = ends.exec(text)) {
    line += 1;
    start = ends.lastIndex;
  }
  return { line, column: [...text.slice(start, index)].length + 1 };
}

/** `line 3, column 5`. */
export function describePlace({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** Returns the part of a one-line text around an index, with a caret under it, each line indented. */
export function pointAt(text: string, index: number): string {
  const from = Math.max(0, index - SHOWN_BEFORE);
  const before = `${from > 0 ? "…" : ""}${flat(text.slice(from, index))}`;
  const rest = text.slice(index, index + SHOWN_AFTER);
  return `  ${before}${flat(rest)}${index + SHOWN_AFTER < text.length ? "…" : ""}\n  ${" ".repeat([...before].length)}^`;
}

/** Line ends and tabs would shift the caret. */
function flat(text: string): string {
  return text.replace(/[\r\n\t]/gu, " ");
}
