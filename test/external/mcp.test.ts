import { describe, expect, it } from "vitest";
import { judge, readExcused, runRevisions } from "./mcp/run.ts";

/** It runs a program of its own for each scenario. */
const SLOWLY = { timeout: 180_000 };

describe("the conformance suite of MCP", () => {
  it("passes against sandboxed plugins but for what is listed with its reason, in both eras [I3.conformance]", SLOWLY, async () => {
    expect(judge(await runRevisions(), await readExcused())).toEqual({ unexpected: [], stale: [] });
  });

  it("is failed by a scenario that is not listed, by one that is listed and passes, and by a suite that does not run", () => {
    const outcome = { revision: "r", passed: ["a: 1 passed, 0 failed"], failed: ["b: 0 passed, 1 failed"], output: "" };
    expect(judge([outcome], {})).toEqual({ unexpected: ["r b (b: 0 passed, 1 failed)"], stale: [] });
    expect(judge([outcome], { "r a": "reason", "r b": "reason" })).toEqual({ unexpected: [], stale: ["r a"] });
    expect(judge([{ ...outcome, passed: [], failed: [], output: "no" }], {}).unexpected).toEqual(["r did not run: no"]);
  });
});
