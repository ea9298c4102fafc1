/** Runs part of `npm run fuzz -- --only cluster`: altered envelopes, and hostile messages. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { checkEnvelopes, checkMessages } from "./cluster-check.ts";

describe("messages of a cluster", () => {
  it("are accepted only as a listed key signed them [CL6.fuzz]", () => {
    expect(checkEnvelopes(FUZZ_SEED, 5_000)).toEqual([]);
  });

  it("disturb no call, whatever a listed key signs [CL6.hostile]", async () => {
    for (let round = 0; round < 5; round++) expect(await checkMessages(FUZZ_SEED + round, 300)).toEqual([]);
  });
});
