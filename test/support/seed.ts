/**
 * Makes property tests repeat: the gate draws the same cases every time, so that it fails for a change and not by chance.
 * `FUZZ_SEED=<number>` draws others, `FUZZ_SEED=random` new ones at every run.
 */

import { configureGlobal } from "fast-check";

const DEFAULT_SEED = 20_261_120;

const wanted = process.env["FUZZ_SEED"] ?? String(DEFAULT_SEED);

/** What random cases are drawn by, for generators other than fast-check. */
export const FUZZ_SEED: number = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);

// fast-check draws a seed of its own where it is given none, and says it when it fails.
if (wanted !== "random") configureGlobal({ seed: FUZZ_SEED });

/** Bytes that look random and are the same at every run. */
export function seededBytes(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    // Lehmer's generator: MINSTD.
    state = (state * 48_271) % 2_147_483_647;
    return state >>> 8;
  });
}
