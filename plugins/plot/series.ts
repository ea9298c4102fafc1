/** What is plotted: lines of points, and the range that holds them. */

export interface Series {
  readonly label?: string;
  readonly points: readonly Point[];
}

export type Point = readonly [x: number, y: number];

/** A range of both axes, of some size in each. */
export interface Frame {
  readonly x: Range;
  readonly y: Range;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A line as arguments give it: without `x` values stand at 0, 1 and so on; null is a gap. */
export interface GivenSeries {
  readonly label?: string;
  readonly x?: readonly number[];
  readonly y: readonly (number | null)[];
}

/** @throws {Error} if there are not as many x as y. */
export function readSeries(given: readonly GivenSeries[]): readonly Series[] {
  return given.map(({ label, x, y }, index) => {
    if (x !== undefined && x.length !== y.length)
      throw new Error(`Series ${index + 1} has ${x.length} x and ${y.length} y (give as many, or no x)`);
    const points = y.map((value, place): Point => [x === undefined ? place : (x[place] ?? Number.NaN), value ?? Number.NaN]);
    return label === undefined ? { points } : { label, points };
  });
}

/**
 * The range of all points, or as much of it as is given.
 *
 * @throws {Error} if there is no point.
 */
export function frameOf(
  series: readonly Series[],
  wanted: { readonly yMin?: number | undefined; readonly yMax?: number | undefined },
): Frame {
  const points = series.flatMap(({ points: all }) => all.filter(isDrawn));
  if (points.length === 0) throw new Error("There is nothing to plot: no point has two finite numbers");
  const y = rangeOf(points.map(([, value]) => value));
  const [min, max] = [wanted.yMin ?? y.min, wanted.yMax ?? y.max];
  if (min > max) throw new Error(`The range of y is empty: from ${min} to ${max}`);
  return { x: widened(rangeOf(points.map(([x]) => x))), y: widened({ min, max }) };
}

export function isDrawn([x, y]: Point): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

/** Where a value is in a range, from 0 to 1. */
export function shareOf(value: number, { min, max }: Range): number {
  return (value - min) / (max - min);
}

/** Each line from point to point, in pixels; what is not finite interrupts it, and lines that leave the frame end there. */
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
  // Only as far as it is seen: a line to a pole would have no end.
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
  // Out of sight on one side, or from one side to the other: that is a pole, and no part of the line.
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

/** A range of one value has no size: one is put around it. */
function widened({ min, max }: Range): Range {
  if (!Number.isFinite(max - min)) throw new Error("The values are too far apart to be plotted");
  if (max > min) return { min, max };
  const around = min === 0 ? 1 : Math.abs(min) / 2;
  return { min: min - around, max: max + around };
}
