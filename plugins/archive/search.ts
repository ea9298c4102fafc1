/** Finds matching lines of a text. */

const MAX_LINE_SHOWN = 300;

export interface Found {
  readonly member: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** @throws {Error} if the pattern is not a valid regular expression. */
export function matcherOf(pattern: string, isRegex: boolean, ignoreCase: boolean): RegExp {
  const source = isRegex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
  try {
    return new RegExp(source, ignoreCase ? "iv" : "v");
  } catch (error) {
    throw new Error(
      `Invalid pattern: ${error instanceof Error ? error.message : String(error)} (omit "regex" to search for the text as it is)`,
    );
  }
}

/** Decodes the text of a member; undefined for binary contents: not UTF-8, or with a NUL. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns matching lines, at most `limit`. */
export function searchText(text: string, matcher: RegExp, member: string, most: number): Found[] {
  const found: Found[] = [];
  for (const [index, line] of text.split(/\r\n|[\r\n]/u).entries()) {
    if (found.length >= most) return found;
    const at = line.search(matcher);
    if (at !== -1) found.push({ member, line: index + 1, column: at + 1, text: line.slice(0, MAX_LINE_SHOWN) });
  }
  return found;
}
