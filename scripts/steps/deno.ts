/** The Deno step: a host on `plugins/` answers a sandboxed call, and the tests that do not start Node themselves pass there. */

import { runCommand } from "../run-command.ts";
import { formatTotals, runTests } from "../vitest-run.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

/** The layers' own tests. What is left out starts `node` or reads the checkout, which says nothing about Deno. */
const DENO_TESTS = ["test/manifests", "test/sandbox", "test/host", "test/plugins", "test/attack"];

/** They start the type checker, or both runtimes by themselves: the same on either. */
const LEFT_OUT = ["test/host/types/**", "test/attack/manifests/types-injection.test.ts", "test/plugins/three-ways.test.ts"];

export async function checkDeno(): Promise<StepOutcome> {
  const smoke = await runCommand("deno", ["run", "-A", "scripts/smoke.mjs", "../host/mod.ts", "plugins"], { timeoutMs: 60_000 });
  if (smoke.code !== 0) return { ok: false, note: "no sandboxed call on Deno", output: smoke.output };
  const run = await runTests("deno", [...DENO_TESTS, ...LEFT_OUT.map((pattern) => `--exclude=${pattern}`)], false);
  return outcomeOf(run.ok ? [] : [run.output], `one sandboxed call; ${formatTotals(run)}`);
}
