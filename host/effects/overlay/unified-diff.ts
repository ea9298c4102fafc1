/**
 * Unified diff of two texts. Undefined for binary data, and for texts that differ too much.
 *
 * The guest supplies the texts, and the time grows with the square of the difference. So equal beginnings and ends are skipped, and if the
 * rest is long or differs much, it is shown as replaced (SPEC B1).
 */

import type { StructuredPatchHunk } from "diff";

/** Maximum size of either text. */
export const MAX_TEXT_BYTES: number = 1024 * 1024;
/** Bounds for the part between equal beginning and end: lines of both texts, and differing lines. */
const MAX_LINES = 10_000;
const MAX_EDITS = 500;
const MAX_DIFF_LENGTH = 128 * 1024;
const CONTEXT_LINES = 3;

export interface Side {
  /** `a/path`, `b/path`, `/dev/null`. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

export async function unifiedDiff(before: Side, after: Side): Promise<string | undefined> {
  const left = toText(before.bytes);
  const right = toText(after.bytes);
  if (left === undefined || right === undefined) return undefined;
  const hunks = await hunksOf(left, right);
  if (hunks === undefined) return undefined;
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
    `@@ -${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines} +${newLines === 0 ? newStart - 1 : newStart},${newLines} @@`,
    ...own,
  ]);
  const patch = [`--- ${quoted(before.label)}`, `+++ ${quoted(after.label)}`, ...lines, ""].join("\n");
  return patch.length > MAX_DIFF_LENGTH ? undefined : patch;
}

/** Returns undefined for bytes that are not UTF-8 or contain NUL. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

type Hunk = Pick<StructuredPatchHunk, "oldStart" | "oldLines" | "newStart" | "newLines" | "lines">;

/** Returns undefined if the differing part is longer than a diff may be. */
async function hunksOf(left: string, right: string): Promise<readonly Hunk[] | undefined> {
  const { begin, leftEnd, rightEnd } = differing(left, right);
  if (Math.max(leftEnd, rightEnd) - begin > MAX_DIFF_LENGTH) return undefined;
  const from = linesBack(left, begin, CONTEXT_LINES);
  const more = linesOn(left, leftEnd, CONTEXT_LINES) - leftEnd;
  const olds = linesOf(left.slice(from, leftEnd + more));
  const news = linesOf(right.slice(from, rightEnd + more));
  const shift = countLines(left, from);
  return (await minimal(olds, news, shift)) ?? [replaced(olds, news, shift)];
}

/** Returns where the differing parts begin and end, at line boundaries. */
function differing(left: string, right: string): { readonly begin: number; readonly leftEnd: number; readonly rightEnd: number } {
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left[same] === right[same]) same += 1;
  const begin = same === 0 ? 0 : left.lastIndexOf("\n", same - 1) + 1;
  let tail = 0;
  while (tail < most - begin && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const wholeFrom = left.indexOf("\n", left.length - tail);
  const kept = wholeFrom === -1 ? 0 : left.length - wholeFrom - 1;
  return { begin, leftEnd: left.length - kept, rightEnd: right.length - kept };
}

/** Returns undefined if the search takes too long. */
async function minimal(olds: readonly string[], news: readonly string[], shift: number): Promise<readonly Hunk[] | undefined> {
  if (olds.length + news.length > MAX_LINES) return undefined;
  // Imported on demand, because most hosts never compare anything.
  const { structuredPatch } = await import("diff");
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", olds.join(""), news.join(""), undefined, undefined, options);
  return patch?.hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + shift, newStart: hunk.newStart + shift }));
}

function replaced(olds: readonly string[], news: readonly string[], shift: number): Hunk {
  const lines = [...olds.flatMap((line) => shown("-", line)), ...news.flatMap((line) => shown("+", line))];
  return { oldStart: shift + 1, oldLines: olds.length, newStart: shift + 1, newLines: news.length, lines };
}

function shown(sign: "-" | "+", line: string): readonly string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}

/** Splits a text into lines, each with its line end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/);
  return lines[0] === "" ? [] : lines;
}

function linesBack(text: string, from: number, count: number): number {
  let at = from;
  for (let line = 0; line < count && at > 0; line++) at = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  return at;
}

function linesOn(text: string, from: number, count: number): number {
  let at = from;
  for (let line = 0; line < count && at < text.length; line++) at = text.indexOf("\n", at) + 1 || text.length;
  return at;
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Escapes a file name with line ends, which could forge lines of the diff. */
function quoted(label: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}"\\]/u.test(label) ? JSON.stringify(label) : label;
}
