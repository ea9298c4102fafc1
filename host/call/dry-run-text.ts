/** Formats a dry run: one line per change, with the diff below it. All texts are made inert. */

import type { Contents, DryRunReport, FileChange } from "./dry-run-report.ts";
import type { Style } from "../primitives/style.ts";
import { count, printable } from "../primitives/text.ts";

/** Maximum lines of all diffs together. The JSON output has all of them. */
const MAX_DIFF_LINES = 500;

export function dryRunLines({ changes, moreChanges, held, moreHeld }: DryRunReport, style: Style): readonly string[] {
  let left = MAX_DIFF_LINES;
  const lines = changes.flatMap((change) => {
    const diff = diffLines(change, style);
    const shown = diff.slice(0, left);
    left -= shown.length;
    const hidden = diff.length - shown.length;
    return [
      changeLine(change, style),
      ...shown.map((line) => `    ${line}`),
      ...(hidden > 0 ? [style.dim(`    … ${count(hidden, "more line")}`)] : []),
    ];
  });
  if (moreChanges !== undefined) lines.push(style.dim(`  … ${count(moreChanges, "more change")}`));
  for (const { method, url, bytes } of held)
    lines.push(`  ${style.yellow("not sent")}  ${printable(`${method} ${url}`)} (${sizeOf(bytes)})`);
  if (moreHeld !== undefined) lines.push(style.dim(`  … ${count(moreHeld, "more request")} not sent`));
  return lines.length === 0 ? [style.dim("  changes nothing")] : lines;
}

function changeLine({ kind, path, from, type, before, after, mode }: FileChange, style: Style): string {
  const paint = { created: style.green, modified: style.yellow, deleted: style.red, renamed: style.cyan }[kind];
  const place = printable(from === undefined ? path : `${from} → ${path}`) + (type === "directory" ? "/" : "");
  const facts = [
    ...(type === "symlink" ? ["a link"] : []),
    ...(before || after ? [[before, after].flatMap((side) => (side ? [sizeOf(side.bytes)] : [])).join(" → ")] : []),
    ...(mode === undefined ? [] : [mode]),
  ];
  return `  ${paint(kind.padEnd(8))}  ${place}${facts.length === 0 ? "" : style.dim(`  ${facts.join(", ")}`)}`;
}

function hashText({ sha256 }: Contents): string {
  return sha256 === undefined ? "not read" : `sha256 ${sha256.slice(0, 16)}…`;
}

/** Formats the diff of a file; for binary contents, the hashes. */
function diffLines({ diff, before, after }: FileChange, style: Style): readonly string[] {
  if (diff === undefined) {
    const hashes = [before, after].map((side) => (side ? hashText(side) : "nothing"));
    return before || after ? [style.dim(`not shown as text: ${hashes.join(" → ")}`)] : [];
  }
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  // Skip the two header lines: the line above the diff names the file.
  return lines.slice(2).map((line) => {
    // Show a carriage return, which is a real difference. Tabs are whitespace and stay.
    const shown = line.split("\t").map(printable).join("\t");
    if (line.startsWith("+")) return style.green(shown);
    if (line.startsWith("-")) return style.red(shown);
    return line.startsWith("@@") ? style.cyan(shown) : shown;
  });
}

function sizeOf(bytes: number): string {
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}
