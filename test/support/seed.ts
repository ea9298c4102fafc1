/**
 * Makes property tests repeatable: the gate generates the same cases every time, so that it fails only because of a change.
 * `FUZZ_SEED=<number>` generates other cases, `FUZZ_SEED=random` new ones on every run.
 */

import { configureGlobal } from "fast-check";

const DEFAULT_SEED = 20_261_120;

const wanted = process.env["FUZZ_SEED"] ?? String(DEFAULT_SEED);

/** Seed of random cases, for generators other than fast-check. */
export const FUZZ_SEED: number = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);

// Without a seed fast-check chooses a random one and prints it on failure.
if (wanted !== "random") configureGlobal({ seed: FUZZ_SEED });

/** Returns pseudorandom bytes that are the same on every run. */
export function seededBytes(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    // Lehmer's generator: MINSTD.
    state = (state * 48_271) % 2_147_483_647;
    return state >>> 8;
  });
}
