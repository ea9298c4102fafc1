/** The roots of a polynomial in one variable: by formula if there is one, else as numbers. */

import { asConstant, multiply, NOTHING, type Polynomial, scale, subtract, write } from "./polynomial.ts";
import {
  add,
  divide,
  integerRoot,
  isZero,
  multiply as times,
  negate,
  ONE,
  type Rational,
  rational,
  splitSquare,
  toNumber,
  toText,
  ZERO,
} from "./rational.ts";
import { type Ratio, ratioOf, reduce, writeRatio } from "./ratio.ts";
import { EigenvalueDecomposition, Matrix } from "./vendor/ml-matrix.js";

/** One root. */
export interface Root {
  /** The root in the syntax of `calculate`, except for `i`. */
  readonly text: string;
  /** False if `text` has digits of a number that no formula gives. */
  readonly exact: boolean;
  /** The root as a quotient of polynomials, if it is one. */
  readonly ratio?: Ratio;
  /** Value of a numeric root. Real roots have no `im`. */
  readonly re?: number;
  readonly im?: number;
}

const MAX_DEGREE = 50;
/** Maximum divisor tried for rational roots. */
const MAX_DIVISOR = 100_000n;
const MAX_CANDIDATES = 20_000;

/**
 * @param coefficients of the powers 0, 1 and so on; the last is not 0
 * @throws {Error} if a coefficient has letters and the degree is above 2.
 */
export function rootsOf(coefficients: readonly Polynomial[]): readonly Root[] {
  const degree = coefficients.length - 1;
  if (degree > MAX_DEGREE) throw new Error(`Cannot solve: the degree ${degree} is above ${MAX_DEGREE}`);
  const [c = NOTHING, b = NOTHING, a = NOTHING] = coefficients;
  if (degree < 1) return [];
  if (degree === 1) return [fromRatio({ over: subtract(NOTHING, c), under: b })];
  const numbers = coefficients.map(asConstant);
  if (numbers.every((number) => number !== undefined)) return numericRoots(numbers);
  if (degree === 2) return quadraticWithLetters(a, b, c);
  const power = onlyPower(coefficients);
  if (power !== undefined && power < degree)
    return rootsOf(coefficients.filter((_, index) => index % power === 0)).flatMap((root) => powerRoots(root, power));
  throw new Error(`Cannot solve: the degree is ${degree}, and the coefficients hold letters (give them numbers)`);
}

export function fromRatio(given: Ratio): Root {
  const ratio = reduce(given);
  const number = asConstant(ratio.over);
  const isNumber = number !== undefined && asConstant(ratio.under) !== undefined;
  return { text: writeRatio(ratio), exact: true, ratio, ...(isNumber && { re: toNumber(number) }) };
}

function quadraticWithLetters(a: Polynomial, b: Polynomial, c: Polynomial): readonly Root[] {
  const discriminant = subtract(multiply(b, b), scale(multiply(a, c), rational(4n)));
  if (discriminant.size === 0) {
    const root = fromRatio({ over: subtract(NOTHING, b), under: scale(a, rational(2n)) });
    return [root, root];
  }
  const first = b.size === 0 ? "" : `${write(subtract(NOTHING, b))} `;
  const under = write(scale(a, rational(2n)));
  const divisor = under === "1" ? "" : /[ *^/]/u.test(under) ? `/(${under})` : `/${under}`;
  return ["+", "-"].map((sign) => {
    const over = first === "" ? `${sign === "-" ? "-" : ""}sqrt(${write(discriminant)})` : `${first}${sign} sqrt(${write(discriminant)})`;
    return { text: first === "" || divisor === "" ? `${over}${divisor}` : `(${over})${divisor}`, exact: true };
  });
}

function numericRoots(given: readonly Rational[]): readonly Root[] {
  const lowest = given.findIndex((value) => !isZero(value));
  const roots: Root[] = Array.from({ length: lowest }, () => fromNumber(ZERO));
  let left: readonly Rational[] = given.slice(lowest);
  for (let found = rationalRoot(left); found !== undefined && left.length > 3; found = rationalRoot(left)) {
    roots.push(fromNumber(found));
    left = deflate(left, found);
  }
  const [c = ZERO, b = ZERO, a = ZERO] = left;
  if (left.length === 2) return [...roots, fromNumber(divide(negate(c), b))];
  if (left.length === 3) return [...roots, ...quadratic(a, b, c)];
  if (left.length < 2) return roots;
  const power = onlyPower(left.map((value) => (isZero(value) ? NOTHING : new Map([["", value]]))));
  if (power !== undefined)
    return [...roots, ...numericRoots(left.filter((_, index) => index % power === 0)).flatMap((root) => powerRoots(root, power))];
  return [...roots, ...eigenRoots(left.map(toNumber))];
}

