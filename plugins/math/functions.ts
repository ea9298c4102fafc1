/** The functions and constants that an expression can name. */

/** One function and its number of arguments. */
export interface MathFunction {
  readonly least: number;
  readonly most: number;
  run(...args: readonly number[]): number;
}

/** Largest `n` with a factorial that a double holds. */
const MAX_FACTORIAL = 170;
/** Above this, neighboring whole numbers are the same double. */
const EXACT = Number.MAX_SAFE_INTEGER;

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["tau", 2 * Math.PI],
  ["τ", 2 * Math.PI],
  ["e", Math.E],
  ["phi", (1 + Math.sqrt(5)) / 2],
]);

export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map([
  ...ofOne("abs", "ceil", "floor", "trunc", "sign", "sqrt", "cbrt", "exp", "expm1", "log1p", "log2", "log10"),
  ...ofOne("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
  define("ln", 1, 1, Math.log),
  define("log", 1, 2, log),
  define("round", 1, 2, round),
  define("pow", 2, 2, power),
  define("mod", 2, 2, (value = 0, divisor = 0) => value - divisor * Math.floor(value / divisor)),
  define("atan2", 2, 2, (y = 0, x = 0) => Math.atan2(y, x)),
  define("hypot", 1, 100, Math.hypot),
  define("min", 1, 1_000, Math.min),
  define("max", 1, 1_000, Math.max),
  define("sum", 1, 1_000, sum),
  define("mean", 1, 1_000, (...values) => sum(...values) / values.length),
  define("deg", 1, 1, (radians = 0) => (radians * 180) / Math.PI),
  define("rad", 1, 1, (degrees = 0) => (degrees * Math.PI) / 180),
  define("factorial", 1, 1, factorial),
  define("gcd", 2, 100, (...values) => values.reduce(gcd)),
  define("lcm", 2, 100, (...values) => values.reduce(lcm)),
  define("nCr", 2, 2, combinations),
  define("nPr", 2, 2, permutations),
]);

/** Returns `left` to the power of `right`; NaN if the result is not a real number. */
export function power(left = 0, right = 0): number {
  return left ** right;
}

/** Returns NaN unless `n` is a whole number from 0 on, and infinity beyond 170. */
export function factorial(value = 0): number {
  if (!Number.isInteger(value) || value < 0) return Number.NaN;
  if (value > MAX_FACTORIAL) return Number.POSITIVE_INFINITY;
  let product = 1;
  for (let factor = 2; factor <= value; factor++) product *= factor;
  return product;
}

function define(name: string, least: number, most: number, run: MathFunction["run"]): [string, MathFunction] {
  return [name, { least, most, run }];
}

type UnaryName = Exclude<
  { [Name in keyof Math]: Math[Name] extends (value: number) => number ? Name : never }[keyof Math],
  typeof Symbol.toStringTag
>;

function ofOne(...names: readonly UnaryName[]): [string, MathFunction][] {
  return names.map((name) => define(name, 1, 1, (value = 0) => Math[name](value)));
}

/** Natural logarithm, or to the given base. */
function log(value = 0, base?: number): number {
  if (base === undefined) return Math.log(value);
  if (base === 10) return Math.log10(value);
  return base === 2 ? Math.log2(value) : Math.log(value) / Math.log(base);
}

/** Rounds half away from zero, by the decimal digits that the number shows, so that 1.005 is 1.01. */
function round(value = 0, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 100) return Number.NaN;
  const shifted = shift(Math.abs(value), digits);
  if (shifted > EXACT) return value;
  return Math.sign(value) * shift(Math.floor(shifted + 0.5), -digits);
}

/** Moves the decimal point in the number's text, which does not round. */
function shift(value: number, digits: number): number {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

function sum(...values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function gcd(left: number, right: number): number {
  let [a, b] = [Math.abs(left), Math.abs(right)];
  if (!Number.isInteger(a) || !Number.isInteger(b)) return Number.NaN;
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

function lcm(left: number, right: number): number {
  const divisor = gcd(left, right);
  return divisor === 0 ? 0 : Math.abs(left / divisor) * Math.abs(right);
}

/** Ways to choose `chosen` of `all`. Each step divides before it multiplies, so the result is exact up to 2^53. */
function combinations(all = 0, chosen = 0): number {
  if (!areCounts(all, chosen)) return Number.NaN;
  if (chosen > all) return 0;
  const few = Math.min(chosen, all - chosen);
  let ways = 1;
  for (let step = 1; step <= few && Number.isFinite(ways); step++) {
    const factor = all - few + step;
    const common = gcd(factor, step);
    ways = (ways / (step / common)) * (factor / common);
  }
  return ways;
}

function permutations(all = 0, chosen = 0): number {
  if (!areCounts(all, chosen)) return Number.NaN;
  if (chosen > all) return 0;
  let ways = 1;
  for (let step = 0; step < chosen && Number.isFinite(ways); step++) ways *= all - step;
  return ways;
}

function areCounts(...values: readonly number[]): boolean {
  return values.every((value) => Number.isInteger(value) && value >= 0);
}
