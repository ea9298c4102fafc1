/**
 * Slice sampling of one variable after the other, with stepping out and shrinkage (Neal, "Slice Sampling", Annals of Statistics
 * 31, 2003). No step size has to be chosen.
 */

import type { Random } from "./random.ts";

interface Bound {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

interface Options {
  readonly samples: number;
  readonly burnIn: number;
  /** Maximum evaluations of the density. */
  readonly most: number;
  readonly random: Random;
}

export interface Chain {
  readonly values: readonly (readonly number[])[];
  readonly evaluations: number;
}

/** Maximum steps out of a slice to one side. */
const MAX_STEPS = 50;

/** @throws {Error} if the density is 0 at the start, or takes too many evaluations. */
export function sliceSample(logDensity: (place: readonly number[]) => number, bounds: readonly Bound[], options: Options): Chain {
  const { samples, burnIn, most, random } = options;
  let evaluations = 0;
  const place = bounds.map(({ start }) => start);
  const widths = bounds.map(({ start, min, max }) => (Number.isFinite(max - min) ? (max - min) / 4 : Math.max(1, Math.abs(start))));

  const at = (index: number, value: number): number => {
    const bound = bounds[index];
    if (bound === undefined || value < bound.min || value > bound.max) return Number.NEGATIVE_INFINITY;
    if (++evaluations > most)
      throw new Error(`The density was evaluated more than ${most} times (take fewer samples, or fewer rows of data)`);
    const before = place[index] ?? 0;
    place[index] = value;
    const found = logDensity(place);
    place[index] = before;
    return Number.isNaN(found) ? Number.NEGATIVE_INFINITY : found;
  };

  if (!Number.isFinite(at(0, place[0] ?? 0))) throw new Error("The density at the start is 0, or no number (start elsewhere)");
  const values: (readonly number[])[] = [];
  for (let index = 0; index < burnIn + samples; index++) {
    for (const variable of place.keys()) {
      const before = place[variable] ?? 0;
      const width = widths[variable] ?? 1;
      const [next, reach] = oneStep((value) => at(variable, value), before, width, random);
      place[variable] = next;
      // Widths adapt to the slices during warm-up.
      if (index < burnIn) widths[variable] = width + (reach - width) / (index + 2);
    }
    if (index >= burnIn) values.push([...place]);
  }
  return { values, evaluations };
}

/** @returns the next value, and the width of the slice. */
function oneStep(
  density: (value: number) => number,
  before: number,
  width: number,
  random: Random,
): readonly [next: number, reach: number] {
  const level = density(before) + Math.log1p(-random.uniform());
  let left = before - width * random.uniform();
  let right = left + width;
  for (let step = 0; step < MAX_STEPS && density(left) > level; step++) left -= width;
  for (let step = 0; step < MAX_STEPS && density(right) > level; step++) right += width;
  const reach = right - left;
  for (;;) {
    const next = left + (right - left) * random.uniform();
    if (density(next) > level) return [next, reach];
    if (next === before || right - left < Number.EPSILON * Math.abs(before)) return [before, reach];
    if (next < before) left = next;
    else right = next;
  }
}

/** Effective sample size: Geyer's initial positive sequence ("Practical Markov Chain Monte Carlo", 1992). */
export function effectiveSize(values: readonly number[]): number {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const away = values.map((value) => value - mean);
  const covariance = (lag: number): number => {
    let sum = 0;
    for (let index = lag; index < count; index++) sum += (away[index] ?? 0) * (away[index - lag] ?? 0);
    return sum / count;
  };
  const variance = covariance(0);
  if (variance === 0) return count;
  let time = -1;
  for (let lag = 0; lag + 1 < count; lag += 2) {
    const pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (pair <= 0) break;
    time += 2 * pair;
  }
  return Math.min(count, count / Math.max(time, 1 / count));
}

/** Split R-hat: near 1 if both halves of the chain agree (Gelman and others, "Bayesian Data Analysis", 3rd edition, 11.4). */
export function splitRhat(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const halves = [values.slice(0, half), values.slice(values.length - half)];
  const means = halves.map((part) => part.reduce((sum, value) => sum + value, 0) / half);
  const variances = halves.map((part, index) => part.reduce((sum, value) => sum + (value - (means[index] ?? 0)) ** 2, 0) / (half - 1));
  const within = variances.reduce((sum, value) => sum + value, 0) / 2;
  const between = (half * ((means[0] ?? 0) - (means[1] ?? 0)) ** 2) / 2;
  return within === 0 ? 1 : Math.sqrt((half - 1) / half + between / (half * within));
}
