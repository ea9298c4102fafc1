import { describe, expect, it } from "vitest";
import { isMet, type Outcome, toCheckTable, toFigures, toJson } from "../../bench/report.ts";

const MET: Outcome = {
  id: "fresh_2kb",
  ok: true,
  measured: { value: 7.5, unit: "us", baseline: 5, ratio: 1.5, note: "quiet" },
};
const MISSED: Outcome = { id: "throughput", ok: true, measured: { value: 39_999, unit: "per s", baseline: null, ratio: null } };
const FAILED: Outcome = { id: "runaway", ok: false, message: "The worker did not survive forEver" };
const OUTCOMES = [MET, MISSED, FAILED];

describe("toJson()", () => {
  it("has exactly the members of appendix C, and no row for a failed benchmark", () => {
    expect(JSON.parse(toJson(OUTCOMES))).toEqual({
      rows: [
        { id: "fresh_2kb", value: 7.5, unit: "us", baseline: 5, ratio: 1.5 },
        { id: "throughput", value: 39_999, unit: "per s", baseline: null, ratio: null },
      ],
    });
  });
});

describe("isMet()", () => {
  it("is true only if the benchmark ran and met its target", () => {
    expect(OUTCOMES.map(isMet)).toEqual([true, false, false]);
  });
});

describe("toCheckTable()", () => {
  it("has a line for each benchmark, with its target and whether it is met", () => {
    expect(toCheckTable(OUTCOMES)).toBe(
      [
        "id          target    value   ok",
        "fresh_2kb   ≤ 2       1.5     yes",
        "throughput  ≥ 40,000  39,999  NO",
        "runaway     ≤ 25      failed  NO",
      ].join("\n"),
    );
  });
});

describe("toFigures()", () => {
  it("shows value, baseline, ratio and notes, or the reason for a failure", () => {
    const lines = toFigures(OUTCOMES).split("\n");
    expect(lines[1]).toMatch(/^fresh_2kb +7\.5 us +5 us +1\.5 +ratio ≤ 2 +yes +restore/);
    expect(lines[3]).toMatch(/^runaway +failed +value ≤ 25 +NO +The worker did not survive forEver$/);
    expect(lines[4]).toBe("fresh_2kb: quiet");
  });
});
