import { describe, expect, it } from "vitest";
import { formatSlowest, secondsByFile } from "../../scripts/vitest-run.ts";
import { REPOSITORY } from "../support/source-files.ts";

function report(count: number): string {
  const testResults = Array.from({ length: count }, (_, index) => ({
    name: `${REPOSITORY}test/${String(index)}.test.ts`,
    startTime: 1_000,
    endTime: 1_000 + index * 250,
  }));
  return JSON.stringify({ testResults });
}

describe("formatSlowest()", () => {
  it("lists the ten slowest test files of vitest's report, with seconds", () => {
    const lines = formatSlowest(secondsByFile(report(12)));
    expect(lines).toHaveLength(11);
    expect([lines[0], lines[1], lines[10]]).toEqual([
      "── slowest of 12 test files",
      "   2.8 s  test/11.test.ts",
      "   0.5 s  test/2.test.ts",
    ]);
  });

  it("lists nothing for a run of few files, or for a run that wrote no report", () => {
    expect(formatSlowest(secondsByFile(report(10)))).toEqual([]);
    expect(formatSlowest(secondsByFile("{}"))).toEqual([]);
  });
});