function quadratic(a: Rational, b: Rational, c: Rational): readonly Root[] {
  const discriminant = add(times(b, b), negate(times(rational(4n), times(a, c))));
  const middle = divide(negate(b), times(rational(2n), a));
  if (isZero(discriminant)) return [fromNumber(middle), fromNumber(middle)];
  const size = discriminant.over < 0n ? negate(discriminant) : discriminant;
  const [root, rest] = splitSquare(size.over * size.under);
  const aside = divide(rational(root, size.under), times(rational(2n), a));
  const positive = aside.over < 0n ? negate(aside) : aside;
  return [positive, negate(positive)].map((factor): Root => {
    if (discriminant.over > 0n && rest === 1n) return fromNumber(add(middle, factor));
    const height = toNumber(factor) * Math.sqrt(Number(rest));
    const text = writeSurd(middle, factor, [...(rest === 1n ? [] : [`sqrt(${rest})`]), ...(discriminant.over < 0n ? ["i"] : [])]);
    return discriminant.over < 0n
      ? { text, exact: true, re: toNumber(middle), im: height }
      : { text, exact: true, re: toNumber(middle) + height };
  });
}

/** Formats `(1 + 2*sqrt(5))/3`: a rational number plus a multiple of a root. */
function writeSurd(middle: Rational, factor: Rational, roots: readonly string[]): string {
  const under = (middle.under * factor.under) / gcd(middle.under, factor.under);
  const first = middle.over * (under / middle.under);
  const second = factor.over * (under / factor.under);
  const size = second < 0n ? -second : second;
  const term = [...(size === 1n ? [] : [String(size)]), ...roots].join("*");
  const sum = first === 0n ? `${second < 0n ? "-" : ""}${term}` : `${first} ${second < 0n ? "-" : "+"} ${term}`;
  if (under === 1n) return sum;
  return first === 0n ? `${sum}/${under}` : `(${sum})/${under}`;
}

/** Returns the common divisor of all exponents if it is above 1. */
function onlyPower(coefficients: readonly Polynomial[]): number | undefined {
  const used = coefficients.flatMap((value, index) => (value.size === 0 || index === 0 ? [] : [index]));
  const common = Number(used.map(BigInt).reduce(gcd, 0n));
  return common > 1 ? common : undefined;
}

/** Returns the numbers whose power is the root. */
function powerRoots(root: Root, power: number): readonly Root[] {
  const { re, im = 0, text, exact } = root;
  if (re === undefined || !exact || (im !== 0 && power !== 2)) {
    if (power === 2 && exact) return [`sqrt(${text})`, `-sqrt(${text})`].map((written) => ({ text: written, exact }));
    return re === undefined ? [] : complexRoots(re, im, power);
  }
  if (power === 2 && root.ratio !== undefined) {
    const value = asConstant(root.ratio.over);
    if (value !== undefined) return quadratic(ONE, ZERO, negate(value));
  }
  if (power === 2 && im === 0 && re > 0)
    return [1, -1].map((sign) => ({ text: `${sign < 0 ? "-" : ""}sqrt(${text})`, exact, re: sign * Math.sqrt(re) }));
  if (power === 2 && im === 0)
    return [1, -1].map((sign) => ({ text: `${sign < 0 ? "-" : ""}sqrt(-(${text}))*i`, exact, re: 0, im: sign * Math.sqrt(-re) }));
  const whole = exactRoot(root, power);
  return complexRoots(re, im, power).map((one) =>
    whole !== undefined && one.im === undefined
      ? { ...one, text: toText(signed(whole, one.re ?? 0)), exact: true }
      : realRootText(one, text, power),
  );
}

function realRootText(one: Root, text: string, power: number): Root {
  if (one.im !== undefined || one.re === undefined) return one;
  const plain = text.startsWith("-") ? text.slice(1) : text;
  return { text: `${one.re < 0 ? "-" : ""}(${plain})^(1/${power})`, exact: true, re: one.re };
}

function signed(value: Rational, like: number): Rational {
  return like < 0 ? negate(value) : value;
}

/** Returns the exact root of the absolute value of a whole number or fraction. */
function exactRoot({ ratio }: Root, power: number): Rational | undefined {
  const value = ratio === undefined ? undefined : asConstant(ratio.over);
  if (value === undefined) return undefined;
  const rootOf = (number: bigint): bigint => BigInt(Math.round(Number(number) ** (1 / power)));
  const [over, under] = [rootOf(value.over < 0n ? -value.over : value.over), rootOf(value.under)];
  const isRoot = over ** BigInt(power) === (value.over < 0n ? -value.over : value.over) && under ** BigInt(power) === value.under;
  return isRoot ? rational(over, under) : undefined;
}

