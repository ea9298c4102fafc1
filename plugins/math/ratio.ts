/** Quotients of polynomials, and the conversion of expressions to them. */

import { quote, requirePart, resolveCall } from "./calls.ts";
import type { Expression } from "./expression.ts";
import { CONSTANTS } from "./functions.ts";
import {
  add,
  asConstant,
  constant,
  multiply,
  NOTHING,
  type Polynomial,
  power,
  scale,
  subtract,
  variable,
  variablesOf,
  write,
} from "./polynomial.ts";
import { divide, fromDecimal, greatestDivisor, ONE, rational } from "./rational.ts";
import type { Node } from "./vendor/jsep.js";

export interface Ratio {
  readonly over: Polynomial;
  readonly under: Polynomial;
}

/** A function call, which polynomials treat as one variable named after its text: `sin(2*x)`. */
export interface Kernel {
  readonly name: string;
  readonly argument: Ratio;
}

const MAX_EXPONENT = 40;
const KERNELS: ReadonlySet<string> = new Set(
  "sqrt cbrt exp ln log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs".split(" "),
);

export const ONE_POLYNOMIAL: Polynomial = constant(ONE);

export function ratioOf(over: Polynomial): Ratio {
  return { over, under: ONE_POLYNOMIAL };
}

/**
 * Converts an expression to a quotient. Names stand for themselves, including constants such as pi.
 *
 * @param kernels receives the function calls, by their names in the polynomials
 * @throws {Error} that points at a part that is not made of polynomials and such functions.
 */
export function readRatio(node: Node, expression: Expression, kernels: Map<string, Kernel>): Ratio {
  const read = (part: Node | undefined): Ratio => readRatio(requirePart(part), expression, kernels);
  const fail = (reason: string): Error => expression.errorAt(expression.spanOf(node).start, reason);
  switch (node.type) {
    case "Literal":
      if (typeof node.value === "number") return ratioOf(constant(fromDecimal(node.value)));
      break;
    case "Identifier":
      return ratioOf(variable(requireKnown(node, expression)));
    case "UnaryExpression": {
      const value = read(node.argument);
      if (node.operator === "!") throw fail("factorials are calculated only, not solved");
      return node.operator === "+" ? value : { over: subtract(NOTHING, value.over), under: value.under };
    }
    case "BinaryExpression": {
      if (node.operator !== "^") return combine(node.operator ?? "", read(node.left), read(node.right), fail);
      return raise(read(node.left), read(node.right), kernels, fail);
    }
    case "CallExpression": {
      const { name, args } = resolveCall(node, expression, () => false);
      const [argument] = args;
      if (name === "pow") return raise(read(args[0]), read(args[1]), kernels, fail);
      const plain = name === "log" ? "ln" : name;
      if (args.length !== 1 || argument === undefined || !KERNELS.has(plain)) throw fail(`${name}() is calculated only, not solved`);
      return kernel(plain, read(argument), kernels);
    }
  }
  throw fail("only numbers, names, operators, brackets and functions can be solved");
}

/** Combines two quotients by +, -, * or /. */
export function combine(operator: string, left: Ratio, right: Ratio, fail: (reason: string) => Error): Ratio {
  switch (operator) {
    case "+":
      return reduce({
        over: add(multiply(left.over, right.under), multiply(right.over, left.under)),
        under: multiply(left.under, right.under),
      });
    case "-":
    case "−":
      return combine("+", left, { over: subtract(NOTHING, right.over), under: right.under }, fail);
    case "*":
    case "×":
    case "·":
      return reduce({ over: multiply(left.over, right.over), under: multiply(left.under, right.under) });
    case "/":
    case "÷":
      if (right.over.size === 0) throw fail("division by zero");
      return reduce({ over: multiply(left.over, right.under), under: multiply(left.under, right.over) });
    default:
      throw fail(`${quote(operator)} is calculated only, not solved`);
  }
}

