/** Compares loops that the loader rewrites with V8, which runs this test. `npm run fuzz -- --only loops` runs longer. */

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import "../support/seed.ts";
import { startSandbox } from "../support/sandbox.ts";
import { runInBoth } from "./loop-check.ts";
import { loopProgram } from "./loop-program.ts";

const sandbox = startSandbox({ maximumWorkers: 1 });
afterAll(() => sandbox[Symbol.asyncDispose]());

describe("random loops", { timeout: 90_000 }, () => {
  it("behave in the sandbox as in V8 [B7.for-await] [B7.yield] [B7.using]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(loopProgram, { minLength: 8, maxLength: 8 }), async (programs) => {
        const { sandboxed, inV8 } = await runInBoth(sandbox, programs);
        expect(sandboxed).toEqual(inV8);
      }),
      { numRuns: 25 },
    );
  });
});
