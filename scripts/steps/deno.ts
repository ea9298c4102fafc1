/** The Deno step: a host on `plugins/` answers a sandboxed call, and the tests that do not start Node themselves pass there. */

import { runCommand } from "../run-command.ts";
import { formatTotals, runTests } from "../vitest-run.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

/** The layers' own tests. What is left out starts `node` or reads the checkout, which says nothing about Deno. */
const DENO_TESTS = ["test/sandbox", "test/host", "test/plugins", "test/attack"];

/**
 * What is the same on either: tests that start the type checker or both runtimes themselves, functions of data alone, and guest
 * code that only the engine and its rewritten module run, which both runtimes give to the same V8.
 */
const LEFT_OUT = [
  "test/host/types/**",
  "test/attack/manifests/types-injection.test.ts",
  "test/plugins/three-ways.test.ts",
  "test/host/policy/**",
  "test/attack/schemas/**",
  "test/sandbox/wasm/**",
  "test/attack/state/**",
  "test/attack/runaway/runaway.test.ts",
  "test/plugins/{archive,canvas,calculate,csv,hostile-input,json,numerics,plot,readme,statistics,symbolic}.test.ts",
];

export async function checkDeno(): Promise<StepOutcome> {
  const smoke = await runCommand("deno", ["run", "-A", "scripts/smoke.mjs", "../host/mod.ts", "plugins"], { timeoutMs: 60_000 });
  if (smoke.code !== 0) return { ok: false, note: "no sandboxed call on Deno", output: smoke.output };
  const run = await runTests("deno", [...DENO_TESTS, ...LEFT_OUT.map((pattern) => `--exclude=${pattern}`)], false);
  return outcomeOf(run.ok ? [] : [run.output], `one sandboxed call; ${formatTotals(run)}`);
}
