/** Describes a list of numbers. */

/** Interpolation between two values of a quantile; names and numbers as in Hyndman and Fan (1996), which R follows. */
export type QuantileMethod = "linear" | "exclusive" | "median_unbiased" | "nearest_rank";

export interface Statistics {
  count: number;
  /** Count of nulls among the values; nothing else counts them. */
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

/** Variances, divided by `n - 1` and by `n`. */
export interface Spread {
  sample: number | null;
  population: number | null;
}

const MAX_MODES = 100;

/**
 * Describes the values. A figure that does not exist is null: everything but `count` and `sum` of an empty list, the sample
 * variance of one value, and figures beyond a double.
 *
 * @throws {Error} if a value is not a finite number.
 */
export function describe(values: readonly (number | null)[], probabilities: readonly number[], method: QuantileMethod): Statistics {
  const numbers = takeNumbers(values);
  const sorted = numbers.toSorted();
  const count = sorted.length;
  const scale = scaleOf(sorted);
  // Dividing by a power of two rounds nothing, and keeps sums and squares in range.
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

/** A power of two near the largest value; 1 if sums and squares are in range anyway. */
function scaleOf(sorted: Float64Array): number {
  const largest = Math.max(Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0));
  if (largest === 0 || (largest > 1e-100 && largest < 1e100)) return 1;
  return 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))));
}

/** Neumaier's compensated sum: the rounding error of each addition is collected and added at the end. */
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

/** Corrects the rounding of the division: subtracts the mean from the sum once for each value. */
function meanOf(values: Float64Array, sum: number): number {
  const about = sum / values.length;
  const rest = sumOf([...values, ...new Float64Array(values.length).fill(-about)]);
  return about + rest / values.length;
}

/** Returns the sum of squared distances, in two passes; the second term corrects the rounding of the mean. */
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

/** Returns the value below which the part `p` of the values lies. */
function quantileOf(sorted: Float64Array, p: number, method: QuantileMethod): number | null {
  const n = sorted.length;
  if (n === 0) return null;
  const at = (rank: number): number => sorted[Math.min(Math.max(rank, 1), n) - 1] ?? 0;
  if (method === "nearest_rank") return clean(at(Math.ceil(n * p)));
  // Returns the rank, counted from 1, and the fraction towards the next.
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

/** Converts to a JSON number: -0 becomes 0. */
function clean(value: number): number;
function clean(value: number | undefined): number | null;
function clean(value: number | undefined): number | null {
  if (value === undefined) return null;
  return value === 0 ? 0 : value;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? clean(value) : null;
}
