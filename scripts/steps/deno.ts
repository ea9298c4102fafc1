/** The Deno step: a host on `plugins/` answers a sandboxed call, and all tests that do not start Node themselves pass. */

import { globSync } from "node:fs";
import { REPOSITORY, runCommand } from "../run-command.ts";
import { formatTotals, runTests } from "../vitest-run.ts";
import { type StepOutcome, outcomeOf } from "./step.ts";

export interface LeftOut {
  readonly files: string;
  readonly because: string;
}

/** Tests of the layers that show nothing about Deno. Other tests start `node` or read the checkout. */
export const NOT_ABOUT_DENO: readonly LeftOut[] = [
  { files: "test/host/plugins/types/**", because: "starts the type checker, or compares declarations with what the guest has" },
  { files: "test/attack/manifests/types-injection.test.ts", because: "starts the type checker" },
  { files: "test/host/testing/deno-agrees.test.ts", because: "starts Deno itself and compares with it" },
  { files: "test/host/embedding/**", because: "starts both runtimes itself" },
  { files: "test/host/heap/**", because: "has no test there: Deno collects no garbage on request" },
  { files: "test/{plugins/three-ways,attack/liveness/liveness}.test.ts", because: "start both runtimes themselves" },
  { files: "test/plugins/{deno,unchanged,vendor}.test.ts", because: "start Deno themselves, or read the checkout" },
  { files: "test/sandbox/guest/programs-agree.test.ts", because: "starts Deno itself and compares with it" },
];

/**
 * Tests whose result cannot depend on the runtime; `DENO_TESTS=all npm run ok -- --only deno` runs them too.
 *
 * Guest code is the same bytes in the same engine, and code outside of `host/platform/` and `sandbox/worker/` cannot access the
 * runtime (`test/architecture.test.ts`). Tests of the platform's files, networks, processes, workers, terminals and clocks, of
 * the guest's use of the runtime (Intl, cryptography, compression), and of attacks on any of these are never in this list.
 */
export const THE_SAME: readonly LeftOut[] = [
  { files: "test/host/policy/**", because: "functions of data" },
  { files: "test/attack/manifests/{floods-of-tools,hostile-text,huge-and-deep}.test.ts", because: "functions of data" },
  { files: "test/attack/schemas/**", because: "functions of data" },
  { files: "test/sandbox/wasm/**", because: "rewrites bytes to bytes, which V8 validates and runs" },
  { files: "test/attack/state/**", because: "guest code in an engine on the test's own thread" },
  { files: "test/sandbox/image/{parked,tracked-restore}.test.ts", because: "the same" },
  { files: "test/sandbox/worker/{call/run,instances}.test.ts", because: "the same" },
  { files: "test/sandbox/{engine/engine,engine/fuel,pool/engine-build}.test.ts", because: "the same" },
  { files: "test/attack/sandbox/engine-imports.test.ts", because: "the same" },
  {
    files: "test/attack/engine/!(deep-recursion|promise-bombs|regexp-bombs).test.ts",
    because: "guest code; the excluded ones attack stack and time",
  },
  {
    files: "test/sandbox/guest/{as-deno,events,globals,hostile,call/*,inspect/*,language/*,web/base64,web/blob}.test.ts",
    because: "guest code that does not use the runtime",
  },
  { files: "test/sandbox/guest/{node-modules,streams,web/performance,web/structured-clone,web/timers}.test.ts", because: "the same" },
  {
    files: "test/attack/runaway/runaway.test.ts",
    because: "guest code; test/sandbox/worker/call/limits.test.ts covers the end of workers",
  },
  {
    files: "test/plugins/{archive,calculate,canvas,cases,csv,hostile-input,json,numerics,plot,readme,statistics,symbolic}.test.ts",
    because: "guest code that uses only files of the host; code, llm, sql and web use more and run",
  },
  {
    files:
      "test/host/doors/cli/{audit,bench,consent,dry-run,export,learn,mcp-servers,permission-set,policy,replay,server-tokens,settings,trust,types,whole-result}.test.ts",
    because: "commands on the platform interface; walk-through, dev, completions, serve, mcp, runner, doctor and the processes run",
  },
  { files: "test/host/{plugins/packing,testing}/**", because: "the same; deno-agrees starts Deno itself" },
  { files: "test/attack/consent/!(state-that-leads-elsewhere).test.ts", because: "attacks on these; the excluded one attacks the disk" },
  { files: "test/attack/shell/output-floods.test.ts", because: "fake processes, and bytes that the host counts" },
  {
    files:
      "test/host/{dispatch/chains,confirmations,effects/{overlay,recordings},policy/quotas,dispatch/results,capabilities/secrets,plugins/settings}/**",
    because: "gates and wrappers on the platform interface",
  },
  { files: "test/attack/{chains,dry-run,permissions,recordings}/**", because: "attacks on these" },
  {
    files: "test/host/host/{limits-in-force,one-terminal-event,options}.test.ts",
    because: "hosts on the memory platform; host, open-sandbox and trusted start more than threads and run",
  },
  { files: "test/host/project/{files-in-force,killed-changes}.test.ts", because: "the same" },
  { files: "test/host/sources/{project-tools,shell}.test.ts", because: "the same" },
  { files: "test/host/{sources/{skills,toolkits},project/trust/*}.test.ts", because: "the same" },
  { files: "test/host/doors/{large-results,plugin-view}.test.ts", because: "the same, with sockets in memory" },
  { files: "test/attack/mcp/**", because: "the same" },
  { files: "test/attack/reload/thousands-of-changes.test.ts", because: "the same" },
  { files: "test/attack/policy/{protected-names,revoked-while-it-runs}.test.ts", because: "the same" },
  {
    files: "test/attack/limits/{arguments-that-wait,large-arguments,large-confirmations,large-listings,large-steps,large-values}.test.ts",
    because: "the same: bytes that the host counts",
  },
  {
    files: "test/attack/operations/floods-of-large-{answers,arguments}.test.ts",
    because: "counts in the sandbox's own code; on Deno a worker needs a quarter of a second for each of hundreds of 4 MiB answers",
  },
  { files: "test/attack/sandbox/waiting-heaps.test.ts", because: "counts in the sandbox's own code of what instances hold" },
  { files: "test/sandbox/engine/{native-loops,rejections}.test.ts", because: "guest code that asks the runtime for nothing" },
  { files: "test/sandbox/{image/session-state,worker/tape/call-conditions,worker/call/used}.test.ts", because: "the same" },
];

export async function checkDeno(): Promise<StepOutcome> {
  const smoke = await runCommand("deno", ["run", "-A", "scripts/smoke.mjs", "../host/mod.ts", "plugins"], { timeoutMs: 60_000 });
  if (smoke.code !== 0) return { ok: false, note: "no sandboxed call on Deno", output: smoke.output };
  const run = await runTests("deno", denoTests(), false);
  return { ...outcomeOf(run.ok ? [] : [run.output], `one sandboxed call; ${formatTotals(run)}`), remarks: run.slowest };
}

/** Listed one by one, because vitest's `--exclude` does not apply to the projects of vitest.config.ts. */
function denoTests(): readonly string[] {
  const leftOut = process.env["DENO_TESTS"] === "all" ? NOT_ABOUT_DENO : [...NOT_ABOUT_DENO, ...THE_SAME];
  return globSync("test/{sandbox,host,plugins,attack}/**/*.test.ts", { cwd: REPOSITORY, exclude: leftOut.map(({ files }) => files) });
}
