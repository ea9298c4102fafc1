/** Polynomials in several variables with exact coefficients. */

import {
  add as addNumbers,
  isZero as isZeroNumber,
  multiply as multiplyNumbers,
  negate,
  ONE,
  type Rational,
  toNumber,
  toText,
} from "./rational.ts";

/** Coefficients by the powers they belong to: `x^2*y` is `"x:2,y:1"`, the constant `""`. No coefficient is 0. */
export type Polynomial = ReadonlyMap<string, Rational>;

const MAX_TERMS = 2_000;

export const NOTHING: Polynomial = new Map();

export function constant(value: Rational): Polynomial {
  return isZeroNumber(value) ? NOTHING : new Map([["", value]]);
}

export function variable(name: string): Polynomial {
  return new Map([[`${name}:1`, ONE]]);
}

export function add(left: Polynomial, right: Polynomial): Polynomial {
  const sum = new Map(left);
  for (const [powers, value] of right) put(sum, powers, value);
  return sum;
}

export function subtract(left: Polynomial, right: Polynomial): Polynomial {
  return add(left, scale(right, negate(ONE)));
}

export function scale(polynomial: Polynomial, by: Rational): Polynomial {
  return isZeroNumber(by) ? NOTHING : new Map([...polynomial].map(([powers, value]) => [powers, multiplyNumbers(value, by)]));
}

/** @throws {Error} if the product has too many terms. */
export function multiply(left: Polynomial, right: Polynomial): Polynomial {
  const product = new Map<string, Rational>();
  for (const [leftPowers, leftValue] of left)
    for (const [rightPowers, rightValue] of right) {
      put(product, joinPowers(leftPowers, rightPowers), multiplyNumbers(leftValue, rightValue));
      if (product.size > MAX_TERMS) throw new Error("Cannot solve: the expression has too many terms");
    }
  return product;
}

export function power(base: Polynomial, exponent: number): Polynomial {
  let result = constant(ONE);
  for (let index = 0; index < exponent; index++) result = multiply(result, base);
  return result;
}

export function isZero(polynomial: Polynomial): boolean {
  return polynomial.size === 0;
}

/** Returns undefined if a variable is in the polynomial. */
export function asConstant(polynomial: Polynomial): Rational | undefined {
  if (polynomial.size === 0) return { over: 0n, under: 1n };
  return polynomial.size === 1 ? polynomial.get("") : undefined;
}

export function variablesOf(polynomial: Polynomial): ReadonlySet<string> {
  return new Set([...polynomial.keys()].flatMap((powers) => [...readPowers(powers).keys()]));
}

/** Returns the coefficients of the powers 0, 1 and so on of one variable. */
export function coefficientsIn(polynomial: Polynomial, name: string): readonly Polynomial[] {
  const found: Map<string, Rational>[] = [];
  for (const [powers, value] of polynomial) {
    const map = new Map(readPowers(powers));
    const degree = map.get(name) ?? 0;
    map.delete(name);
    while (found.length <= degree) found.push(new Map());
    found[degree]?.set(writePowers(map), value);
  }
  return found;
}

/** Formats with the highest powers first. */
export function write(polynomial: Polynomial): string {
  if (isZero(polynomial)) return "0";
  const terms = [...polynomial].map(([powers, value]) => ({ powers: readPowers(powers), value }));
  const degree = (powers: ReadonlyMap<string, number>): number => [...powers.values()].reduce((sum, one) => sum + one, 0);
  terms.sort(
    (left, right) => degree(right.powers) - degree(left.powers) || (writePowers(left.powers) < writePowers(right.powers) ? -1 : 1),
  );
  return terms
    .map(({ powers, value }, index) => {
      const isNegative = value.over < 0n;
      const size = isNegative ? negate(value) : value;
      const factors = [...powers].map(([name, exponent]) => (exponent === 1 ? name : `${name}^${exponent}`));
      const text = toNumber(size) === 1 && factors.length > 0 ? factors.join("*") : [toText(size), ...factors].join("*");
      return index === 0 ? `${isNegative ? "-" : ""}${text}` : ` ${isNegative ? "-" : "+"} ${text}`;
    })
    .join("");
}

function put(terms: Map<string, Rational>, powers: string, value: Rational): void {
  const sum = addNumbers(terms.get(powers) ?? { over: 0n, under: 1n }, value);
  if (isZeroNumber(sum)) terms.delete(powers);
  else terms.set(powers, sum);
}

function joinPowers(left: string, right: string): string {
  if (left === "") return right;
  if (right === "") return left;
  const powers = new Map(readPowers(left));
  for (const [name, exponent] of readPowers(right)) powers.set(name, (powers.get(name) ?? 0) + exponent);
  return writePowers(powers);
}

function readPowers(powers: string): ReadonlyMap<string, number> {
  if (powers === "") return new Map();
  return new Map(
    powers.split(",").map((one) => {
      const colon = one.lastIndexOf(":");
      return [one.slice(0, colon), Number(one.slice(colon + 1))];
    }),
  );
}

function writePowers(powers: ReadonlyMap<string, number>): string {
  return [...powers]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, exponent]) => `${name}:${exponent}`)
    .join(",");
}
