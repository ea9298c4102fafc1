/** Bars of block characters, with eight steps in each character. */

import { label } from "./axes.ts";
import type { Bin } from "./histogram-bins.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Draws a line for each interval: its start, its bar, its count. */
export function drawBars(bins: readonly Bin[], width: number): string {
  const most = Math.max(...bins.map(({ count }) => count));
  const labels = bins.map(({ from, to }) => (from === to ? label(from) : `${label(from)} … ${label(to)}`));
  const margin = Math.max(...labels.map((text) => text.length));
  return bins.map(({ count }, index) => `${(labels[index] ?? "").padStart(margin)} │${bar((count / most) * width)} ${count}`).join("\n");
}

/** Makes any count above 0 visible. */
function bar(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return "█".repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? "");
}
