/** Maps positions in the code that the engine runs to the author's file. Lines and columns count from 1. */

import { decode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Maps the engine's position to the author's. */
export type ToAuthor = (position: Position) => Position;

/** A position, with its file if that is another one. */
export interface Place extends Position {
  readonly file?: string;
}

/** Returns the position of a character in a text. */
export function positionIn(text: string, index: number): Position {
  const before = text.slice(0, index);
  return { line: before.split("\n").length, column: index - before.lastIndexOf("\n") };
}

/** Returns the position of the first string literal with this text. */
export function placeOfText(literal: string, text: string): Position | undefined {
  const [found] = [`"${literal}"`, `'${literal}'`].map((written) => text.indexOf(written)).filter((index) => index !== -1);
  return found === undefined ? undefined : positionIn(text, found);
}

/** For code that runs where it was written. */
export const SAME_PLACE: ToAuthor = (position) => position;

/** Text to insert at an offset of the original code. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** A part of the original code to move forward. */
interface Move {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export type Edit = Insertion | Move;

/** A part of the edited code: the author's text from `at` on, or inserted text. */
interface Piece {
  readonly text: string;
  readonly at: number;
  readonly isAuthors: boolean;
}

/**
 * Applies edits to code, those at the same offset in the given order, and returns the inverse mapping. Edits of a moved part move with
 * it.
 */
export function applyEdits(code: string, edits: readonly Edit[]): { readonly code: string; readonly toAuthor: ToAuthor } {
  const sorted = edits.toSorted((a, b) => a.at - b.at);
  const pieces: Piece[] = [];
  copy({ start: 0, end: code.length, first: 0, isWhole: true });
  const made = pieces.map(({ text }) => text).join("");
  return { code: made, toAuthor: wayBack(code, made, pieces) };

  /** @param first index of the first edit that may be inside */
  function copy({ start, end, first, isWhole = false }: { start: number; end: number; first: number; isWhole?: boolean }): void {
    let done = start;
    /** Parts that were moved away and are not reached yet. */
    let moved: readonly Move[] = [];
    for (let index = first; index < sorted.length; index++) {
      const edit = sorted[index];
      if (edit === undefined || (isWhole ? edit.at > end : edit.at >= end)) break;
      if (edit.at < start || moved.some(({ from, to }) => edit.at >= from && edit.at < to)) continue;
      copyTo(edit.at);
      if ("text" in edit) pieces.push({ text: edit.text, at: edit.at, isAuthors: false });
      else {
        copy({ start: edit.from, end: edit.to, first: index });
        moved = [...moved, edit].sort((a, b) => a.from - b.from);
      }
    }
    copyTo(end);

    function copyTo(to: number): void {
      for (const part of moved) {
        if (part.to > to) continue;
        pieces.push({ text: code.slice(done, part.from), at: done, isAuthors: true });
        done = part.to;
      }
      moved = moved.filter((part) => part.to > to);
      pieces.push({ text: code.slice(done, to), at: done, isAuthors: true });
      done = to;
    }
  }
}

/** Returns the inverse mapping. A position inside inserted text maps to its insertion offset. */
function wayBack(code: string, made: string, pieces: readonly Piece[]): ToAuthor {
  let starts: readonly number[] | undefined;
  return ({ line, column }) => {
    let end = 0;
    starts ??= pieces.map(({ text }) => (end += text.length) - text.length);
    const offset = offsetOf(made, line) + column - 1;
    const index = Math.max(0, countBefore(starts, offset) - 1);
    const piece = pieces[index];
    if (piece === undefined) return { line, column };
    return positionIn(code, piece.isAuthors ? piece.at + offset - (starts[index] ?? 0) : piece.at);
  };
}

/** Returns the offset at which a line begins. */
function offsetOf(text: string, line: number): number {
  let offset = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf("\n", offset);
    if (end === -1) break;
    offset = end + 1;
  }
  return offset;
}

/**
 * Maps by a source map's mappings (https://tc39.es/ecma426/).
 *
 * @param sources the files by number; absent for a map of one file onto itself
 */
export function fromMappings(mappings: string, sources?: readonly (string | undefined)[]): (position: Position) => Place {
  let lines: readonly (readonly SourceSegment[])[] | undefined;
  return ({ line, column }) => {
    lines ??= decode(mappings).map((segments) => segments.filter(hasSource));
    // Take the last segment at or before the position, or on a line without one, the last segment before it.
    const segments = lines[line - 1] ?? [];
    const after = countBefore(
      segments.map(([at]) => at),
      column - 1,
    );
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

/** Returns the number of items that are at most `limit`. @param sorted ascending */
function countBefore(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the offset within a segment, without reaching into the next. The engine reports the dot of `a.b`, but maps only contain `a` and
 * `b`.
 */
function within([at, source, line, start]: SourceSegment, next: SourceSegment | undefined, column: number): number {
  if (next === undefined || next[1] !== source || next[2] !== line || next[3] <= start) return 0;
  return Math.min(column - 1 - at, next[3] - start - 1);
}
