/** Tools that calculate. They need no permission, and equal arguments always have equal results. */

import type { CalculateArgs, CalculateOutput, StatisticsArgs, StatisticsOutput } from "./bascule.d.ts";
import { calculate as calculateText } from "./calculate.ts";
import { readNumbers } from "./names.ts";
import { describe } from "./statistics.ts";

export { matrix_eigenvalues, matrix_solve, matrix_svd } from "./matrix.ts";
export { optimize, bayesopt } from "./optimization.ts";
export { mcmc, monte_carlo } from "./sampling.ts";
export { solve_ode } from "./solve-ode.ts";
export { symbolic_solve } from "./symbolic-solve.ts";

const DEFAULT_QUANTILES = [0.25, 0.5, 0.75];

/** Calculates an arithmetic expression. */
export async function calculate(args: CalculateArgs): Promise<CalculateOutput> {
  return calculateText(args.expression, readNumbers(args.variables ?? {}));
}

/** Describes a list of numbers. */
export async function statistics(args: StatisticsArgs): Promise<StatisticsOutput> {
  const { values, quantiles = DEFAULT_QUANTILES, method = "linear" } = args;
  return describe(values, quantiles, method);
}