function raise(base: Ratio, exponent: Ratio, kernels: Map<string, Kernel>, fail: (reason: string) => Error): Ratio {
  const fixed = asRational(exponent);
  if (fixed?.under === 1n) {
    const size = Number(fixed.over < 0n ? -fixed.over : fixed.over);
    if (size > MAX_EXPONENT) throw fail(`powers above ${MAX_EXPONENT} are calculated only, not solved`);
    const raised = { over: power(base.over, size), under: power(base.under, size) };
    if (fixed.over >= 0n) return raised;
    if (base.over.size === 0) throw fail("division by zero");
    return reduce({ over: raised.under, under: raised.over });
  }
  if (fixed?.under === 2n) return raise(kernel("sqrt", base, kernels), ratioOf(constant(rational(fixed.over))), kernels, fail);
  const text = writeRatio(base);
  if (text === "e") return kernel("exp", exponent, kernels);
  // b^x is e^(x ln b), which is real for every x if b is above 0.
  const number = asRational(base);
  if (number !== undefined && number.over > 0n) return kernel("exp", combine("*", exponent, kernel("ln", base, kernels), fail), kernels);
  throw fail("this power is calculated only, not solved");
}

export function kernel(name: string, argument: Ratio, kernels: Map<string, Kernel>): Ratio {
  const text = `${name}(${writeRatio(argument)})`;
  kernels.set(text, { name, argument });
  return ratioOf(variable(text));
}

/** Cancels common factors of numbers and of single variables; the denominator becomes a plain number if possible. */
export function reduce({ over, under }: Ratio): Ratio {
  if (over.size === 0) return ratioOf(NOTHING);
  const below = asConstant(under);
  if (below !== undefined) return ratioOf(scale(over, divide(ONE, below)));
  let result = { over, under };
  for (const name of variablesOf(under)) result = withoutPowers(result, name);
  // Scales to whole numbers without a common divisor, with a positive first coefficient below.
  const values = [...result.over.values(), ...result.under.values()];
  const denominator = values.reduce((product, value) => (product * value.under) / greatestDivisor(product, value.under), 1n);
  const whole = values.map((value) => value.over * (denominator / value.under));
  const divisor = whole.reduce(greatestDivisor, 0n);
  const sign = [...result.under.values()][0]?.over ?? 1n;
  const factor = rational(denominator * (sign < 0n ? -1n : 1n), divisor);
  return { over: scale(result.over, factor), under: scale(result.under, factor) };
}

/** Formats for users, in the syntax of `calculate`. */
export function writeRatio({ over, under }: Ratio): string {
  const bracketed = (polynomial: Polynomial): string => (/[ *^/]/u.test(write(polynomial)) ? `(${write(polynomial)})` : write(polynomial));
  const above = (polynomial: Polynomial): string => (polynomial.size > 1 ? bracketed(polynomial) : write(polynomial));
  const below = asConstant(under);
  if (below?.over !== 1n || below.under !== 1n) return `${above(over)}/${bracketed(under)}`;
  const common = [...over.values()].reduce((product, value) => (product * value.under) / greatestDivisor(product, value.under), 1n);
  return common === 1n || asConstant(over) !== undefined ? write(over) : `${above(scale(over, rational(common)))}/${common}`;
}

export function asRational({ over, under }: Ratio): ReturnType<typeof asConstant> {
  const [above, below] = [asConstant(over), asConstant(under)];
  return above === undefined || below === undefined ? undefined : divide(above, below);
}

/** Cancels powers of a variable that occur on both sides. */
function withoutPowers({ over, under }: Ratio, name: string): Ratio {
  const powerIn = (key: string): number =>
    Number(
      key
        .split(",")
        .find((one) => one.startsWith(`${name}:`))
        ?.slice(name.length + 1) ?? 0,
    );
  const common = Math.min(...[...over.keys(), ...under.keys()].map(powerIn));
  if (common === 0) return { over, under };
  const less = (polynomial: Polynomial): Polynomial =>
    new Map(
      [...polynomial].map(([key, value]) => {
        const left = powerIn(key) - common;
        const others = key.split(",").filter((one) => one.slice(0, one.lastIndexOf(":")) !== name);
        return [[...others, ...(left === 0 ? [] : [`${name}:${left}`])].toSorted().join(","), value];
      }),
    );
  return { over: less(over), under: less(under) };
}

function requireKnown(node: Node, { errorAt, spanOf }: Expression): string {
  const name = node.name ?? "";
  if (KERNELS.has(name)) throw errorAt(spanOf(node).start, `${quote(name)} is a function (write ${name}(…))`);
  return name === "π" ? "pi" : name === "τ" ? "tau" : name;
}

/** Names that have a value of their own. */
export function isConstantName(name: string): boolean {
  return CONSTANTS.has(name);
}
