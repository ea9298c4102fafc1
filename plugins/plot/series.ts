/** Data to plot: lines of points, and the range that contains them. */

export interface Series {
  readonly label?: string;
  readonly points: readonly Point[];
}

export type Point = readonly [x: number, y: number];

/** Range of both axes; neither is empty. */
export interface Frame {
  readonly x: Range;
  readonly y: Range;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Converts a series from the arguments: without `x`, values are at 0, 1 and so on; null is a gap. */
export interface GivenSeries {
  readonly label?: string;
  readonly x?: readonly number[];
  readonly y: readonly (number | null)[];
}

/** @throws {Error} if the counts of x and y differ. */
export function readSeries(given: readonly GivenSeries[]): readonly Series[] {
  return given.map(({ label, x, y }, index) => {
    if (x !== undefined && x.length !== y.length)
      throw new Error(`Series ${index + 1} has ${x.length} x and ${y.length} y (give as many, or no x)`);
    const points = y.map((value, place): Point => [x === undefined ? place : (x[place] ?? Number.NaN), value ?? Number.NaN]);
    return label === undefined ? { points } : { label, points };
  });
}

/**
 * Returns the range of all points, with the given bounds in place of their own.
 *
 * @throws {Error} if no point has two finite numbers.
 */
export function frameOf(
  series: readonly Series[],
  wanted: { readonly yMin?: number | undefined; readonly yMax?: number | undefined },
): Frame {
  const points = series.flatMap(({ points: all }) => all.filter(isDrawn));
  if (points.length === 0) throw new Error("Nothing to plot: no point has two finite numbers");
  const y = rangeOf(points.map(([, value]) => value));
  const [min, max] = [wanted.yMin ?? y.min, wanted.yMax ?? y.max];
  if (min > max) throw new Error(`The range of y is empty: from ${min} to ${max}`);
  return { x: widened(rangeOf(points.map(([x]) => x))), y: widened({ min, max }) };
}

export function isDrawn([x, y]: Point): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

/** Returns the position of a value in a range, from 0 to 1. */
export function shareOf(value: number, { min, max }: Range): number {
  return (value - min) / (max - min);
}

/** Draws each line from point to point, in pixels; non-finite values interrupt it, and lines are clipped to the frame. */
export function drawLines(
  points: readonly Point[],
  frame: Frame,
  size: { readonly width: number; readonly height: number },
  dot: (x: number, y: number) => void,
): void {
  let before: Point | undefined;
  for (const point of points) {
    if (!isDrawn(point)) {
      before = undefined;
      continue;
    }
    const here: Point = [shareOf(point[0], frame.x) * (size.width - 1), (1 - shareOf(point[1], frame.y)) * (size.height - 1)];
    drawLine(before ?? here, here, size, dot);
    before = here;
  }
}

function drawLine(
  [x0, y0]: Point,
  [x1, y1]: Point,
  { width, height }: { readonly width: number; readonly height: number },
  dot: (x: number, y: number) => void,
): void {
  // Clip to the frame: a line to a pole would never end.
  const [from, to] = clipped([x0, y0], [x1, y1], height);
  if (from === undefined || to === undefined) return;
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]))));
  for (let step = 0; step <= steps; step++) {
    const x = Math.round(from[0] + ((to[0] - from[0]) * step) / steps);
    const y = Math.round(from[1] + ((to[1] - from[1]) * step) / steps);
    if (x >= 0 && x < width && y >= 0 && y < height) dot(x, y);
  }
}

function clipped(from: Point, to: Point, height: number): readonly [Point?, Point?] {
  const [low, high] = [-0.5, height - 0.5];
  const at = (y: number): Point => [from[0] + ((to[0] - from[0]) * (y - from[1])) / (to[1] - from[1]), y];
  const inside = (point: Point): Point => (point[1] < low ? at(low) : point[1] > high ? at(high) : point);
  const sides = [from, to].map(([, y]) => (y < low ? -1 : y > high ? 1 : 0));
  // Skip lines that are outside on one side, or that jump from one side to the other: those cross a pole.
  if (!sides.includes(0)) return [];
  return [inside(from), inside(to)];
}

function rangeOf(values: readonly number[]): Range {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** Widens a range of a single value. */
function widened({ min, max }: Range): Range {
  if (!Number.isFinite(max - min)) throw new Error("The values are too far apart to be plotted");
  if (max > min) return { min, max };
  const around = min === 0 ? 1 : Math.abs(min) / 2;
  return { min: min - around, max: max + around };
}
