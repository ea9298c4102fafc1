/**
 * `npm run fuzz`: runs random cases for a given time.
 *
 * `-- --minutes N` (default 10), `--only PART` of wasm, guest, loops, http, worker (a worker that sends anything), races (files
 * swapped during an operation), replay, journal (damaged and edited), frozen (altered calls), cluster (messages), permissions, net, manifests, paths, marshal, undo, or a
 * kind that the summary names; `FUZZ_SEED=<number>` sets the first seed, otherwise one is drawn and printed. Every case has its
 * own seed: `-- --only KIND --case SEED` runs that case again. Cases run in a child process, so that a case that hangs or ends
 * the process is found too.
 */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { engineBytes } from "../test/support/in-thread.ts";
import { ProgramCheck } from "../test/fuzz/guest-check.ts";
import { guestProgram } from "../test/fuzz/guest-program.ts";
import { checkDamagedEngine, checkDamagedModule } from "../test/fuzz/mutation.ts";
import { checkEnvelopes, checkMessages } from "../test/fuzz/cluster-check.ts";
import { checkFrozen } from "../test/fuzz/frozen-check.ts";
import { checkHttpRequests } from "../test/fuzz/http-check.ts";
import { checkHostileWorker } from "../test/fuzz/hostile-worker-check.ts";
import { checkJournalDamage, checkJournalEdit } from "../test/fuzz/journal-check.ts";
import { checkLoops } from "../test/fuzz/loop-check.ts";
import { loopProgram } from "../test/fuzz/loop-program.ts";
import { MODELS } from "../test/fuzz/models/mod.ts";
import type { Model } from "../test/fuzz/models/model.ts";
import { ReplayCheck } from "../test/fuzz/replay-check.ts";
import { replayProgram } from "../test/fuzz/replay-program.ts";
import { checkRace } from "../test/fuzz/races.ts";
import { checkModule } from "../test/fuzz/wasm-check.ts";

type Check = (seed: number) => readonly string[] | Promise<readonly string[]>;

/** Messages of the child: the case that begins, or a finding. */
type Report =
  | { readonly type: "begins"; readonly kind: string; readonly seed: number }
  | { readonly type: "found"; readonly kind: string; readonly seed: number; readonly problems: readonly string[] };

/** A case that takes longer counts as hanging. */
const LONGEST_CASE_MS = 60_000;

const programs = new ProgramCheck();
const recordings = new ReplayCheck();

interface Kind {
  /** Names for `--only`. */
  readonly part: string;
  /** Fast kinds run several cases for each one of a slow kind. */
  readonly cases: number;
  readonly check: Check;
}

/** Values with which a model is tried in one case. */
const MODEL_RUNS = 200;

/** Kinds by name. */
const CHECKS: Readonly<Record<string, Kind>> = {
  module: { part: "wasm", cases: 20, check: checkModule },
  "damaged-module": { part: "wasm", cases: 200, check: checkDamagedModule },
  "damaged-engine": { part: "wasm", cases: 4, check: (seed) => checkDamagedEngine(seed, engineBytes) },
  program: { part: "guest", cases: 10, check: checkProgram },
  // 40 programs in each case.
  loops: { part: "loops", cases: 2, check: (seed) => checkLoops(fc.sample(loopProgram, { seed, numRuns: 40 })) },
  recording: { part: "replay", cases: 10, check: checkRecording },
  // 200 requests in each case.
  http: { part: "http", cases: 5, check: (seed) => checkHttpRequests(seed, 200) },
  // 500 messages in each case.
  "hostile-worker": { part: "worker", cases: 10, check: checkHostileWorker },
  // 5,000 altered images in each case.
  frozen: { part: "frozen", cases: 2, check: (seed) => checkFrozen(seed, 5_000) },
  // 5,000 altered envelopes, or 300 messages, in each case.
  envelopes: { part: "cluster", cases: 4, check: (seed) => checkEnvelopes(seed, 5_000) },
  messages: { part: "cluster", cases: 10, check: (seed) => checkMessages(seed, 300) },
  "journal-damage": { part: "journal", cases: 20, check: checkJournalDamage },
  "journal-edit": { part: "journal", cases: 20, check: checkJournalEdit },
  // 500 rounds in each case.
  ...(process.platform === "linux" && { race: { part: "races", cases: 2, check: (seed: number) => checkRace(seed, 500) } }),
  ...Object.fromEntries(
    Object.entries(MODELS).flatMap(([part, models]) => models.map((one, index) => [`${part}-${index + 1}`, kindOf(part, one)])),
  ),
};

