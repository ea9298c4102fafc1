/** Tools that sample: results of uncertain inputs, and values that a density makes probable. */

import type { McmcArgs, McmcOutput, MonteCarloArgs, MonteCarloOutput } from "./bascule.d.ts";
import { compileExpression } from "./compile.ts";
import { drawFrom } from "./distributions.ts";
import { numberIn, optionalNumberIn, readNumbers, readRecords } from "./names.ts";
import { createRandom } from "./random.ts";
import { effectiveSize, sliceSample, splitRhat } from "./slice-sampler.ts";
import { describe } from "./statistics.ts";

const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95];
const DEFAULT_SAMPLES = 10_000;
const DEFAULT_CHAIN = 2_000;
const MAX_VARIABLES = 20;
/** Maximum evaluations of a log density, times rows of data, that fit the time of a call. */
const MAX_EVALUATIONS = 3_000_000;

/** Draws the variables, calculates the expression for each draw, and describes the results. */
export async function monte_carlo(args: MonteCarloArgs): Promise<MonteCarloOutput> {
  const records = readRecords(args.variables);
  const constants = readNumbers(args.constants ?? {});
  const draws = [...records].map(([name, given]) => drawFrom(name, given));
  const value = compileExpression(args.expression, [...records.keys(), ...constants.keys()]);
  const random = createRandom(args.seed ?? 0);
  const samples = args.samples ?? DEFAULT_SAMPLES;
  const fixed = [...constants.values()];
  const results: number[] = [];
  for (let index = 0; index < samples; index++) {
    const result = value([...draws.map((draw) => draw(random)), ...fixed]);
    if (Number.isFinite(result)) results.push(result);
  }
  const failed = samples - results.length;
  if (results.length === 0) throw new Error("Cannot calculate: for no sample the expression is a finite number");
  const { mean, min, max, standardDeviation, quantiles } = describe(results, QUANTILES, "linear");
  const { above } = args;
  return {
    ...{ samples, failed, mean, min, max, quantiles },
    standardDeviation: standardDeviation.sample,
    standardError: standardDeviation.sample === null ? null : standardDeviation.sample / Math.sqrt(results.length),
    ...(above !== undefined && { shareAbove: results.filter((result) => result > above).length / results.length }),
  };
}

/** Samples a density by slices and describes each variable. */
export async function mcmc(args: McmcArgs): Promise<McmcOutput> {
  const records = readRecords(args.variables);
  if (records.size === 0 || records.size > MAX_VARIABLES) throw new Error(`Give 1 to ${MAX_VARIABLES} variables, not ${records.size}`);
  const bounds = [...records].map(([name, given]) => {
    const [start, min, max] = [numberIn(given, "start", name), optionalNumberIn(given, "min", name), optionalNumberIn(given, "max", name)];
    const bound = { start, min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY };
    if (start < bound.min || start > bound.max) throw new Error(`The start ${start} of "${name}" is not within its bounds`);
    return bound;
  });
  const [samples, burnIn] = [args.samples ?? DEFAULT_CHAIN, args.burnIn ?? Math.ceil((args.samples ?? DEFAULT_CHAIN) / 4)];
  const density = densityOf(args, [...records.keys()]);
  // Estimate of the evaluations that slices take; the sampler stops at its own limit.
  const most = Math.floor(MAX_EVALUATIONS / Math.max(1, (args.data ?? []).length));
  const chain = sliceSample(density, bounds, { samples, burnIn, most, random: createRandom(args.seed ?? 0) });
  return {
    ...{ samples, burnIn, evaluations: chain.evaluations },
    variables: [...records.keys()].map((name, index) => {
      const values = chain.values.map((place) => place[index] ?? 0);
      const { mean, standardDeviation, quantiles } = describe(values, QUANTILES, "linear");
      const size = effectiveSize(values);
      return {
        ...{ name, mean, quantiles, standardDeviation: standardDeviation.sample, effectiveSamples: Math.round(size) },
        standardError: standardDeviation.sample === null ? null : standardDeviation.sample / Math.sqrt(size),
        rHat: splitRhat(values),
      };
    }),
  };
}

/** Compiles the log density; with data, adds a term for each row. */
function densityOf(args: McmcArgs, names: readonly string[]): (place: readonly number[]) => number {
  const constants = readNumbers(args.constants ?? {});
  const fixed = [...constants.values()];
  const own = compileExpression(args.logDensity, [...names, ...constants.keys()]);
  const { perRow, data = [] } = args;
  if ((perRow === undefined) !== (data.length === 0))
    throw new Error('Give "data" and "perRow" together: what each row adds to the log density');
  if (perRow === undefined) return (place) => own([...place, ...fixed]);
  const rows = data.map((row) => readNumbers(row));
  const columns = [...(rows[0]?.keys() ?? [])];
  const term = compileExpression(perRow, [...names, ...constants.keys(), ...columns]);
  const values = rows.map((row) => columns.map((column) => row.get(column) ?? Number.NaN));
  return (place) => values.reduce((sum, row) => sum + term([...place, ...fixed, ...row]), own([...place, ...fixed]));
}
