/** Solves several equations: expresses one unknown after the other by the rest and substitutes it, until one is left. */

import { type Equation, solveOne, type Solved } from "./one-unknown.ts";
import { add, coefficientsIn, multiply, NOTHING, type Polynomial, power, subtract, variablesOf, write } from "./polynomial.ts";
import { compileExpression } from "./compile.ts";
import { isConstantName, type Kernel, type Ratio, reduce, writeRatio } from "./ratio.ts";
import { fromRatio, type Root } from "./roots.ts";

/** @throws {Error} if no equation can be solved for an unknown. */
export function eliminate(equations: readonly Equation[], unknowns: readonly string[], kernels: Map<string, Kernel>): Solved {
  const [unknown] = unknowns;
  const [equation] = equations;
  if (unknown === undefined || equation === undefined) return { branches: [new Map()], assumptions: [] };
  for (const { over } of equations)
    for (const name of variablesOf(over))
      if (kernels.has(name) && unknowns.some((one) => name.includes(one)))
        throw new Error(`Cannot solve: ${name} is in a system, which cannot be solved by formula (solve equations one by one)`);
  if (unknowns.length === 1) return solveOne(equation, unknown, kernels);
  const found = findLinear(equations, unknowns);
  if (found === undefined)
    throw new Error(
      "Cannot solve: in no equation an unknown stands alone and unsquared, so none can be expressed by the others (optimize finds numbers)",
    );
  const rest = equations
    .filter((one) => one !== found.equation)
    .map(({ over }) => ({ over: substitute(over, found.unknown, found.value), under: new Map() }));
  const left = unknowns.filter((one) => one !== found.unknown);
  if (rest.some(({ over }) => over.size === 0))
    throw new Error("Cannot solve: the equations say the same, so the solution is not unique (omit one equation and one variable)");
  if (rest.some(({ over }) => !left.some((name) => variablesOf(over).has(name)))) return { branches: [], assumptions: [] };
  const { branches, assumptions } = eliminate(rest, left, kernels);
  const letters = [...variablesOf(found.value.under)].some((name) => !isConstantName(name));
  return {
    branches: branches === "all" ? [] : branches.map((branch) => new Map([[found.unknown, valueIn(found.value, branch)], ...branch])),
    assumptions: [...new Set([...(letters ? [`${write(found.value.under)} is not 0`] : []), ...assumptions])],
  };
}

interface Linear {
  readonly equation: Equation;
  readonly unknown: string;
  readonly value: Ratio;
}

/**
 * Finds an unknown that occurs in an equation with power 1 only, and in no product with another unknown; preferably with a
 * numeric factor.
 */
function findLinear(equations: readonly Equation[], unknowns: readonly string[]): Linear | undefined {
  let found: Linear | undefined;
  for (const equation of equations)
    for (const unknown of unknowns) {
      const [rest = NOTHING, factor = NOTHING, ...more] = coefficientsIn(equation.over, unknown);
      if (factor.size === 0 || more.length > 0 || unknowns.some((name) => variablesOf(factor).has(name))) continue;
      const one = { equation, unknown, value: reduce({ over: subtract(NOTHING, rest), under: factor }) };
      if (variablesOf(factor).size === 0) return one;
      found ??= one;
    }
  return found;
}

/** Multiplies by as many powers of the denominator as needed; the denominator is not 0. */
function substitute(polynomial: Polynomial, unknown: string, { over, under }: Ratio): Polynomial {
  const parts = coefficientsIn(polynomial, unknown);
  const degree = parts.length - 1;
  let sum = NOTHING;
  for (const [index, part] of parts.entries()) sum = add(sum, multiply(part, multiply(power(over, index), power(under, degree - index))));
  return sum;
}

/** Replaces the solved unknowns with their values. */
function valueIn(value: Ratio, branch: ReadonlyMap<string, Root>): Root {
  let ratio: Ratio | undefined = value;
  let text = writeRatio(value);
  for (const [name, root] of branch) {
    if (ratio !== undefined && root.ratio !== undefined) {
      const [over, under] = [ratio.over, ratio.under].map((part) => ({ part, degree: coefficientsIn(part, name).length - 1 }));
      if (over === undefined || under === undefined) throw new TypeError("A quotient has two parts");
      ratio = reduce({
        over: multiply(substitute(over.part, name, root.ratio), power(root.ratio.under, Math.max(0, under.degree))),
        under: multiply(substitute(under.part, name, root.ratio), power(root.ratio.under, Math.max(0, over.degree))),
      });
    } else ratio = undefined;
    text = text.replaceAll(
      new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", String.raw`\$`)}(?![\\p{L}\\p{N}_$(])`, "gu"),
      () => `(${root.text})`,
    );
  }
  if (ratio !== undefined) return fromRatio(ratio);
  const roots = [...branch.values()];
  const exact = roots.every((root) => root.exact);
  const names = [...branch.keys()];
  if (roots.some((root) => root.re === undefined || root.im !== undefined)) return { text, exact };
  const re = compileExpression(writeRatio(value), names)(roots.map((root) => root.re ?? Number.NaN));
  return Number.isFinite(re) ? { text, exact, re } : { text, exact };
}
