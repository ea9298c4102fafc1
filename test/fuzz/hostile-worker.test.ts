/** Some thousand messages of what `npm run fuzz -- --only worker` sends millions of. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { checkHostileWorker } from "./hostile-worker-check.ts";

describe("the host, with a worker that says anything", { timeout: 90_000 }, () => {
  it("does nothing that the worker's own calls may not, answers every call, and keeps another plugin's worker going [B5.worker] [B10]", async () => {
    for (let seed = FUZZ_SEED; seed < FUZZ_SEED + 10; seed++) expect(await checkHostileWorker(seed), `seed ${seed}`).toEqual([]);
  });
});
