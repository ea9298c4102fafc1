/**
 * Pictures as sixels, which many terminals show (DEC STD 070, chapter 9): six rows of pixels at a time, one color after the
 * other, with run-length encoding.
 */

import { drawLines, type Frame, type Series } from "./series.ts";

const ESCAPE = "\u001b";
const BACKGROUND = 0;
const AXIS = 1;
const FIRST_COLOR = 2;
/** Red, green and blue in percent: white, gray, and colors that color-blind users can distinguish (Okabe and Ito, 2008). */
const PALETTE = [
  [100, 100, 100],
  [55, 55, 55],
  [0, 45, 70],
  [84, 37, 0],
  [0, 62, 45],
  [80, 47, 65],
  [90, 62, 0],
  [34, 71, 91],
  [0, 0, 0],
  [94, 89, 26],
] as const;

export interface SixelOptions {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  readonly frame: Frame;
}

export function drawSixel(series: readonly Series[], { width, height, frame }: SixelOptions): string {
  const pixels = new Uint8Array(width * height).fill(BACKGROUND);
  const paint =
    (color: number) =>
    (x: number, y: number): void => {
      pixels[y * width + x] = color;
    };
  drawAxes(frame, width, height, paint(AXIS));
  for (const [index, { points }] of series.entries()) {
    const dot = paint(FIRST_COLOR + (index % (PALETTE.length - FIRST_COLOR)));
    // Lines are two pixels thick, to be visible on high-resolution screens.
    drawLines(points, frame, { width: width - 1, height: height - 1 }, (x, y) => {
      for (const [right, down] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const)
        dot(x + right, y + down);
    });
  }
  return encodeSixel(pixels, width, height);
}

/** @param pixels color indexes, row by row */
export function encodeSixel(pixels: Uint8Array, width: number, height: number): string {
  const used = [...new Set(pixels)].toSorted((left, right) => left - right);
  const colors = used.map((color) => `#${color};2;${(PALETTE[color] ?? PALETTE[BACKGROUND]).join(";")}`);
  const bands: string[] = [];
  for (let top = 0; top < height; top += 6) bands.push(encodeBand(pixels, { width, height, top }));
  return `${ESCAPE}P0;1q"1;1;${width};${height}${colors.join("")}${bands.join("-")}${ESCAPE}\\`;
}

function encodeBand(
  pixels: Uint8Array,
  { width, height, top }: { readonly width: number; readonly height: number; readonly top: number },
): string {
  const columns = new Map<number, Uint8Array>();
  for (let row = 0; row < 6 && top + row < height; row++)
    for (let x = 0; x < width; x++) {
      const color = pixels[(top + row) * width + x] ?? BACKGROUND;
      const bits = columns.get(color) ?? new Uint8Array(width);
      bits[x] = (bits[x] ?? 0) | (1 << row);
      columns.set(color, bits);
    }
  return [...columns].map(([color, bits]) => `#${color}${encodeRuns(bits)}`).join("$");
}

function encodeRuns(bits: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bits.length;) {
    let end = start + 1;
    while (end < bits.length && bits[end] === bits[start]) end += 1;
    const character = String.fromCharCode(63 + (bits[start] ?? 0));
    text += end - start > 3 ? `!${end - start}${character}` : character.repeat(end - start);
    start = end;
  }
  return text;
}

/** Draws the axes at x = 0 and y = 0, or at the nearer edge. */
function drawAxes({ x, y }: Frame, width: number, height: number, dot: (x: number, y: number) => void): void {
  const nearest = (min: number, max: number): number => Math.min(1, Math.max(0, (0 - min) / (max - min)));
  const column = Math.round(nearest(x.min, x.max) * (width - 1));
  const row = Math.round((1 - nearest(y.min, y.max)) * (height - 1));
  for (let at = 0; at < height; at++) dot(column, at);
  for (let at = 0; at < width; at++) dot(at, row);
}
