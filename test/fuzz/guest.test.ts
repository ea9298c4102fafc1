/** Runs `npm run fuzz -- --only guest` for a few seconds. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../support/seed.ts";
import { ProgramCheck } from "./guest-check.ts";
import { guestProgram } from "./guest-program.ts";

/** Takes a few seconds on an idle machine. */
const TIMEOUT = { timeout: 90_000 };

describe("random programs", TIMEOUT, () => {
  it("behave the same on both engines, use the same fuel each time, and leave no remains after a restore [B1.memory] [B3.fuel]", async () => {
    const check = new ProgramCheck();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(guestProgram, async (program) => {
        const { problems, output } = await check.check(program);
        expect(problems).toEqual([]);
        if (output.startsWith("d")) ran++;
      }),
      { numRuns: 40 },
    );
    // Most of them are valid programs and terminate.
    expect(ran).toBeGreaterThan(30);
  });

  it("are reported if they differ", async () => {
    const check = new ProgramCheck();
    const { output } = await check.check("log(1 + 1, `a${2n ** 70n}`);");
    expect(output).toBe(String.raw`d{"o":["2 \"a1180591620717411303424\""]}`);
  });
});
