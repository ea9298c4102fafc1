/** Runs `npm run fuzz -- --only wasm` for a few seconds. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { engineBytes } from "../support/in-thread.ts";
import { checkDamagedEngine, checkDamagedModule } from "./mutation.ts";
import { checkModule } from "./wasm-check.ts";

/** @returns the seeds of cases with problems, with these problems */
function failing(
  cases: number,
  check: (seed: number) => readonly string[],
): readonly (readonly [seed: number, problems: readonly string[]])[] {
  return Array.from({ length: cases }, (_, index) => FUZZ_SEED + index).flatMap((seed) => {
    const problems = check(seed);
    return problems.length > 0 ? [[seed, problems] as const] : [];
  });
}

/** Takes a few seconds on an idle machine. */
const TIMEOUT = { timeout: 90_000 };

describe("rewriteEngine(), fuzzed", TIMEOUT, () => {
  it("keeps the behaviour of random modules, marks all their writes, counts all their loops and restores their memory [B1.memory] [B3.fuel]", () => {
    expect(failing(80, checkModule)).toEqual([]);
  });

  it("refuses damaged modules or rewrites them to valid ones", () => {
    expect(failing(3_000, checkDamagedModule)).toEqual([]);
  });

  it("refuses damaged engines or rewrites them to equivalent ones", () => {
    expect(failing(30, (seed) => checkDamagedEngine(seed, engineBytes))).toEqual([]);
  });
});
