import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../bench/command-line.ts";

const KNOWN = ["a", "b", "c"];

describe("parseCommandLine()", () => {
  it("runs every benchmark by default", () => {
    expect(parseCommandLine([], KNOWN)).toEqual({ kind: "run", ids: KNOWN, json: false, check: false });
  });

  it.each([
    ["one", ["--only", "b"], ["b"]],
    ["several with commas, in the order of the bench", ["--only=c,a"], ["a", "c"]],
    ["several by repetition", ["--only", "c", "--only", "b"], ["b", "c"]],
    ["one that is named twice, once", ["--only", "a,a"], ["a"]],
  ])("takes %s", (_name, words, ids) => {
    expect(parseCommandLine(words, KNOWN)).toEqual({ kind: "run", ids, json: false, check: false });
  });

  it("reads the output format", () => {
    expect(parseCommandLine(["--json", "--check"], KNOWN)).toEqual({ kind: "run", ids: KNOWN, json: true, check: true });
    expect(parseCommandLine(["-h"], KNOWN)).toEqual({ kind: "help" });
  });

  it.each([["--only", "d"], ["--only", ""], ["--only", "a,"], ["--fast"], ["a"], ["--only"]])("refuses %s %s", (...words) => {
    expect(parseCommandLine(words, KNOWN)).toEqual({ kind: "wrong", message: expect.any(String) });
  });

  it("lists the known benchmarks for an unknown one", () => {
    expect(parseCommandLine(["--only", "d"], KNOWN)).toEqual({ kind: "wrong", message: `Unknown benchmark "d" (choose from a, b, c)` });
  });
});
