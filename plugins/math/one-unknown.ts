/** Solves one equation in one unknown: a polynomial in it, or in one function of it. */

import { asConstant, coefficientsIn, isZero, multiply, NOTHING, type Polynomial, power, variablesOf, write } from "./polynomial.ts";
import { compileExpression } from "./compile.ts";
import { combine, isConstantName, kernel, type Kernel, type Ratio, ratioOf } from "./ratio.ts";
import { rational } from "./rational.ts";
import { fromRatio, type Root, rootsOf } from "./roots.ts";

/** A quotient to be 0. */
export type Equation = Ratio;

export interface Solved {
  /** One map of values for each solution; "all" if every value is a solution. */
  readonly branches: readonly ReadonlyMap<string, Root>[] | "all";
  /** Expressions that are assumed not to be 0. */
  readonly assumptions: string[];
}

type Inverse = (value: Ratio, kernels: Map<string, Kernel>) => readonly Ratio[];

const TWO_PI = multiply(new Map([["", rational(2n)]]), new Map([["pi:1", rational(1n)]]));
/** Whole multiples of the period: a periodic function has a solution for each. */
const TURNS: Ratio = ratioOf(multiply(TWO_PI, new Map([["n:1", rational(1n)]])));
const PI: Ratio = ratioOf(new Map([["pi:1", rational(1n)]]));
const fail = (reason: string): Error => new Error(`Cannot solve: ${reason}`);
const plus = (left: Ratio, right: Ratio): Ratio => combine("+", left, right, fail);
const minus = (left: Ratio, right: Ratio): Ratio => combine("-", left, right, fail);
const named = (name: string, value: Ratio, kernels: Map<string, Kernel>): Ratio => simplify(name, value) ?? kernel(name, value, kernels);

/** Arguments for which a function has a given value. */
const INVERSES: ReadonlyMap<string, Inverse> = new Map<string, Inverse>([
  ["exp", (value, kernels) => [named("ln", value, kernels)]],
  ["ln", (value, kernels) => [named("exp", value, kernels)]],
  ["log2", (value) => [powerOf(2n, value)]],
  ["log10", (value) => [powerOf(10n, value)]],
  ["cbrt", (value) => [{ over: power(value.over, 3), under: power(value.under, 3) }]],
  ["sqrt", (value) => [{ over: power(value.over, 2), under: power(value.under, 2) }]],
  ["abs", (value) => [value, minus(ratioOf(NOTHING), value)]],
  ["sin", (value, kernels) => [plus(named("asin", value, kernels), TURNS), plus(minus(PI, named("asin", value, kernels)), TURNS)]],
  [
    "cos",
    (value, kernels) => [plus(named("acos", value, kernels), TURNS), plus(minus(ratioOf(NOTHING), named("acos", value, kernels)), TURNS)],
  ],
  ["tan", (value, kernels) => [plus(named("atan", value, kernels), ratioOf(new Map([["n:1,pi:1", rational(1n)]])))]],
  ["asin", (value, kernels) => [kernel("sin", value, kernels)]],
  ["acos", (value, kernels) => [kernel("cos", value, kernels)]],
  ["atan", (value, kernels) => [kernel("tan", value, kernels)]],
  ["sinh", (value, kernels) => [kernel("asinh", value, kernels)]],
  ["tanh", (value, kernels) => [kernel("atanh", value, kernels)]],
]);

/** @throws {Error} if no formula here solves the equation. */
export function solveOne({ over }: Equation, unknown: string, kernels: Map<string, Kernel>): Solved {
  if (isZero(over)) return { branches: "all", assumptions: [] };
  const functions = [...variablesOf(over)].filter((name) => dependsOn(kernels.get(name), unknown, kernels));
  const [inner, another] = functions;
  if (inner === undefined) return solvePolynomial(over, unknown, kernels);
  const outside = variablesOf(over).has(unknown);
  const known = kernels.get(inner);
  if (another !== undefined || known === undefined || (outside && known.name !== "sqrt"))
    throw new Error(
      `Cannot solve: "${unknown}" stands in ${[...(outside ? [unknown] : []), ...functions].join(" and ")} at once, which cannot be solved by formula (optimize finds numbers)`,
    );
  if (outside) return solveOne(ratioOf(squared(over, inner, known)), unknown, kernels);
  const { branches, assumptions } = solvePolynomial(over, inner, kernels);
  if (branches === "all") return { branches, assumptions };
  const inverse = INVERSES.get(known.name);
  if (inverse === undefined) throw new Error(`Cannot solve: no inverse is known for ${known.name}()`);
  const solved = branches
    .flatMap((branch) => [...branch.values()])
    .flatMap((root) => {
      if (root.ratio === undefined) {
        if (root.im !== undefined) return [];
        throw new Error(`Cannot solve: ${inner} would have to be ${root.text}, which cannot be solved by formula`);
      }
      return inverse(root.ratio, kernels).map((value) => solveOne(minus(known.argument, value), unknown, kernels));
    });
  return {
    branches: solved.flatMap((one) => (one.branches === "all" ? [] : one.branches)),
    assumptions: [...new Set([...assumptions, ...solved.flatMap((one) => one.assumptions)])],
  };
}

