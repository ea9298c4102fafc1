import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BENCHES } from "../../bench/mod.ts";
import { figureOf, meets, type Target, TARGETS, targetOf } from "../../bench/targets.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** SPEC.md, if it is beside the checkout. */
const SPEC = `${REPOSITORY}../shared/SPEC.md`;
const README = readFileSync(`${REPOSITORY}bench/README.md`, "utf8");
const spec = existsSync(SPEC) ? readFileSync(SPEC, "utf8") : "";

/** Parses ids and bounds of appendix C's table; ids that share a cell share its bound, or have one each. */
function targetsOfSpec(text: string): readonly string[] {
  const table = text.slice(text.indexOf("# Appendix C.")).matchAll(/^\| (`[^|]*) \| ([≤≥][^|]*) \|/gm);
  return [...table].flatMap(([, cell = "", bounds = ""]) => {
    const ids = [...cell.matchAll(/`(\w+_\w+|[a-z]+)`/g)].map((match) => match[1] ?? "");
    const limits = bounds.split(";").map((bound) => bound.replace(/, .*/, "").trim());
    return ids.map((id, index) => `${id} ${limits[index] ?? limits[0]}`);
  });
}

function written({ id, must, limit }: Target): string {
  return `${id} ${must} ${limit === 1 / 50 ? "1/50" : limit.toLocaleString("en")}`;
}

const plain = (line: string): string => line.replace(/(\.\d)0$/, "$1");

describe("TARGETS", () => {
  it("has one target for every benchmark, and no other", () => {
    expect(BENCHES.map(({ id }) => id).toSorted()).toEqual(TARGETS.map(({ id }) => id).toSorted());
  });

  it.skipIf(spec === "")("is appendix C of the specification, row by row", () => {
    const asked = TARGETS.filter(({ row }) => row === "appendix C");
    expect(asked.map(written).toSorted()).toEqual(targetsOfSpec(spec).map(plain).toSorted());
  });

  it("matches bench/README.md", () => {
    const said = [...README.matchAll(/^\| `(\w+)` \| (ratio|value) ([^|]*) \|/gm)].map(([, id, of, bound]) => `${of} ${id} ${bound}`);
    expect(said).toEqual(TARGETS.map((target) => `${target.of} ${written(target)}`));
  });
});

describe("meets()", () => {
  const measured = { value: 10, unit: "us", baseline: 4, ratio: 2.5 } as const;
  const atMost: Target = { id: "x", of: "ratio", must: "≤", limit: 2.5, what: "", row: "appendix C" };

  it("accepts a value equal to the bound", () => {
    expect(meets(atMost, measured)).toBe(true);
    expect(meets({ ...atMost, must: "≥" }, measured)).toBe(true);
  });

  it("compares the ratio or the value, as the target states", () => {
    expect(figureOf(atMost, measured)).toBe(2.5);
    expect(meets({ ...atMost, limit: 2.4 }, measured)).toBe(false);
    expect(meets({ ...atMost, of: "value" }, measured)).toBe(false);
    expect(meets({ ...atMost, of: "value", must: "≥", limit: 10.1 }, measured)).toBe(false);
  });

  it("is not met by a row without the figure, for either direction of the bound", () => {
    const none = { ...measured, baseline: null, ratio: null };
    expect([meets(atMost, none), meets({ ...atMost, must: "≥" }, none)]).toEqual([false, false]);
  });
});

describe("targetOf()", () => {
  it("throws for a benchmark without a target", () => {
    expect(() => targetOf("speed")).toThrow(`The benchmark "speed" has no target (add one to bench/targets.ts)`);
  });
});
