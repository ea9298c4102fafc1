/** Axis labels. */

import type { Frame, Range } from "./series.ts";

const DIGITS = 4;

/** Formats a number short enough for a label. */
export function label(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4))
    return value
      .toExponential(2)
      .replace(/\.?0+e/u, "e")
      .replace("e+", "e");
  return String(Number(value.toPrecision(DIGITS)));
}

/** Adds values at the left of a plot's rows, and the ends of x below. */
export function withAxes(rows: readonly string[], { x, y }: Frame): string {
  const middle = Math.floor((rows.length - 1) / 2);
  const labels = new Map([
    [0, label(y.max)],
    [middle, label(y.max - ((y.max - y.min) * middle) / Math.max(1, rows.length - 1))],
    [rows.length - 1, label(y.min)],
  ]);
  const width = Math.max(...[...labels.values()].map((text) => text.length));
  const lines = rows.map((row, index) => `${(labels.get(index) ?? "").padStart(width)} ${labels.has(index) ? "┤" : "│"}${row}`);
  const length = rows[0]?.length ?? 0;
  return [...lines, `${" ".repeat(width)} └${"─".repeat(length)}`, `${" ".repeat(width + 2)}${ends(x, length)}`].join("\n");
}

function ends(x: Range, length: number): string {
  const [left, right] = [label(x.min), label(x.max)];
  return left.length + right.length + 1 > length
    ? `${left} … ${right}`
    : `${left}${" ".repeat(length - left.length - right.length)}${right}`;
}
