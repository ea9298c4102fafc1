/** Extracts the lines around a position in a file, for display. */

import type { CodeFrame } from "./operations.ts";

const LINES_BEFORE = 2;
const LINES_AFTER = 1;
const MAX_LINE_LENGTH = 2_000;

/** Returns the lines around `line` (from 1), or undefined if the text has no such line. */
export function excerpt(text: string, line: number): CodeFrame | undefined {
  const lines = text.split(/\r\n|\n/u);
  if (!Number.isInteger(line) || line < 1 || line > lines.length) return undefined;
  const first = Math.max(1, line - LINES_BEFORE);
  return { first, lines: lines.slice(first - 1, line + LINES_AFTER).map((one) => one.slice(0, MAX_LINE_LENGTH)) };
}
