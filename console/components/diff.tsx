/** A unified diff as a table with line numbers. Changed words within a line are marked. */

import { diffWordsWithSpace, parsePatch, type StructuredPatchHunk } from "diff";
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "./button.tsx";

interface Line {
  readonly kind: "same" | "added" | "removed" | "place";
  readonly before?: number;
  readonly after?: number;
  readonly parts: readonly { readonly text: string; readonly isMarked: boolean }[];
}

/** Maximum lines that are shown at first; a button shows `MAX_LINES`. */
const FIRST_LINES = 300;
const MAX_LINES = 4_000;
/** Lines longer than this are compared as a whole, because comparing words takes quadratic time. */
const MAX_WORDS = 600;
/** Maximum characters of a line that are shown. */
const MAX_WIDTH = 5_000;

const SIGNS = { same: " ", added: "+", removed: "-", place: "" } as const;

export function Diff({ path, diff }: { readonly path: string; readonly diff: string }): VNode {
  const [isWhole, showWhole] = useState(false);
  const lines = useMemo(() => linesOf(diff), [diff]);
  const shown = lines.slice(0, isWhole ? MAX_LINES : FIRST_LINES);
  return (
    <div class="diff-frame" tabIndex={0} role="region" aria-label={`Changes in ${path}`}>
      <table class="diff">
        <tbody>
          {shown.map(({ kind, before, after, parts }, index) => (
            <tr key={index} class={kind}>
              <td class="line-number" aria-hidden="true">
                {before}
              </td>
              <td class="line-number" aria-hidden="true">
                {after}
              </td>
              <td class="diff-text">
                <span class="diff-sign">{SIGNS[kind]}</span>
                {parts.map(({ text, isMarked }, place) => (isMarked ? <mark key={place}>{text}</mark> : text))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <p class="code-rest">
          {shown.length} of {lines.length} lines shown {!isWhole && <Button onClick={() => showWhole(true)}>Show more lines</Button>}
        </p>
      )}
    </div>
  );
}

/** Returns the diff's lines. A text that is not a unified diff is shown as it is. */
function linesOf(diff: string): readonly Line[] {
  const hunks = hunksOf(diff);
  if (hunks === undefined) return diff.split("\n").map((text) => ({ kind: "same", parts: plain(text) }));
  return hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [placeOf(hunk)]), ...hunkLines(hunk)]);
}

function hunksOf(diff: string): readonly StructuredPatchHunk[] | undefined {
  try {
    const [patch] = parsePatch(diff);
    return patch === undefined || patch.hunks.length === 0 ? undefined : patch.hunks;
  } catch {
    // The host shortens long diffs, also within a hunk.
    return undefined;
  }
}

const placeOf = ({ oldStart, newStart }: StructuredPatchHunk): Line => ({
  kind: "place",
  parts: plain(`⋯ line ${oldStart} → ${newStart}`),
});

function hunkLines({ lines, oldStart, newStart }: StructuredPatchHunk): readonly Line[] {
  const shown: Line[] = [];
  let before = oldStart;
  let after = newStart;
  for (let at = 0; at < lines.length;) {
    const run = runOf(lines, at);
    const removed = run.filter((line) => line.startsWith("-")).map((line) => line.slice(1));
    const added = run.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    if (run.length === 0) {
      const line = lines[at++] ?? "";
      if (line.startsWith("\\")) shown.push({ kind: "place", parts: plain(line.slice(2)) });
      else shown.push({ kind: "same", before: before++, after: after++, parts: plain(line.slice(1)) });
      continue;
    }
    const pairs = removed.map((line, index) => wordsOf(line, added[index]));
    removed.forEach((line, index) => shown.push({ kind: "removed", before: before++, parts: pairs[index]?.before ?? plain(line) }));
    added.forEach((line, index) => shown.push({ kind: "added", after: after++, parts: pairs[index]?.after ?? plain(line) }));
    at += run.length;
  }
  return shown;
}

/** Returns the changed lines from here on. A reversed patch has added lines before removed ones. */
function runOf(lines: readonly string[], from: number): readonly string[] {
  let end = from;
  while (/^[-+]/.test(lines[end] ?? "")) end += 1;
  return lines.slice(from, end);
}

function plain(text: string): Line["parts"] {
  return [
    { text: text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}… (${text.length - MAX_WIDTH} more characters)` : text, isMarked: false },
  ];
}

/** Marks the words that differ, if the lines have enough in common. */
function wordsOf(before: string, after: string | undefined): { readonly before: Line["parts"]; readonly after: Line["parts"] } | undefined {
  if (after === undefined || before.length > MAX_WORDS || after.length > MAX_WORDS) return undefined;
  const parts = diffWordsWithSpace(before, after);
  const common = parts.filter(({ added, removed }) => !added && !removed).reduce((sum, { value }) => sum + value.trim().length, 0);
  if (common * 3 < Math.max(before.length, after.length)) return undefined;
  return {
    before: parts.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isMarked: removed })),
    after: parts.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isMarked: added })),
  };
}
