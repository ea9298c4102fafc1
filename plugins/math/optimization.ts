/** Tools that search for an optimum: of an expression, and of values that are expensive to measure. */

import type { BayesoptArgs, BayesoptOutput, OptimizeArgs, OptimizeOutput } from "./bascule.d.ts";
import { compileExpression } from "./compile.ts";
import { expectedImprovement, fitProcess, type Observation } from "./gaussian-process.ts";
import { numberIn, optionalNumberIn, readNumbers, readRecords } from "./names.ts";
import { type Bounds, minimize } from "./nelder-mead.ts";
import { createRandom, type Random } from "./random.ts";

const MAX_VARIABLES = 10;
const MAX_DEAR_VARIABLES = 6;
const MAX_OBSERVATIONS = 100;
const DEFAULT_EVALUATIONS = 5_000;
const DEFAULT_TOLERANCE = 1e-10;
/** Candidates for the expected improvement: random ones, and some around the best of those. */
const CANDIDATES = 400;
const NEAR_CANDIDATES = 200;

/** Finds where an expression is least or greatest. */
export async function optimize(args: OptimizeArgs): Promise<OptimizeOutput> {
  const records = readRecords(args.variables);
  requireCount(records.size, MAX_VARIABLES);
  const names = [...records.keys()];
  const constants = readNumbers(args.constants ?? {});
  const objective = compileExpression(args.objective, [...names, ...constants.keys()]);
  const fixed = [...constants.values()];
  const sign = args.goal === "maximize" ? -1 : 1;
  const bounds = [...records].map(([name, given]) => boundsOf(given, name));
  const start = [...records].map(([name, given]) => numberIn(given, "start", name));
  const { place, value, converged, evaluations } = minimize((at) => sign * objective([...at, ...fixed]), start, {
    bounds,
    tolerance: args.tolerance ?? DEFAULT_TOLERANCE,
    maxEvaluations: args.maxEvaluations ?? DEFAULT_EVALUATIONS,
  });
  return { values: toRecord(names, place), objective: sign * value + 0, converged, evaluations };
}

/** Suggests the next point to evaluate, or evaluates the objective as often as allowed. */
export async function bayesopt(args: BayesoptArgs): Promise<BayesoptOutput> {
  const records = readRecords(args.variables);
  requireCount(records.size, MAX_DEAR_VARIABLES);
  const names = [...records.keys()];
  const ranges = [...records].map(([name, given]) => {
    const range = { min: numberIn(given, "min", name), max: numberIn(given, "max", name) };
    if (range.min >= range.max) throw new Error(`The min of "${name}" is not below its max`);
    return range;
  });
  const sign = args.goal === "maximize" ? -1 : 1;
  const observations = (args.observations ?? []).map(({ values, objective }): Observation => {
    const given = readNumbers(values);
    return { place: names.map((name, index) => toUnit(numberIn(given, name, name), ranges[index])), value: sign * objective };
  });
  const { iterations = 0 } = args;
  if (observations.length + iterations > MAX_OBSERVATIONS)
    throw new Error(`There are ${observations.length + iterations} observations and iterations, more than ${MAX_OBSERVATIONS}`);
  if ((args.objective === undefined) !== (iterations === 0))
    throw new Error('Give "objective" and "iterations" together, or observations only: then the next place is suggested');
  const objective = compileExpression(args.objective ?? "0", names);
  const random = createRandom(args.seed ?? 0);
  const toValues = (place: readonly number[]): Record<string, number> =>
    toRecord(
      names,
      place.map((part, index) => fromUnit(part, ranges[index])),
    );
  for (let index = 0; index < iterations; index++) {
    const { place } = suggest(observations, ranges.length, random);
    const value = sign * objective(Object.values(toValues(place)));
    if (!Number.isFinite(value)) throw new Error(`The objective is not a finite number at ${JSON.stringify(toValues(place))}`);
    observations.push({ place, value });
  }
  const next = suggest(observations, ranges.length, random);
  const best = bestOf(observations);
  return {
    suggestion: toValues(next.place),
    ...(next.expected !== undefined && {
      expected: {
        objective: sign * next.expected.mean,
        standardDeviation: next.expected.deviation,
        improvement: next.expected.improvement,
      },
    }),
    ...(best !== undefined && { best: { values: toValues(best.place), objective: sign * best.value } }),
    observations: observations.length,
  };
}

interface Suggestion {
  readonly place: readonly number[];
  readonly expected?: { readonly mean: number; readonly deviation: number; readonly improvement: number };
}

/** Spread out while little is known, then follow the greatest expected improvement. */
function suggest(observations: readonly Observation[], dimensions: number, random: Random): Suggestion {
  const best = bestOf(observations);
  const anywhere = (): readonly number[] => Array.from({ length: dimensions }, () => random.uniform());
  if (best === undefined || observations.length < dimensions + 2)
    return { place: farthest(observations, Array.from({ length: 50 }, anywhere)) };
  const process = fitProcess(observations);
  const judge = (place: readonly number[]): Required<Suggestion> => {
    const { mean, deviation } = process(place);
    return { place, expected: { mean, deviation, improvement: expectedImprovement({ mean, deviation }, best.value) } };
  };
  const better = (left: Required<Suggestion>, right: Required<Suggestion>): Required<Suggestion> =>
    right.expected.improvement > left.expected.improvement ? right : left;
  let found = judge(best.place);
  for (let index = 0; index < CANDIDATES; index++) found = better(found, judge(anywhere()));
  for (let index = 0; index < NEAR_CANDIDATES; index++) {
    // Samples around the best known point and around the best candidate, closer each time.
    const center = index % 2 === 0 ? found.place : best.place;
    const reach = 0.1 * 0.98 ** index;
    found = better(found, judge(center.map((part) => Math.min(1, Math.max(0, part + reach * random.normal())))));
  }
  return found;
}

/** Returns the candidate that is farthest from all known points. */
function farthest(observations: readonly Observation[], places: readonly (readonly number[])[]): readonly number[] {
  const distance = (place: readonly number[]): number =>
    Math.min(...observations.map((other) => Math.hypot(...place.map((part, index) => part - (other.place[index] ?? 0)))));
  return places.reduce((found, place) => (distance(place) > distance(found) ? place : found));
}

function bestOf(observations: readonly Observation[]): Observation | undefined {
  return observations.reduce<Observation | undefined>(
    (best, one) => (best === undefined || one.value < best.value ? one : best),
    undefined,
  );
}

function boundsOf(given: ReadonlyMap<string, unknown>, name: string): Bounds {
  const min = optionalNumberIn(given, "min", name) ?? Number.NEGATIVE_INFINITY;
  const max = optionalNumberIn(given, "max", name) ?? Number.POSITIVE_INFINITY;
  if (min > max) throw new Error(`The min of "${name}" is above its max`);
  return { min, max };
}

function requireCount(count: number, most: number): void {
  if (count === 0 || count > most) throw new Error(`Give 1 to ${most} variables, not ${count}`);
}

function toRecord(names: readonly string[], place: readonly number[]): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, place[index] ?? 0]));
}

function toUnit(value: number, range: Bounds | undefined): number {
  return range === undefined ? value : (value - range.min) / (range.max - range.min);
}

function fromUnit(part: number, range: Bounds | undefined): number {
  return range === undefined ? part : range.min + part * (range.max - range.min);
}
