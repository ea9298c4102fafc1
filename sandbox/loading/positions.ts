/** Where a place in the code that the engine runs is in the author's file. Lines and columns count from 1. */

import { decode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** From the engine's position to the author's. */
export type ToAuthor = (position: Position) => Position;

/** A position in the file that it is in, where that is another one. */
export interface Place extends Position {
  readonly file?: string;
}

/** The place of a text's character. */
export function positionIn(text: string, index: number): Position {
  const before = text.slice(0, index);
  return { line: before.split("\n").length, column: index - before.lastIndexOf("\n") };
}

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

/**
 * By a source map's mappings (https://tc39.es/ecma426/).
 *
 * @param sources the files by number; absent for a map of one file onto itself.
 */
export function fromMappings(mappings: string, sources?: readonly (string | undefined)[]): (position: Position) => Place {
  let lines: readonly (readonly SourceSegment[])[] | undefined;
  return ({ line, column }) => {
    lines ??= decode(mappings).map((segments) => segments.filter(hasSource));
    // The last segment that begins at or before the place; on a line without one, the end of what came before.
    const segments = lines[line - 1] ?? [];
    const after = countBefore(segments, column);
    const found =
      segments[after - 1] ??
      lines
        .slice(0, line - 1)
        .findLast((before) => before.length > 0)
        ?.at(-1);
    if (found === undefined) return { line, column };
    const [, source, sourceLine, sourceColumn] = found;
    const place = { line: Math.max(0, sourceLine) + 1, column: Math.max(0, sourceColumn + within(found, segments[after], column)) + 1 };
    if (sources === undefined) return place;
    const file = sources[source];
    return file === undefined ? { line, column } : { ...place, file };
  };
}

type SourceSegment = Exclude<SourceMapSegment, readonly [number]>;

function hasSource(segment: SourceMapSegment): segment is SourceSegment {
  return segment.length > 1;
}

/** How many begin at or before the column. @param segments in order. */
function countBefore(segments: readonly SourceSegment[], column: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.[0] ?? 0) < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The engine names the dot of `a.b`, and maps name `a` and `b`: as far into the segment, but not into what is the next one's. */
function within([at, source, line, start]: SourceSegment, next: SourceSegment | undefined, column: number): number {
  if (next === undefined || next[1] !== source || next[2] !== line || next[3] <= start) return 0;
  return Math.min(column - 1 - at, next[3] - start - 1);
}
