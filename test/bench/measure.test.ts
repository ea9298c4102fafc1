import { describe, expect, it } from "vitest";
import { againstInUs, compareBatches, compareCalls, median, mustBe, percentile } from "../../bench/measure.ts";

describe("percentile()", () => {
  it("returns the value below which the share of values lies", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([percentile(values, 0.99), percentile(values, 0), percentile([3], 0.99), median([5, 1, 3])]).toEqual([199, 1, 3, 3]);
  });

  it("throws if nothing was measured", () => {
    expect(() => percentile([], 0.5)).toThrow("Nothing was measured");
  });
});

describe("compareCalls()", () => {
  it("alternates call by call, in reverse order every other time", async () => {
    const order: string[] = [];
    const note = (name: string) => () => Promise.resolve(void order.push(name));
    await compareCalls({ a: note("a"), b: note("b") }, { rounds: 2, calls: 2, warmCalls: 1 });
    expect(order.join("")).toBe("ab" + "abba" + "abba");
  });

  it("fails with the first call that fails", async () => {
    const calls = { fine: () => Promise.resolve(), broken: () => Promise.reject(new Error("wrong answer")) };
    await expect(compareCalls(calls)).rejects.toThrow("wrong answer");
  });
});

describe("compareBatches()", () => {
  it("runs each candidate in every round and returns consistent figures", () => {
    const counts = { a: 0, b: 0 };
    const count = (name: "a" | "b") => () => void counts[name]++;
    const times = compareBatches({ a: count("a"), b: count("b") }, { rounds: 3, batchMs: 0, warmMs: 0 });
    const row = againstInUs(times, "a", "b");
    expect(counts.a).toBeGreaterThanOrEqual(3);
    expect(counts.b).toBeGreaterThanOrEqual(3);
    expect({ value: row.value, baseline: row.baseline }).toEqual({
      value: times.medianMs("a") * 1000,
      baseline: times.medianMs("b") * 1000,
    });
    expect(times.ratio("a", "a")).toBe(1);
  });
});

describe("mustBe()", () => {
  it("throws if the answers differ", () => {
    mustBe({ a: [1] }, { a: [1] });
    expect(() => mustBe({ a: 2 }, { a: 1 })).toThrow(`Measured a call that answers {"a":2} instead of {"a":1}`);
    expect(() => mustBe(undefined, null)).toThrow("instead of null");
  });
});
