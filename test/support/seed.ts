/**
 * Makes property tests repeat: the gate draws the same cases every time, so that it fails for a change and not by chance.
 * `FUZZ_SEED=<number>` draws others, `FUZZ_SEED=random` new ones at every run.
 */

import { configureGlobal } from "fast-check";

const DEFAULT_SEED = 20_261_120;

const wanted = process.env["FUZZ_SEED"];
if (wanted !== "random") configureGlobal({ seed: wanted === undefined ? DEFAULT_SEED : Number(wanted) });
