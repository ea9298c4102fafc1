/** Replays random programs. `npm run fuzz -- --only replay` runs longer. */

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import "../support/seed.ts";
import { ReplayCheck } from "./replay-check.ts";
import { replayProgram } from "./replay-program.ts";

const check = new ReplayCheck();
afterAll(async () => await check[Symbol.asyncDispose]());

describe("a recorded call", () => {
  it("replays identically, whatever it does with time, timers, answers and randomness [B8.property] [B6.recorded]", async () => {
    await fc.assert(
      fc.asyncProperty(replayProgram, async (program) => {
        expect(await check.check(program)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
