import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { statistics } from "../../plugins/math/main.ts";

/** Values whose squares neither underflow nor overflow. */
const moderate = fc.double({ min: -1e50, max: 1e50, noNaN: true });
const lists = fc.array(moderate, { minLength: 1, maxLength: 60 });

/** Converts a double to a whole multiple of the smallest one. */
const SHIFT = 1074n;

function toExact(value: number): bigint {
  const [word = 0n] = new BigUint64Array(new Float64Array([value]).buffer);
  const exponent = (word >> 52n) & 0x7ffn;
  const mantissa = (word & 0xfffffffffffffn) | (exponent === 0n ? 0n : 1n << 52n);
  const whole = mantissa << (exponent === 0n ? 0n : exponent - 1n);
  return word >> 63n === 0n ? whole : -whole;
}

/** `numerator / denominator` in units of the smallest double, exact except for the last steps. */
function toNumber(numerator: bigint, denominator = 1n): number {
  const scaled = (numerator << 80n) / denominator;
  const sign = scaled < 0n ? -1 : 1;
  const size = scaled < 0n ? -scaled : scaled;
  const extra = BigInt(Math.max(0, size.toString(2).length - 60));
  const exponent = Number(extra) - Number(SHIFT) - 80;
  const half = Math.trunc(exponent / 2);
  // In two steps, because 2 to the whole exponent may exceed a double.
  return sign * Number(size >> extra) * 2 ** half * 2 ** (exponent - half);
}

function expectClose(actual: number | null, wanted: number, tolerance: number): void {
  expect(Math.abs((actual ?? Number.NaN) - wanted)).toBeLessThanOrEqual(tolerance);
}

describe("statistics()", () => {
  it("matches the exact sum to the last digits [G3.statistics]", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (values) => {
        const exact = values.reduce((total, value) => total + toExact(value), 0n);
        const absolute = values.reduce((total, value) => total + Math.abs(value), 0);
        const { sum, mean } = await statistics({ values });
        const wanted = toNumber(exact);
        // The bound of Neumaier's sum: one rounding of the result, and the square of the precision times the whole.
        const tolerance = Math.abs(wanted) * 2 ** -52 + absolute * values.length ** 2 * 2 ** -104;
        expectClose(sum, wanted, tolerance);
        expectClose(mean, toNumber(exact, BigInt(values.length)), (2 * tolerance) / values.length + 5e-324);
      }),
    );
  });

  it("is the exact mean if plain addition loses everything", async () => {
    expect(await statistics({ values: [1e16, 1, -1e16], quantiles: [] })).toMatchObject({ sum: 1, mean: 1 / 3 });
    expect(await statistics({ values: Array<number>(10).fill(0.1), quantiles: [] })).toMatchObject({ sum: 1, mean: 0.1 });
  });

  it("matches the exact variance [G3.statistics]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 2, maxLength: 50 }), async (values) => {
        const n = BigInt(values.length);
        const whole = values.map(BigInt);
        const total = whole.reduce((sum, value) => sum + value, 0n);
        const squares = whole.reduce((sum, value) => sum + value * value, 0n);
        // n² times the population variance.
        const wanted = n * squares - total * total;
        const { variance, standardDeviation } = await statistics({ values });
        const population = Number(wanted) / Number(n * n);
        expectClose(variance.population, population, population * 1e-12);
        expectClose(variance.sample, Number(wanted) / Number(n * (n - 1n)), population * 1e-11);
        expectClose(standardDeviation.population, Math.sqrt(population), Math.sqrt(population) * 1e-12);
      }),
    );
  });

  it("does not lose a small variance beside a large mean", async () => {
    const { variance } = await statistics({ values: [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16] });
    expect(variance).toEqual({ sample: 30, population: 22.5 });
  });

  it("does not depend on the order of the values or on nulls", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.infiniteStream(fc.boolean()), async (values, coins) => {
        const mixed = values.toReversed().flatMap((value) => (coins.next().value === true ? [value, null] : [value]));
        const { missing, ...described } = await statistics({ values: mixed });
        expect(missing).toBe(mixed.length - values.length);
        expect({ ...described, missing: 0 }).toEqual(await statistics({ values }));
      }),
    );
  });

  it("finds the least, the greatest and the modes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 30 }), async (values) => {
        const counts = new Map<number, number>();
        for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
        const most = Math.max(...counts.values());
        const modes = most === 1 ? [] : [...counts].filter(([, count]) => count === most).map(([value]) => value);
        expect(await statistics({ values })).toMatchObject({
          min: Math.min(...values),
          max: Math.max(...values),
          modes: modes.toSorted((left, right) => left - right),
        });
      }),
    );
  });

  it("finds quantiles between their neighbors, rising with p, including both ends [G3.statistics]", async () => {
    const methods = fc.constantFrom("linear", "exclusive", "median_unbiased", "nearest_rank");
    const probabilities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lists, probabilities, methods, async (values, ps, method) => {
        const quantiles = [0, ...ps.toSorted((left, right) => left - right), 1];
        const found = (await statistics({ values, quantiles, method })).quantiles.map(({ value }) => value ?? Number.NaN);
        expect(found.every((value, index) => index === 0 || value >= (found[index - 1] ?? Number.NaN))).toBe(true);
        expect([found[0], found.at(-1)]).toEqual([Math.min(...values) + 0, Math.max(...values) + 0]);
      }),
    );
  });

  it("agrees with the published values of the methods (Hyndman and Fan, as R computes them)", async () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const quantiles = [0.1, 0.33, 0.75];
    const found = async (method: "linear" | "exclusive" | "median_unbiased" | "nearest_rank"): Promise<readonly (number | null)[]> =>
      (await statistics({ values, quantiles, method })).quantiles.map(({ value }) => (value === null ? null : Number(value.toFixed(9))));
    expect(await found("linear")).toEqual([1.9, 3.97, 7.75]);
    expect(await found("exclusive")).toEqual([1.1, 3.63, 8.25]);
    expect(await found("median_unbiased")).toEqual([1.366666667, 3.743333333, 8.083333333]);
    expect(await found("nearest_rank")).toEqual([1, 4, 8]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %s, which JSON cannot hold", async (value) => {
    await expect(statistics({ values: [1, value] })).rejects.toThrow(
      `Cannot describe the values: values[1] is ${value}, not a finite number`,
    );
  });

  it("describes values at both ends of a double's range", async () => {
    const largest = Number.MAX_VALUE;
    expect(await statistics({ values: [largest, largest, -largest], quantiles: [0.25] })).toMatchObject({
      sum: largest,
      median: largest,
      quantiles: [{ p: 0.25, value: 0 }],
      variance: { sample: null, population: null },
    });
    expect(await statistics({ values: [5e-324, 1.5e-323], quantiles: [0.5] })).toMatchObject({
      sum: 2e-323,
      mean: 1e-323,
      standardDeviation: { population: 5e-324 },
    });
  });
});