function complexRoots(re: number, im: number, power: number): readonly Root[] {
  const size = Math.hypot(re, im) ** (1 / power);
  const angle = Math.atan2(im, re);
  return Array.from({ length: power }, (_, index) => {
    const turned = (angle + 2 * Math.PI * index) / power;
    return fromDigits(size * Math.cos(turned), size * Math.sin(turned));
  });
}

/** Computes digits as eigenvalues of the companion matrix, each improved by Newton's method. */
function eigenRoots(coefficients: readonly number[]): readonly Root[] {
  const degree = coefficients.length - 1;
  const last = coefficients[degree] ?? 1;
  const rows = Array.from({ length: degree }, (_, row) =>
    Array.from({ length: degree }, (__, column) => (column === degree - 1 ? -(coefficients[row] ?? 0) / last : row === column + 1 ? 1 : 0)),
  );
  const { realEigenvalues, imaginaryEigenvalues } = new EigenvalueDecomposition(new Matrix(rows));
  return realEigenvalues.map((re, index) => {
    const im = imaginaryEigenvalues[index] ?? 0;
    return im === 0 ? fromDigits(polish(coefficients, re), 0) : fromDigits(re, im);
  });
}

function polish(coefficients: readonly number[], start: number): number {
  let x = start;
  for (let step = 0; step < 3; step++) {
    let [value, slope] = [0, 0];
    for (const coefficient of coefficients.toReversed()) [value, slope] = [value * x + coefficient, slope * x + value];
    if (slope === 0 || !Number.isFinite(value / slope)) return x;
    x -= value / slope;
  }
  return x;
}

/** Real roots were improved, so more of their digits are certain. */
function fromDigits(re: number, im: number): Root {
  const scale = Math.hypot(re, im) * 1e-12;
  if (Math.abs(im) <= scale) return { text: digits(re, 12), exact: false, re };
  const real = Math.abs(re) <= scale ? 0 : re;
  const height = `${digits(Math.abs(im), 10)}*i`;
  const sign = im < 0 ? "-" : "+";
  return { text: real === 0 ? `${im < 0 ? "-" : ""}${height}` : `${digits(real, 10)} ${sign} ${height}`, exact: false, re: real, im };
}

function digits(value: number, count: number): string {
  return String(Number(value.toPrecision(count)));
}

function fromNumber(value: Rational): Root {
  return fromRatio(ratioOf(isZero(value) ? NOTHING : new Map([["", value]])));
}

/** Numerator and denominator of a rational root divide the last and the first coefficient. */
function rationalRoot(coefficients: readonly Rational[]): Rational | undefined {
  const common = coefficients.reduce((product, { under }) => (product * under) / gcd(product, under), 1n);
  const whole = coefficients.map(({ over, under }) => over * (common / under));
  const [over, under] = [divisorsOf(whole[0] ?? 0n), divisorsOf(whole.at(-1) ?? 0n)];
  if (over.length * under.length > MAX_CANDIDATES) return undefined;
  for (const bottom of under)
    for (const top of over)
      for (const candidate of [rational(top, bottom), rational(-top, bottom)]) if (isRoot(whole, candidate)) return candidate;
  return undefined;
}

function isRoot(whole: readonly bigint[], { over, under }: Rational): boolean {
  let sum = 0n;
  let scaleBy = 1n;
  for (const coefficient of whole.toReversed()) {
    sum = sum * over + coefficient * scaleBy;
    scaleBy *= under;
  }
  return sum === 0n;
}

/** Returns the divisors that can be found in time. */
function divisorsOf(value: bigint): readonly bigint[] {
  const size = value < 0n ? -value : value;
  const limit = integerRoot(size) < MAX_DIVISOR ? integerRoot(size) : MAX_DIVISOR;
  const found: bigint[] = [];
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) {
    const number = Number(size);
    for (let divisor = 1; divisor <= Number(limit); divisor++)
      if (number % divisor === 0) found.push(BigInt(divisor), BigInt(number / divisor));
  }
  return [...new Set(found)];
}

/** Divides by (x - root). */
function deflate(coefficients: readonly Rational[], root: Rational): readonly Rational[] {
  const quotient: Rational[] = [];
  let carry = ZERO;
  for (const coefficient of coefficients.slice(1).toReversed()) {
    carry = add(coefficient, times(carry, root));
    quotient.unshift(carry);
  }
  return quotient;
}

function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}
