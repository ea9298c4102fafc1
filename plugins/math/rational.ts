/** Fractions of whole numbers of any size. */

export interface Rational {
  readonly over: bigint;
  /** The denominator, above 0; the fraction is in lowest terms. */
  readonly under: bigint;
}

/** Maximum digits of a number; longer ones take too much time. */
const MAX_BITS = 4_096n;
const LIMIT: bigint = 1n << MAX_BITS;

export const ZERO: Rational = { over: 0n, under: 1n };
export const ONE: Rational = { over: 1n, under: 1n };

/** @throws {Error} for a division by zero, and if numbers grow beyond 4,096 bits. */
export function rational(over: bigint, under = 1n): Rational {
  if (under === 0n) throw new Error("Cannot solve: division by zero");
  const common = greatestDivisor(over, under) * (under < 0n ? -1n : 1n);
  const result = { over: over / common, under: under / common };
  if (result.over > LIMIT || result.over < -LIMIT || result.under > LIMIT) throw new Error("Cannot solve: the numbers become too long");
  return result;
}

/** Reads a decimal exactly: 0.1 is 1/10. */
export function fromDecimal(value: number): Rational {
  const [, sign = "", whole = "0", part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(value)) ?? [];
  const shift = Number(exponent) - part.length;
  const digits = BigInt(`${sign}${whole}${part}`);
  return shift >= 0 ? rational(digits * 10n ** BigInt(shift)) : rational(digits, 10n ** BigInt(-shift));
}

export function add(left: Rational, right: Rational): Rational {
  return rational(left.over * right.under + right.over * left.under, left.under * right.under);
}

export function multiply(left: Rational, right: Rational): Rational {
  return rational(left.over * right.over, left.under * right.under);
}

export function divide(left: Rational, right: Rational): Rational {
  return rational(left.over * right.under, left.under * right.over);
}

export function negate({ over, under }: Rational): Rational {
  return { over: -over, under };
}

export function isZero({ over }: Rational): boolean {
  return over === 0n;
}

/** Returns the nearest double, also if neither part fits one. */
export function toNumber({ over, under }: Rational): number {
  const direct = Number(over) / Number(under);
  if (Number.isFinite(direct) && direct !== 0) return direct;
  const scaled = (over << 128n) / under;
  return Number(scaled) / 2 ** 128;
}

export function toText({ over, under }: Rational): string {
  return under === 1n ? String(over) : `${over}/${under}`;
}

export function greatestDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}

/** Takes out the largest square factor: 12 is 2² · 3. @returns undefined if that would take too long. */
export function splitSquare(value: bigint): readonly [root: bigint, rest: bigint] {
  let [root, rest] = [1n, value];
  for (let factor = 2n; factor * factor <= rest && factor < 2_000n; factor++)
    while (rest % (factor * factor) === 0n) {
      rest /= factor * factor;
      root *= factor;
    }
  const whole = integerRoot(rest);
  return whole * whole === rest ? [root * whole, 1n] : [root, rest];
}

/** Newton's method, rounded down. */
export function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
}
