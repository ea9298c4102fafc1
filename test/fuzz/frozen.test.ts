/** Runs part of `npm run fuzz -- --only frozen`: altered frozen calls. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { checkFrozen } from "./frozen-check.ts";

describe("frozen calls", () => {
  it("are accepted only as they were written, and say what differs [FR5.fuzz]", () => {
    expect(checkFrozen(FUZZ_SEED, 5_000)).toEqual([]);
  });
});
