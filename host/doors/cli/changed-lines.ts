/** Formats the difference of two texts. */

import { diffLines } from "diff";
import type { Style } from "../../primitives/style.ts";
import { printable } from "../../primitives/text.ts";

/** Returns the removed and added lines, with one line of context. */
export function changedLines(before: string, after: string, style: Style): readonly string[] {
  return diffLines(before, after).flatMap(({ value, added, removed }) => {
    const lines = value.replace(/\n$/, "").split("\n").map(printable);
    if (added === true) return lines.map((line) => style.green(`+ ${line}`));
    if (removed === true) return lines.map((line) => style.red(`- ${line}`));
    return lines.length <= 3 ? lines.map((line) => `  ${line}`) : [`  ${lines[0] ?? ""}`, style.dim("  …"), `  ${lines.at(-1) ?? ""}`];
  });
}
