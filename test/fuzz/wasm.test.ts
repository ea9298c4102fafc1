/** A few seconds of what `npm run fuzz -- --only wasm` does for long. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { engineBytes } from "../support/in-thread.ts";
import { checkDamagedEngine, checkDamagedModule } from "./mutation.ts";
import { checkModule } from "./wasm-check.ts";

/** @returns the seeds of cases with problems, and what they are. */
function failing(
  cases: number,
  check: (seed: number) => readonly string[],
): readonly (readonly [seed: number, problems: readonly string[]])[] {
  return Array.from({ length: cases }, (_, index) => FUZZ_SEED + index).flatMap((seed) => {
    const problems = check(seed);
    return problems.length > 0 ? [[seed, problems] as const] : [];
  });
}

/** A few seconds on a quiet machine. */
const TIMEOUT = { timeout: 90_000 };

describe("rewriteEngine(), fuzzed", TIMEOUT, () => {
  it("keeps what random modules do, marks all they write, counts all they loop and puts their memory back [B1.memory] [B3.fuel]", () => {
    expect(failing(80, checkModule)).toEqual([]);
  });

  it("refuses damaged modules or rewrites them to valid ones", () => {
    expect(failing(3_000, checkDamagedModule)).toEqual([]);
  });

  it("refuses damaged engines or rewrites them to ones that behave the same", () => {
    expect(failing(30, (seed) => checkDamagedEngine(seed, engineBytes))).toEqual([]);
  });
});
