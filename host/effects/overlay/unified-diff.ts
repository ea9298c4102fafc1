/**
 * A unified diff of two texts; nothing for what is no text, or differs over too much of it.
 *
 * What is compared is a guest's, and comparing takes time with the square of what differs: the equal
 * beginning and end are left out first, and where the rest is long or differs much it is shown as replaced (SPEC B1).
 */

import type { StructuredPatchHunk } from "diff";

/** Of either text. */
export const MAX_TEXT_BYTES: number = 1024 * 1024;
/** Of what lies between the equal beginning and end, in lines of both, and how many of them may differ. */
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

/** Undefined for what is no UTF-8, or holds what texts do not. */
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

/** Undefined where the texts differ over more than is shown. */
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

/** Where they begin to differ, and from where on they do no more; each at the beginning of a line. */
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

/** Undefined where finding it takes too long. */
async function minimal(olds: readonly string[], news: readonly string[], shift: number): Promise<readonly Hunk[] | undefined> {
  if (olds.length + news.length > MAX_LINES) return undefined;
  // Loaded when it is needed: most hosts never compare anything.
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

/** Each with its end. */
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

/** A file's name may hold a line end: it must not make lines of its own. */
function quoted(label: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}"\\]/u.test(label) ? JSON.stringify(label) : label;
}
