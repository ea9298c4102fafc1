/**
 * Gaussian process regression and expected improvement (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
 * algorithm 2.1; Jones, Schonlau and Welch, "Efficient Global Optimization", 1998).
 *
 * Points are in the unit cube. The kernel is Matérn 5/2; its length scale is the same in all directions, and is chosen by the
 * likelihood of the observations.
 */

import { CholeskyDecomposition, Matrix } from "./vendor/ml-matrix.js";

export interface Observation {
  readonly place: readonly number[];
  readonly value: number;
}

export interface Prediction {
  readonly mean: number;
  readonly deviation: number;
}

const REACHES = [0.05, 0.1, 0.2, 0.35, 0.6, 1, 2];
/** Shares of noise in the variance, from exact values to noisy ones. */
const NOISES = [1e-8, 1e-4, 1e-2, 1e-1];

/** Predicted mean and deviation at a point. */
export type Process = (place: readonly number[]) => Prediction;

/** @param observations at least two, with different values */
export function fitProcess(observations: readonly Observation[]): Process {
  const values = observations.map(({ value }) => value);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) || 1;
  const scaled = Matrix.columnVector(values.map((value) => (value - mean) / spread));
  let best: Fit | undefined;
  for (const reach of REACHES)
    for (const noise of NOISES) {
      const fit = fitWith(observations, scaled, reach, noise);
      if (fit !== undefined && (best === undefined || fit.likelihood > best.likelihood)) best = fit;
    }
  if (best === undefined) throw new Error("Cannot model the observations: they contradict each other");
  const { reach, weights, lower } = best;
  return (place) => {
    const near = observations.map((other) => kernel(place, other.place, reach));
    const expected = near.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
    const explained = forward(lower, near).reduce((sum, value) => sum + value * value, 0);
    return { mean: mean + spread * expected, deviation: spread * Math.sqrt(Math.max(0, 1 - explained)) };
  };
}

/** Returns by how much the value is expected to fall below `best`. */
export function expectedImprovement({ mean, deviation }: Prediction, best: number): number {
  if (deviation <= 0) return Math.max(0, best - mean);
  const standard = (best - mean) / deviation;
  return (best - mean) * normalShare(standard) + (deviation * Math.exp(-0.5 * standard * standard)) / Math.sqrt(2 * Math.PI);
}

interface Fit {
  readonly reach: number;
  readonly weights: readonly number[];
  readonly lower: readonly (readonly number[])[];
  readonly likelihood: number;
}

function fitWith(observations: readonly Observation[], scaled: Matrix, reach: number, noise: number): Fit | undefined {
  const covariance = observations.map((left, row) =>
    observations.map((right, column) => kernel(left.place, right.place, reach) + (row === column ? noise : 0)),
  );
  const cholesky = new CholeskyDecomposition(new Matrix(covariance));
  if (!cholesky.isPositiveDefinite()) return undefined;
  const weights = cholesky.solve(scaled).to1DArray();
  const lower = cholesky.lowerTriangularMatrix.to2DArray();
  const fit = scaled.to1DArray().reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
  const size = lower.reduce((sum, row, index) => sum + Math.log(row[index] ?? 1), 0);
  return { reach, weights, lower, likelihood: -0.5 * fit - size };
}

function kernel(left: readonly number[], right: readonly number[], reach: number): number {
  const far = (Math.sqrt(5) * Math.hypot(...left.map((part, index) => part - (right[index] ?? 0)))) / reach;
  return (1 + far + (far * far) / 3) * Math.exp(-far);
}

/** Solves L x = b by forward substitution. */
function forward(lower: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const solution: number[] = [];
  for (const [index, row] of lower.entries()) {
    let value = right[index] ?? 0;
    for (const [before, part] of solution.entries()) value -= (row[before] ?? 0) * part;
    solution.push(value / (row[index] ?? 1));
  }
  return solution;
}

/** Cumulative normal distribution (Abramowitz and Stegun, 7.1.26: within 1.5e-7). */
function normalShare(value: number): number {
  const x = Math.abs(value) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x);
  return value < 0 ? tail / 2 : 1 - tail / 2;
}
