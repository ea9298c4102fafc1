/** Counts values in intervals of equal width. */

export interface Bin {
  readonly from: number;
  /** Only the last interval includes its end. */
  readonly to: number;
  readonly count: number;
}

const MAX_BINS = 60;

/**
 * @param count number of intervals; by the rule of Freedman and Diaconis if undefined ("On the histogram as a density estimator",
 * 1981)
 * @throws {Error} if no value is finite.
 */
export function binsOf(values: readonly number[], count: number | undefined): readonly Bin[] {
  const sorted = Float64Array.from(values).toSorted();
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) throw new Error("Nothing to count: the list has no number");
  if (!Number.isFinite(max - min)) throw new Error("The values are too far apart to be counted in intervals");
  if (min === max) return [{ from: min, to: max, count: sorted.length }];
  const bins = count ?? binCount(sorted, max - min);
  const edge = (index: number): number => (index === bins ? max : min + ((max - min) * index) / bins);
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of sorted) {
    const place = Math.min(bins - 1, Math.floor(((value - min) / (max - min)) * bins));
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts.map((found, index) => ({ from: edge(index), to: edge(index + 1), count: found }));
}

function binCount(sorted: Float64Array, range: number): number {
  const quartile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const width = (2 * (quartile(0.75) - quartile(0.25))) / Math.cbrt(sorted.length);
  // Most values are equal: use Sturges' rule.
  const wanted = width > 0 ? range / width : Math.log2(sorted.length) + 1;
  return Math.max(1, Math.min(MAX_BINS, Math.ceil(wanted)));
}
