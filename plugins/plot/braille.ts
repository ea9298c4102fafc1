/** Draws with Braille dots, two by four in each character (Unicode 15.1, chapter 21.1, U+2800). */

import { withAxes } from "./axes.ts";
import { drawLines, type Frame, isDrawn, type Series, shareOf } from "./series.ts";

/** Bits of the left and the right dot in each row. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

export interface BrailleOptions {
  /** Size in characters. */
  readonly width: number;
  readonly height: number;
  readonly frame: Frame;
  readonly style: "line" | "points";
  readonly title?: string | undefined;
}

export function drawBraille(series: readonly Series[], { width, height, frame, style, title }: BrailleOptions): string {
  const cells = Array.from({ length: height }, () => new Uint8Array(width));
  const dot = (x: number, y: number): void => {
    const row = cells[y >> 2];
    if (row !== undefined) row[x >> 1] = (row[x >> 1] ?? 0) | (DOTS[y & 3]?.[x & 1] ?? 0);
  };
  const size = { width: width * 2, height: height * 4 };
  for (const { points } of series) {
    if (style === "line") drawLines(points, frame, size, dot);
    else
      for (const point of points.filter(isDrawn)) {
        const y = Math.round((1 - shareOf(point[1], frame.y)) * (size.height - 1));
        if (y >= 0 && y < size.height) dot(Math.round(shareOf(point[0], frame.x) * (size.width - 1)), y);
      }
  }
  const rows = cells.map((row) => Array.from(row, (bits) => String.fromCharCode(0x2800 + bits)).join(""));
  const labels = series.flatMap(({ label }) => label ?? []);
  return [...(title === undefined ? [] : [title]), withAxes(rows, frame), ...(labels.length === 0 ? [] : [labels.join(", ")])].join("\n");
}
