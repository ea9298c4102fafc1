/** Runs the models of `npm run fuzz` for a second or two. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { MODELS } from "./models/mod.ts";

/** Number of runs. The real file system and guests are slower than the rest. */
const RUNS: Readonly<Record<string, number>> = { paths: 12, marshal: 25, manifests: 60, undo: 15 };

describe("properties of random values", { timeout: 90_000 }, () => {
  for (const [part, models] of Object.entries(MODELS)) {
    for (const { says, check } of models) {
      it(says, async () => {
        expect(await check(FUZZ_SEED, says.startsWith("paths: in memory") ? 300 : (RUNS[part] ?? 300))).toBeUndefined();
      });
    }
  }
});
