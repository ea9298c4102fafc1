import { describe, expect, it } from "vitest";
import { type Check, judge, readExcused, runRevisions } from "./mcp/run.ts";

/** Runs a separate program for each scenario. */
const SLOWLY = { timeout: 180_000 };

describe("the conformance suite of MCP", () => {
  it("passes against sandboxed plugins except for listed checks, in both eras [I3.conformance]", SLOWLY, async () => {
    const outcomes = await runRevisions();
    expect(judge(outcomes, await readExcused())).toEqual({ unexpected: [], stale: [] });
    // The SDK's own server passes 164 and 84 of them.
    expect(outcomes.map(({ revision, passed, failed }) => [revision, passed, failed])).toEqual([
      ["2026-07-28", 167, 27],
      ["2025-11-25", 84, 0],
    ]);
  });

  it("fails for an unlisted failure, a listed check that passes, and a skipped scenario [I3.conformance]", () => {
    const check = (id: string, status: Check["status"], scenario = "a"): Check => ({ scenario, id, status, message: "why" });
    const checks = [check("1", "SUCCESS"), check("2", "FAILURE"), check("3", "WARNING"), check("4", "SKIPPED"), check("5", "INFO", "b")];
    const outcome = { revision: "r", scenarios: ["a", "b", "c"], checks, passed: 1, failed: 1, output: "" };
    expect(
      judge(
        [outcome],
        new Map([
          ["r a:2", "reason"],
          ["r a:1", "reason"],
        ]),
      ),
    ).toEqual({
      unexpected: ["r a:3 (WARNING: why)", "r a:4 (SKIPPED: why)", "r b (nothing was checked)", "r c (nothing was checked)"],
      stale: ["r a:1"],
    });
    const crashed = { ...outcome, scenarios: [], checks: [], output: "no such module" };
    expect(judge([crashed], new Map())).toEqual({ unexpected: ["r did not run (no such module)"], stale: [] });
  });
});
