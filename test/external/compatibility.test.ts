import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/source-files.ts";
import { readBaseline, readCommits } from "./baseline.ts";
import { compatibilityText } from "./compatibility.ts";
import { GAPS, gapOf } from "./gaps/mod.ts";

const SUITES = [...GAPS.keys()];

describe("the outside suites' baselines", () => {
  it.each(SUITES)("%s: every test that fails has its reason, and every reason a test", async (suite) => {
    const baseline = await readBaseline(suite);
    const used = new Set<unknown>();
    const without: string[] = [];
    for (const [file, { failed }] of baseline) {
      for (const test of failed) {
        const found = gapOf(suite, file, test);
        if (found === undefined) without.push(`${file}: ${test}`);
        else used.add(found);
      }
    }
    expect({ without, idle: (GAPS.get(suite) ?? []).filter((one) => !used.has(one)).map(({ reason }) => reason) }).toEqual({
      without: [],
      idle: [],
    });
  });

  it("names the commits that they were taken from", async () => {
    expect([...(await readCommits()).keys()]).toEqual(expect.arrayContaining(["deno", "std"]));
  });

  it("meets its goal: 99 of 100 runnable tests of the pure @std packages pass [PB3.std]", async () => {
    const share = /\*\*pure packages\*\* \| \d+ \| \d+ \| ([\d.]+) %/.exec(await compatibilityText())?.[1];
    expect(Number(share)).toBeGreaterThanOrEqual(99);
  });
});

describe("docs/compatibility.md", () => {
  it("is what the baselines say (run npm run generate)", async () => {
    expect(await readFile(`${REPOSITORY}docs/compatibility.md`, "utf8")).toBe(await compatibilityText());
  });
});
