/** Runs some thousand messages of `npm run fuzz -- --only worker`, which sends millions. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { checkHostileWorker } from "./hostile-worker-check.ts";

describe("the host with a worker that sends arbitrary messages", { timeout: 90_000 }, () => {
  it("runs only what the worker's own calls may, answers every call, and keeps another plugin's worker running [B5.worker] [B10]", async () => {
    for (let seed = FUZZ_SEED; seed < FUZZ_SEED + 10; seed++) expect(await checkHostileWorker(seed), `seed ${seed}`).toEqual([]);
  });
});