function kindOf(part: string, { says, check }: Model): Kind {
  return {
    part,
    cases: 1,
    async check(seed) {
      const problem = await check(seed, MODEL_RUNS);
      return problem === undefined ? [] : [says, problem];
    },
  };
}

async function checkRecording(seed: number): Promise<readonly string[]> {
  const [program] = fc.sample(replayProgram, { seed, numRuns: 1 });
  const problems = program === undefined ? [] : await recordings.check(program);
  return problems.length === 0 ? [] : [...problems, JSON.stringify(program)];
}

async function checkProgram(seed: number): Promise<readonly string[]> {
  const [program = ""] = fc.sample(guestProgram, { seed, numRuns: 1 });
  const { problems } = await programs.check(program);
  if (problems.length === 0) return [];
  // Reduces the program to the smallest similar one that also fails.
  const details = await fc.check(
    fc.asyncProperty(guestProgram, async (smaller) => (await new ProgramCheck().check(smaller)).problems.length === 0),
    { seed, numRuns: 1, interruptAfterTimeLimit: LONGEST_CASE_MS / 2 },
  );
  return [...problems, details.counterexample?.[0] ?? program];
}

const args = process.argv.slice(2);
const option = (name: string): string | undefined => (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined);

if (process.send === undefined) await supervise();
else await work(Number(option("seed")), Number(option("minutes")));

/** Runs cases in the child until the time is over. */
async function work(first: number, minutes: number): Promise<void> {
  const until = Date.now() + minutes * 60_000;
  for (let seed = first; Date.now() < until;) {
    for (const [kind, { part, cases, check }] of Object.entries(CHECKS)) {
      if (option("only") !== undefined && option("only") !== part && option("only") !== kind) continue;
      for (let left = cases; left > 0 && Date.now() < until; left--) await runCase(kind, check, seed++);
    }
  }
  process.disconnect();
}

async function runCase(kind: string, check: Check, seed: number): Promise<void> {
  send({ type: "begins", kind, seed });
  let problems: readonly string[];
  try {
    problems = await check(seed);
  } catch (error) {
    problems = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  if (problems.length > 0) send({ type: "found", kind, seed, problems });
}

function send(report: Report): void {
  process.send?.(report);
}

/** Starts children until the time is over. If one dies or hangs, that is a finding, and the next child continues after its case. */
async function supervise(): Promise<void> {
  const one = option("case");
  if (one !== undefined) return runOne(Number(one));
  const wanted = process.env["FUZZ_SEED"];
  const first = wanted === undefined || wanted === "random" ? Math.floor(Math.random() * 2 ** 30) : Number(wanted);
  const until = Date.now() + Number(option("minutes") ?? 10) * 60_000;
  console.log(`FUZZ_SEED=${first}`);
  const counts = new Map<string, number>();
  let found = 0;
  for (let seed = first; Date.now() < until;) {
    const last = await runChild(seed, (until - Date.now()) / 60_000, (report) => {
      if (report.type === "begins") counts.set(report.kind, (counts.get(report.kind) ?? 0) + 1);
      else {
        found++;
        console.log(`${report.kind} --case ${report.seed}:\n${report.problems.join("\n")}\n`);
      }
    });
    seed = last + 1;
  }
  console.log(`${[...counts].map(([kind, count]) => `${count} × ${kind}`).join(", ")}: ${found} with problems`);
  process.exitCode = found > 0 ? 1 : 0;
}

async function runOne(seed: number): Promise<void> {
  for (const [kind, { part, check }] of Object.entries(CHECKS)) {
    if (option("only") !== undefined && option("only") !== part && option("only") !== kind) continue;
    console.log(`${kind}: ${(await check(seed)).join("\n") || "nothing wrong"}`);
  }
}

/** @returns the seed of the last case that began. */
function runChild(seed: number, minutes: number, onReport: (report: Report) => void): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const passed = [
    "--seed",
    String(seed),
    "--minutes",
    String(minutes),
    ...(option("only") === undefined ? [] : ["--only", option("only") ?? ""]),
  ];
  const child = fork(fileURLToPath(import.meta.url), passed);
  let current: { readonly kind: string; readonly seed: number } = { kind: "start", seed };
  let timer: NodeJS.Timeout | undefined;
  child.on("message", (report: Report) => {
    if (report.type === "begins") {
      current = report;
      clearTimeout(timer);
      timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_CASE_MS);
    }
    onReport(report);
  });
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    if (code !== 0) onReport({ type: "found", ...current, problems: [`the process ended with ${code ?? signal ?? "nothing"}`] });
    resolve(current.seed);
  });
  return promise;
}
