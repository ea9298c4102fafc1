/** The Deno step: a host on `plugins/` answers a sandboxed call, and the tests that do not start Node themselves pass there. */

import { globSync } from "node:fs";
import { REPOSITORY, runCommand } from "../run-command.ts";
import { formatSecondTries, formatTotals, runTests } from "../vitest-run.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

/**
 * Of the layers' own tests (the others start `node` or read the checkout, which says nothing about Deno) those that come to the same
 * on either runtime, and why. What the host does with files, networks, processes, workers, terminals and clocks is never among them.
 */
const LEFT_OUT: readonly { readonly files: string; readonly because: string }[] = [
  { files: "test/host/types/**", because: "starts the type checker, or compares declarations with what the guest has" },
  { files: "test/attack/manifests/types-injection.test.ts", because: "starts the type checker" },
  { files: "test/host/testing/deno-agrees.test.ts", because: "starts deno itself and compares with it" },
  { files: "test/plugins/three-ways.test.ts", because: "starts both runtimes itself" },
  { files: "test/host/policy/**", because: "functions of data" },
  { files: "test/attack/schemas/**", because: "functions of data" },
  { files: "test/sandbox/wasm/**", because: "rewrites bytes to bytes, which V8 validates and runs" },
  { files: "test/attack/state/**", because: "guest code in an engine on the test's own thread" },
  { files: "test/attack/runaway/runaway.test.ts", because: "guest code; how workers end is in test/sandbox/call/limits.test.ts" },
  {
    files: "test/plugins/{archive,calculate,canvas,cases,csv,hostile-input,json,numerics,plot,readme,statistics,symbolic}.test.ts",
    because: "guest code that asks the host for nothing but files; code, deno, llm, sql and web stay, which do more",
  },
];

export async function checkDeno(): Promise<StepOutcome> {
  const smoke = await runCommand("deno", ["run", "-A", "scripts/smoke.mjs", "../host/mod.ts", "plugins"], { timeoutMs: 60_000 });
  if (smoke.code !== 0) return { ok: false, note: "no sandboxed call on Deno", output: smoke.output };
  const run = await runTests("deno", denoTests(), false);
  return { ...outcomeOf(run.ok ? [] : [run.output], `one sandboxed call; ${formatTotals(run)}`), remarks: formatSecondTries(run) };
}

/** Named one by one, because vitest's `--exclude` means nothing to the projects of vitest.config.ts. */
function denoTests(): readonly string[] {
  return globSync("test/{sandbox,host,plugins,attack}/**/*.test.ts", { cwd: REPOSITORY, exclude: LEFT_OUT.map(({ files }) => files) });
}
