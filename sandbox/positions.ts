/** Where a place in the code that the engine runs is in the author's file. Lines and columns count from 1. */

import { decode } from "@jridgewell/sourcemap-codec";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** From the engine's position to the author's. */
export type ToAuthor = (position: Position) => Position;

/** Code that runs where it was written. */
export const SAME_PLACE: ToAuthor = (position) => position;

/** Text that was put into code without moving a line. */
export interface Insertion {
  /** Where, in the code before. */
  readonly at: number;
  readonly text: string;
}

/** The code with the insertions in it, those at one place in their order, and the way back. */
export function insertAll(code: string, insertions: readonly Insertion[]): { readonly code: string; readonly toAuthor: ToAuthor } {
  const sorted = insertions.toSorted((a, b) => a.at - b.at);
  const byLine = new Map<number, { column: number; length: number }[]>();
  let made = "";
  let done = 0;
  let line = 1;
  let lineStart = 0;
  for (const { at, text } of sorted) {
    for (let index = code.indexOf("\n", lineStart); index !== -1 && index < at; index = code.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = index + 1;
    }
    made += code.slice(done, at) + text;
    done = at;
    const onLine = byLine.get(line) ?? [];
    onLine.push({ column: at - lineStart + 1, length: text.length });
    byLine.set(line, onLine);
  }
  return { code: made + code.slice(done), toAuthor: (position) => withoutInsertions(position, byLine.get(position.line) ?? []) };
}

/** @param onLine by column, of the code before. */
function withoutInsertions({ line, column }: Position, onLine: readonly { readonly column: number; readonly length: number }[]): Position {
  let added = 0;
  for (const insertion of onLine) {
    const from = insertion.column + added;
    if (column < from) break;
    // A place inside of what was put in is where it was put.
    if (column < from + insertion.length) return { line, column: insertion.column };
    added += insertion.length;
  }
  return { line, column: column - added };
}

/** By a source map's mappings (https://tc39.es/ecma426/) of one source. */
export function fromMappings(mappings: string): ToAuthor {
  let lines: ReturnType<typeof decode> | undefined;
  return ({ line, column }) => {
    lines ??= decode(mappings);
    // The last segment that begins at or before the place; on a line without one, the end of what came before.
    for (let row = line - 1; row >= 0; row--) {
      const segments = (lines[row] ?? []).filter((segment) => segment.length > 1 && (row < line - 1 || segment[0] < column));
      const [, , sourceLine, sourceColumn] = segments.at(-1) ?? [];
      if (sourceLine !== undefined && sourceColumn !== undefined) return { line: sourceLine + 1, column: sourceColumn + 1 };
    }
    return { line, column };
  };
}
