/** Searches one text, line by line. */

const SHOWN_CHARACTERS = 200;

/** One line that matched. `line` and `column` count from 1; a long line is cut. */
export interface Match {
  file: string;
  line: number;
  column: number;
  text: string;
}

/** Returns the index of the first match in a line, or -1. */
export type Matcher = (line: string) => number;

/**
 * Makes the matcher for a pattern.
 *
 * A hostile regular expression can run forever; the sandbox ends it at the call's CPU limit.
 *
 * @throws {Error} if `regex` is set and the pattern is not a valid regular expression.
 */
export function matcherOf(pattern: string, regex: boolean, ignoreCase: boolean): Matcher {
  const expression = compile(regex ? pattern : escapeLiteral(pattern), ignoreCase ? "iu" : "u");
  return (line) => line.search(expression);
}

/** Returns the matching lines of a text, at most `limit`. */
export function searchText(text: string, matcher: Matcher, file: string, limit: number): Match[] {
  const matches: Match[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (matches.length >= limit) break;
    const at = matcher(line);
    if (at >= 0) matches.push({ file, line: index + 1, column: at + 1, text: shorten(line) });
  }
  return matches;
}

/** Splits a text into lines without their ends; a newline at the end of the text starts no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/u);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot search for "${source}": ${reason} (omit regex to search for the text as it is)`);
  }
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}

function shorten(line: string): string {
  const characters = [...line];
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS).join("")}…` : line;
}
