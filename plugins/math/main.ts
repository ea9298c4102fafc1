/** Tools that calculate. They need no permission, and the same arguments always have the same answer. */

import type { CalculateArgs, CalculateOutput, StatisticsArgs, StatisticsOutput } from "./bascule.d.ts";
import { calculate as calculateText } from "./calculate.ts";
import { describe } from "./statistics.ts";

const DEFAULT_QUANTILES = [0.25, 0.5, 0.75];
const MAX_VARIABLES = 100;
/** What an expression can name. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Calculates an arithmetic expression. */
export async function calculate(args: CalculateArgs): Promise<CalculateOutput> {
  return calculateText(args.expression, readVariables(args.variables ?? {}));
}

/** Describes a list of numbers. */
export async function statistics(args: StatisticsArgs): Promise<StatisticsOutput> {
  const { values, quantiles = DEFAULT_QUANTILES, method = "linear" } = args;
  return describe(values, quantiles, method);
}

/** A map, so that no expression can name what objects inherit. */
function readVariables(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> {
  const entries = Object.entries(given);
  if (entries.length > MAX_VARIABLES)
    throw new Error(`Cannot calculate: there are ${entries.length} variables, more than ${MAX_VARIABLES}`);
  const variables = new Map<string, number>();
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new Error(
        `Cannot calculate: a variable cannot be called ${JSON.stringify(name)} (begin with a letter; use letters, digits and _)`,
      );
    if (typeof value !== "number" || !Number.isFinite(value))
      throw new Error(`Cannot calculate: the variable "${name}" is ${JSON.stringify(value)}, not a finite number`);
    variables.set(name, value);
  }
  return variables;
}
