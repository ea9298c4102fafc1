import { describe, expect, it } from "vitest";
import { isObserved, OBSERVED_BOUNDS, type Observed } from "../../../sandbox/wire/observed.ts";

const GOOD: Observed = {
  asked: [0, -1],
  places: ["main.ts:1:1"],
  functions: [{ name: "run", place: "main.ts:1:1" }],
  stacks: [[0]],
  samples: [[0, 10_000, 250]],
};

describe("isObserved()", () => {
  it("accepts what a worker reports [AX7.hostile]", () => {
    expect(isObserved(GOOD)).toBe(true);
    expect(isObserved({ asked: [], places: [], functions: [], stacks: [], samples: [] })).toBe(true);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a place that does not exist", { ...GOOD, asked: [1] }],
    ["a fraction", { ...GOOD, asked: [0.5] }],
    ["a function that does not exist", { ...GOOD, stacks: [[1]] }],
    ["a stack that does not exist", { ...GOOD, samples: [[1, 1, 1]] }],
    ["a hole", { ...GOOD, stacks: Array.from({ length: 1 }).concat([[0]]) }],
    ["a negative time", { ...GOOD, samples: [[0, 1, -1]] }],
    ["a time without end", { ...GOOD, samples: [[0, 1, Infinity]] }],
    ["a deep stack", { ...GOOD, stacks: [Array.from({ length: OBSERVED_BOUNDS.depth + 1 }, () => 0)] }],
    ["a long name", { ...GOOD, functions: [{ name: "x".repeat(OBSERVED_BOUNDS.text + 1), place: "" }] }],
    ["many operations", { ...GOOD, asked: Array.from({ length: OBSERVED_BOUNDS.asked + 1 }, () => 0) }],
    ["many samples", { ...GOOD, samples: Array.from({ length: OBSERVED_BOUNDS.samples + 1 }, () => [0, 1, 1]) }],
  ])("refuses %s [AX7.hostile]", (_what, value) => {
    expect(isObserved(value)).toBe(false);
  });
});