function solvePolynomial(over: Polynomial, unknown: string, kernels: ReadonlyMap<string, Kernel>): Solved {
  const coefficients = coefficientsIn(over, unknown);
  const last = coefficients.at(-1) ?? NOTHING;
  const hasLetters = [...variablesOf(last)].some((name) => !isConstantName(name) && !kernels.has(name));
  const roots = rootsOf(coefficients).map((root) => new Map([[unknown, withNumber(root, kernels)]]));
  return { branches: roots, assumptions: hasLetters ? [`${write(last)} is not 0`] : [] };
}

/** Returns the numeric value of a root without letters: constants and functions of numbers have values. */
function withNumber(root: Root, kernels: ReadonlyMap<string, Kernel>): Root {
  if (root.re !== undefined || root.ratio === undefined) return root;
  const { over, under } = root.ratio;
  const isKnown = [...variablesOf(over), ...variablesOf(under)].every(
    (name) => isConstantName(name) || isNumber(kernels.get(name), kernels),
  );
  const value = isKnown ? compileExpression(root.text, [])([]) : Number.NaN;
  return Number.isFinite(value) ? { ...root, re: value } : root;
}

function isNumber(known: Kernel | undefined, kernels: ReadonlyMap<string, Kernel>): boolean {
  if (known === undefined) return false;
  const names = [...variablesOf(known.argument.over), ...variablesOf(known.argument.under)];
  return names.every((name) => isConstantName(name) || isNumber(kernels.get(name), kernels));
}

function dependsOn(known: Kernel | undefined, unknown: string, kernels: ReadonlyMap<string, Kernel>): boolean {
  if (known === undefined) return false;
  const names = [...variablesOf(known.argument.over), ...variablesOf(known.argument.under)];
  return names.some((name) => name === unknown || dependsOn(kernels.get(name), unknown, kernels));
}

/** A + B·√f = 0 becomes A² - B²·f = 0, which has more solutions; each is tried later. */
function squared(over: Polynomial, root: string, { argument }: Kernel): Polynomial {
  const parts = coefficientsIn(over, root);
  let [even, odd] = [ratioOf(NOTHING), ratioOf(NOTHING)];
  for (const [index, part] of parts.entries()) {
    const half = Math.floor(index / 2);
    const term = combine("*", ratioOf(part), { over: power(argument.over, half), under: power(argument.under, half) }, fail);
    if (index % 2 === 0) even = plus(even, term);
    else odd = plus(odd, term);
  }
  const square = (ratio: Ratio): Ratio => ({ over: power(ratio.over, 2), under: power(ratio.under, 2) });
  return minus(square(even), combine("*", square(odd), argument, fail)).over;
}

function powerOf(base: bigint, value: Ratio): Ratio {
  const exponent = asConstant(value.over);
  if (exponent?.under !== 1n || asConstant(value.under) === undefined || exponent.over > 300n || exponent.over < -300n)
    throw new Error("Cannot solve: the logarithm is not a small whole number");
  return exponent.over >= 0n
    ? ratioOf(new Map([["", rational(base ** exponent.over)]]))
    : ratioOf(new Map([["", rational(1n, base ** -exponent.over)]]));
}

/** ln(1), exp(0), asin(0) and the like are simplified. */
function simplify(name: string, value: Ratio): Ratio | undefined {
  const number = fromRatio(value).re;
  if (number === 0 && (name === "asin" || name === "atan")) return ratioOf(NOTHING);
  if (number === 1 && (name === "ln" || name === "acos")) return ratioOf(NOTHING);
  if (number === 0 && name === "exp") return ratioOf(new Map([["", rational(1n)]]));
  if (number === 0 && name === "acos") return ratioOf(new Map([["pi:1", rational(1n, 2n)]]));
  if (number === 1 && name === "asin") return ratioOf(new Map([["pi:1", rational(1n, 2n)]]));
  if (number === 1 && name === "atan") return ratioOf(new Map([["pi:1", rational(1n, 4n)]]));
  return undefined;
}
