/** Describes a list of numbers. */

/** How a quantile between two values is found; names and numbers as in Hyndman and Fan (1996), which R follows. */
export type QuantileMethod = "linear" | "exclusive" | "median_unbiased" | "nearest_rank";

export interface Statistics {
  count: number;
  /** Nulls among the values, which count for nothing else. */
  missing: number;
  sum: number | null;
  mean: number | null;
  median: number | null;
  /** The values that occur most often, if any occurs twice; ascending, at most 100. */
  modes: number[];
  min: number | null;
  max: number | null;
  variance: Spread;
  standardDeviation: Spread;
  quantiles: { p: number; value: number | null }[];
  method: QuantileMethod;
}

/** Divided by `n - 1`, and by `n`. */
export interface Spread {
  sample: number | null;
  population: number | null;
}

const MAX_MODES = 100;

/**
 * Describes the values. What does not exist is null: everything but `count` and `sum` of no values, the sample variance of
 * one, and what no double holds.
 *
 * @throws {Error} if a value is no finite number.
 */
export function describe(values: readonly (number | null)[], probabilities: readonly number[], method: QuantileMethod): Statistics {
  const numbers = takeNumbers(values);
  const sorted = numbers.toSorted();
  const count = sorted.length;
  const scale = scaleOf(sorted);
  // Divided by a power of two nothing is rounded, and no sum or square is too large.
  const scaled = sorted.map((value) => value / scale);
  const sum = sumOf(scaled);
  const mean = count === 0 ? null : meanOf(scaled, sum);
  const squares = mean === null ? 0 : squaresAbout(scaled, mean);
  const variance = {
    sample: count < 2 ? null : finite((squares / (count - 1)) * scale * scale),
    population: count === 0 ? null : finite((squares / count) * scale * scale),
  };
  return {
    count,
    missing: values.length - count,
    sum: finite(sum * scale),
    mean: mean === null ? null : clean(mean * scale),
    median: quantileOf(sorted, 0.5, "linear"),
    modes: modesOf(sorted),
    min: clean(sorted[0]),
    max: clean(sorted.at(-1)),
    variance,
    standardDeviation: {
      sample: count < 2 ? null : finite(Math.sqrt(squares / (count - 1)) * scale),
      population: count === 0 ? null : finite(Math.sqrt(squares / count) * scale),
    },
    quantiles: probabilities.map((p) => ({ p, value: quantileOf(sorted, p, method) })),
    method,
  };
}

function takeNumbers(values: readonly (number | null)[]): Float64Array {
  const numbers: number[] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    if (!Number.isFinite(value)) throw new Error(`Cannot describe the values: values[${index}] is ${value}, not a finite number`);
    numbers.push(value);
  }
  return Float64Array.from(numbers);
}

/** A power of two near the largest value; 1 where sums and squares are harmless anyway. */
function scaleOf(sorted: Float64Array): number {
  const largest = Math.max(Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0));
  if (largest === 0 || (largest > 1e-100 && largest < 1e100)) return 1;
  return 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))));
}

/** Neumaier's compensated sum: what each addition rounds off is kept and added at the end. */
export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/** What the division rounds off shows when the mean is taken off the sum as often as there are values. */
function meanOf(values: Float64Array, sum: number): number {
  const about = sum / values.length;
  const rest = sumOf([...values, ...new Float64Array(values.length).fill(-about)]);
  return about + rest / values.length;
}

/** The sum of the squared distances, in two passes; the second term takes off what the mean's rounding added. */
function squaresAbout(values: Float64Array, mean: number): number {
  const distances = values.map((value) => value - mean);
  const rest = sumOf(distances);
  return Math.max(0, sumOf(distances.map((distance) => distance * distance)) - (rest * rest) / values.length);
}

function modesOf(sorted: Float64Array): number[] {
  let modes: number[] = [];
  let most = 1;
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end] === sorted[start]) end += 1;
    const times = end - start;
    if (times > most) modes = [];
    if (times >= most && times > 1 && modes.length < MAX_MODES) modes.push(clean(sorted[start]) ?? 0);
    most = Math.max(most, times);
  }
  return modes;
}

/** The value below which the part `p` of the values lies. */
function quantileOf(sorted: Float64Array, p: number, method: QuantileMethod): number | null {
  const n = sorted.length;
  if (n === 0) return null;
  const at = (rank: number): number => sorted[Math.min(Math.max(rank, 1), n) - 1] ?? 0;
  if (method === "nearest_rank") return clean(at(Math.ceil(n * p)));
  // The rank, counted from 1, and how far it is towards the next.
  const rank = rankOf(n, p, method);
  const below = Math.floor(rank);
  const part = rank - below;
  const [low, high] = [at(below), at(below + 1)];
  const distance = high - low;
  const value = Number.isFinite(distance) ? low + distance * part : low * (1 - part) + high * part;
  return clean(Math.min(Math.max(value, low), high));
}

function rankOf(n: number, p: number, method: Exclude<QuantileMethod, "nearest_rank">): number {
  switch (method) {
    case "linear":
      return (n - 1) * p + 1;
    case "exclusive":
      return (n + 1) * p;
    case "median_unbiased":
      return (n + 1 / 3) * p + 1 / 3;
  }
}

/** What JSON can hold: -0 becomes 0. */
function clean(value: number): number;
function clean(value: number | undefined): number | null;
function clean(value: number | undefined): number | null {
  if (value === undefined) return null;
  return value === 0 ? 0 : value;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? clean(value) : null;
}
