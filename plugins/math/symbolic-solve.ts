/** The tool that solves equations by formula. */

import type { SymbolicSolveArgs, SymbolicSolveOutput } from "./bascule.d.ts";
import { compileExpression } from "./compile.ts";
import { readExpression } from "./expression.ts";
import { requireName } from "./names.ts";
import { solveOne, type Equation } from "./one-unknown.ts";
import { variablesOf } from "./polynomial.ts";
import { combine, isConstantName, type Kernel, ratioOf, readRatio } from "./ratio.ts";
import type { Root } from "./roots.ts";
import { eliminate } from "./eliminate.ts";

const MAX_EQUATIONS = 8;
const MAX_SOLUTIONS = 100;
/** Maximum difference between both sides at a root, relative to their size. */
const CLOSE = 1e-6;

/** Solves one equation for a variable, or several equations for as many variables. */
export async function symbolic_solve(args: SymbolicSolveArgs): Promise<SymbolicSolveOutput> {
  const { equations: texts, variables } = args;
  if (texts.length > MAX_EQUATIONS) throw new Error(`There are ${texts.length} equations, more than ${MAX_EQUATIONS}`);
  if (texts.length !== variables.length || new Set(variables).size !== variables.length)
    throw new Error(`There are ${texts.length} equations for ${variables.length} variables (give as many, each variable once)`);
  for (const name of variables) {
    requireName(name);
    if (isConstantName(name)) throw new Error(`"${name}" is a number, not a variable (take another letter)`);
  }
  const kernels = new Map<string, Kernel>();
  const equations = texts.map((text) => readEquation(text, kernels));
  const [first, ...others] = equations;
  const [variable] = variables;
  if (first === undefined || variable === undefined) throw new Error("Nothing to solve");
  const letters = lettersOf(equations, kernels, new Set(variables));
  const { branches, assumptions } =
    others.length === 0 ? { ...solveOne(first, variable, kernels) } : eliminate(equations, variables, kernels);
  if (branches === "all") return { kind: "all", solutions: [], assumptions };
  // Tries solutions without letters, because squaring and multiplying add false ones.
  const sound = letters.size > 0 ? branches : branches.filter((values) => holds(texts, values));
  const solutions = distinct(sound).slice(0, MAX_SOLUTIONS);
  return { kind: solutions.length === 0 ? "none" : "some", solutions, assumptions };
}

function readEquation(text: string, kernels: Map<string, Kernel>): Equation {
  const sides = text.split("=");
  if (sides.length > 2 || sides.some((side) => side.trim() === ""))
    throw new Error(`Cannot read the equation ${JSON.stringify(text)}: write one "=" with something on both sides (without one it is = 0)`);
  const [left, right] = sides.map((side) => {
    const expression = readExpression(side);
    return readRatio(expression.root, expression, kernels);
  });
  if (left === undefined) throw new Error("Nothing to solve");
  return combine("-", left, right ?? ratioOf(new Map()), (reason) => new Error(`Cannot solve: ${reason}`));
}

/** Returns names that are neither variables nor known numbers, including those within functions. */
function lettersOf(
  equations: readonly Equation[],
  kernels: ReadonlyMap<string, Kernel>,
  variables: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const ratios = [...equations, ...[...kernels.values()].map(({ argument }) => argument)];
  for (const { over, under } of ratios)
    for (const name of [...variablesOf(over), ...variablesOf(under)])
      if (!variables.has(name) && !kernels.has(name) && !isConstantName(name)) found.add(name);
  return found;
}

export type Branch = ReadonlyMap<string, Root>;

function holds(texts: readonly string[], values: Branch): boolean {
  const real = [...values].flatMap(([name, { re, im }]) => (re === undefined || im !== undefined ? [] : [[name, re] as const]));
  // Complex solutions cannot be calculated. They are roots of polynomials, which need no check.
  if (real.length < values.size) return true;
  const names = real.map(([name]) => name);
  const place = real.map(([, value]) => value);
  return texts.every((text) => {
    const [left = "0", right = "0"] = text.split("=");
    const sides = [left, right].map((side) => compileExpression(side, names)(place));
    const [one = Number.NaN, other = Number.NaN] = sides;
    return Math.abs(one - other) <= CLOSE * Math.max(1, Math.abs(one), Math.abs(other));
  });
}

/** Removes duplicates and counts them; real solutions come first, in ascending order. */
function distinct(branches: readonly Branch[]): SymbolicSolveOutput["solutions"][number][] {
  const found = new Map<string, { values: Branch; multiplicity: number }>();
  for (const values of branches) {
    const key = [...values].map(([name, { text }]) => `${name}=${text}`).join(";");
    const known = found.get(key);
    if (known === undefined) found.set(key, { values, multiplicity: 1 });
    else known.multiplicity += 1;
  }
  const rank = ([, { re = 0, im }]: readonly [string, Root]): readonly [number, number] => [im === undefined ? 0 : 1, re];
  return [...found.values()]
    .toSorted((left, right) => {
      const [one, other] = [[...left.values][0], [...right.values][0]];
      if (one === undefined || other === undefined) return 0;
      const [a, b] = [rank(one), rank(other)];
      return a[0] - b[0] || a[1] - b[1];
    })
    .map(({ values, multiplicity }) => ({
      multiplicity,
      values: [...values].map(([name, { text, exact, re, im }]) => ({
        ...{ name, text, exact },
        ...(re !== undefined && { re: re + 0 }),
        ...(im !== undefined && { im }),
      })),
    }));
}
