import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/source-files.ts";
import { readBaseline, readCommits } from "./baseline.ts";
import { compatibilityText } from "./compatibility.ts";
import { GAPS, gapOf } from "./gaps.ts";

const SUITES = ["std", "deno", "wpt", "packages", "jmespath", "json-schema", "test262"];

describe("the outside suites' baselines", () => {
  it("name a reason for every test that fails, and every reason has a test", async () => {
    const named = new Set<string>();
    const without: string[] = [];
    for (const suite of SUITES) {
      for (const [file, { failed }] of await readBaseline(suite)) {
        for (const [test, id] of Object.entries(failed)) {
          named.add(id);
          if (gapOf(id) === undefined) without.push(`${suite} ${file}: ${test}`);
        }
      }
    }
    expect({ without, idle: GAPS.filter(({ id }) => !named.has(id)).map(({ id }) => id) }).toEqual({ without: [], idle: [] });
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
  it("matches the baselines (run npm run generate)", async () => {
    expect(await readFile(`${REPOSITORY}docs/compatibility.md`, "utf8")).toBe(await compatibilityText());
  });
});
