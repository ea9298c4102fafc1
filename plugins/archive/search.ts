/** Finds lines of a text. */

const MAX_LINE_SHOWN = 300;

export interface Found {
  readonly member: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** @throws {Error} if it is no regular expression. */
export function matcherOf(pattern: string, isRegex: boolean, ignoreCase: boolean): RegExp {
  const source = isRegex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
  try {
    return new RegExp(source, ignoreCase ? "iv" : "v");
  } catch (error) {
    throw new Error(
      `Cannot read the pattern: ${error instanceof Error ? error.message : String(error)} (leave "regex" out to find it as it is)`,
    );
  }
}

/** The text of a member, undefined for what is none: not UTF-8, or with a NUL. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lines that match, at most so many. */
export function searchText(text: string, matcher: RegExp, member: string, most: number): Found[] {
  const found: Found[] = [];
  for (const [index, line] of text.split(/\r\n|[\r\n]/u).entries()) {
    if (found.length >= most) return found;
    const at = line.search(matcher);
    if (at !== -1) found.push({ member, line: index + 1, column: at + 1, text: line.slice(0, MAX_LINE_SHOWN) });
  }
  return found;
}
