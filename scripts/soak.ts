/**
 * `npm run soak`: runs mixed good and hostile calls for a given time (`test/soak/soak.ts`).
 *
 * `-- --minutes N` (default 10); `FUZZ_SEED=<number>` repeats the same calls. Exit code 1 if anything is wrong: an answer of
 * another call or another plugin, a good call that fails, memory that grows, something left after `close()`.
 *
 * `-- --liveness` runs the whole liveness suite instead (`test/attack/liveness/suite.ts`, two hours): `--only TEXT` runs cases
 * whose names contain the text, `--mode NAME`, which may be repeated, runs them in these modes.
 *
 * `-- --kills N` instead kills a program N times while it changes the host's files (`test/support/kill-changes.ts`), at random
 * moments seeded by `FUZZ_SEED`.
 *
 * `-- --cluster N` instead makes N calls to a cluster of three processes and a nats-server that are killed at random (`test/soak/cluster.ts`).
 */

import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { boundYoungGeneration } from "../host/platform/threads/young-generation.ts";
import { FLAT, judgeMemory, toMb } from "../test/soak/memory.ts";
import { soak } from "../test/soak/soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    liveness: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    mode: { type: "string", multiple: true, default: [] },
    kills: { type: "string", default: "0" },
    cluster: { type: "string", default: "0" },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes is "${values.minutes}", not a number above 0`);

const kills = readCount("kills");
const clusterCalls = readCount("cluster");

if (kills > 0) process.exitCode = await killOften();
else if (clusterCalls > 0) process.exitCode = await killCluster();
else process.exitCode = values.liveness ? await runLivenessSuite() : process.send === undefined ? await runApart() : await run();

async function runLivenessSuite(): Promise<number> {
  const { runLiveness } = await import("../test/attack/liveness/suite.ts");
  const { MODES, readMode } = await import("../test/attack/liveness/modes.ts");
  const modes = values.mode.length === 0 ? Object.keys(MODES).map(readMode) : values.mode.map(readMode);
  const failed = await runLiveness({ only: values.only, modes, say: (line) => console.log(line) });
  console.log(failed.length === 0 ? "Nothing wrong" : `${failed.length} cases failed`);
  return failed.length === 0 ? 0 : 1;
}

async function killOften(): Promise<number> {
  const { killChanges } = await import("../test/support/kill-changes.ts");
  const seed = drawnSeed();
  console.log(`FUZZ_SEED=${seed}`);
  const wrong = await killChanges(kills, seed);
  for (const problem of wrong) console.log(`WRONG ${problem}`);
  console.log(wrong.length === 0 ? `Nothing wrong after ${kills} kills` : `${wrong.length} problems`);
  return wrong.length === 0 ? 0 : 1;
}

async function killCluster(): Promise<number> {
  const { soakCluster } = await import("../test/soak/cluster.ts");
  const seed = drawnSeed();
  console.log(`FUZZ_SEED=${seed}`);
  const { wrong, counts } = await soakCluster({ calls: clusterCalls, seed, atOnce: 200, killMs: 2_500, say: (line) => console.log(line) });
  for (const problem of wrong) console.log(`WRONG ${problem}`);
  console.log(
    `${wrong.length === 0 ? "Nothing wrong" : `${wrong.length} problems`} after ${clusterCalls} calls: ${JSON.stringify(counts)}`,
  );
  return wrong.length === 0 ? 0 : 1;
}

function readCount(name: "kills" | "cluster"): number {
  const count = Number(values[name]);
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`--${name} is "${values[name]}", not a whole number`);
  return count;
}

function drawnSeed(): number {
  const wanted = process.env["FUZZ_SEED"];
  return wanted === undefined || wanted === "random" ? Math.floor(Math.random() * 2 ** 30) : Number(wanted);
}

/** Runs in its own process with `--expose-gc`, its own temporary folder and an empty cache. */
async function runApart(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-soak-run-"));
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
    execArgv: [...process.execArgv, "--expose-gc"],
    // Memory that the C library keeps after it was freed does not count for the host (docs/memory.md).
    env: { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "65536", ...process.env, TMPDIR: folder, XDG_CACHE_HOME: join(folder, "cache") },
  });
  const code = await new Promise<number>((resolve) => child.on("exit", (status) => resolve(status ?? 1)));
  await rm(folder, { recursive: true, force: true });
  return code;
}

async function run(): Promise<number> {
  const seed = drawnSeed();
  console.log(`FUZZ_SEED=${seed}`);
  // The same options as the program that serves a host.
  boundYoungGeneration();
  const report = await soak({ milliseconds: minutes * 60_000, seed, say: (line) => console.log(line) });
  const { calls, reloads, kills, lost, canaryCalls, canaryWorstMs, residentBytes, atRest, problems } = report;
  console.log(`${calls} calls, ${reloads} reloads, ${kills} workers killed; ${lost} calls lost with their workers`);
  console.log(`canary: ${canaryCalls} answers, the slowest after ${canaryWorstMs.toFixed(0)} ms`);
  const allowed = `flat is at most ${Math.round((FLAT.growth - 1) * 100)} % and ${toMb(FLAT.slackBytes)} from the second quarter's median to the last's`;
  console.log(`resident at rest, after collections: ${residentBytes.map(toMb).join(", ")}; ${judgeMemory(residentBytes) ?? allowed}`);
  if (atRest !== undefined) console.log(`at rest: ${toMb(atRest.beforeBytes)} before the traffic, ${toMb(atRest.afterBytes)} after it`);
  for (const problem of problems) console.log(`WRONG ${problem}`);
  console.log(problems.length === 0 ? "Nothing wrong" : `${problems.length} problems`);
  process.disconnect();
  return problems.length === 0 ? 0 : 1;
}
