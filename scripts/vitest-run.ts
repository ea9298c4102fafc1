/** Runs the tests under Node or Deno and counts them. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { bundleForCheckout } from "./bundle-program.ts";
import { REPOSITORY, runCommand } from "./run-command.ts";

/** Each test file has a process of its own, and all of them load the same modules. */
const COMPILE_CACHE = `${REPOSITORY}node_modules/.cache/compile`;

/** All of the tests take five minutes on two processors with nothing else to do. */
const LONGEST_RUN_MS = 25 * 60_000;

/** Duration of each test file in its last run here, which `--changed` selects by. */
const SECONDS_FILE = `${REPOSITORY}node_modules/.cache/test-seconds.json`;

/** Enough to see where the time goes. */
const SLOWEST = 10;

export interface TestTotals {
  readonly passed: number;
  /** Failed tests, and test files that could not be loaded. */
  readonly failed: number;
  readonly skipped: number;
}

export interface TestRun extends TestTotals {
  readonly ok: boolean;
  readonly output: string;
  /** The ten files that took longest, a line each below a heading; empty if no more than ten ran. */
  readonly slowest: readonly string[];
}

/**
 * Runs vitest once with the given filters and options.
 *
 * Passes only if vitest says so, nothing failed and something ran: a run of zero tests proves nothing.
 */
export async function runTests(runtime: "node" | "deno", args: readonly string[], echo: boolean): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-tests-"));
  try {
    const report = join(folder, "report.json");
    const vitest = [`${REPOSITORY}node_modules/vitest/vitest.mjs`, "run", ...args];
    const command = runtime === "node" ? process.execPath : "deno";
    const prefix = runtime === "node" ? [] : ["run", "-A"];
    // Read by test/support/bundled-workers.ts.
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...(runtime === "node" && { BUNDLE: await bundleForCheckout() }) };
    const given = [...prefix, ...vitest, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const outcome = await runCommand(command, given, { echo, env, timeoutMs: LONGEST_RUN_MS });
    const text = await readFile(report, "utf8").catch(() => "{}");
    const totals = readTotals(text);
    const seconds = secondsByFile(text);
    if (runtime === "node") await keepSeconds(seconds);
    return {
      ...totals,
      ok: outcome.code === 0 && totals.failed === 0 && totals.passed > 0,
      output: outcome.output,
      slowest: formatSlowest(seconds),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One line that a person and a program can read. */
export function formatTotals(totals: TestTotals): string {
  return `${String(totals.passed)} passed, ${String(totals.failed)} failed, ${String(totals.skipped)} skipped`;
}

/** Counts from vitest's JSON report; a file that could not be loaded counts as one failure. */
export function readTotals(report: string): TestTotals {
  const parsed: unknown = JSON.parse(report);
  const read = (key: string): number => numberAt(parsed, key);
  const results = typeof parsed === "object" && parsed !== null && "testResults" in parsed ? parsed.testResults : [];
  const brokenFiles = Array.isArray(results) ? results.filter(isBrokenFile).length : 0;
  return {
    passed: read("numPassedTests"),
    failed: read("numFailedTests") + brokenFiles,
    skipped: read("numPendingTests") + read("numTodoTests"),
  };
}

/** Seconds of each test file, by path, from vitest's JSON report. */
export function secondsByFile(report: string): ReadonlyMap<string, number> {
  const parsed: unknown = JSON.parse(report);
  const results = typeof parsed === "object" && parsed !== null && "testResults" in parsed ? parsed.testResults : [];
  return new Map(
    (Array.isArray(results) ? results : []).map((result: unknown) => [
      relative(REPOSITORY, textAt(result, "name")),
      (numberAt(result, "endTime") - numberAt(result, "startTime")) / 1_000,
    ]),
  );
}

/** A heading and the ten slowest files; nothing if no more than ten ran, because vitest then shows all of them. */
export function formatSlowest(seconds: ReadonlyMap<string, number>): readonly string[] {
  if (seconds.size <= SLOWEST) return [];
  const slowest = [...seconds].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  return [`── slowest of ${seconds.size} test files`, ...slowest.map(([name, took]) => `${took.toFixed(1).padStart(6)} s  ${name}`)];
}

/** Durations of earlier runs here; empty in a fresh clone. */
export async function readSeconds(): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(SECONDS_FILE, "utf8").catch(() => "{}");
  const parsed: unknown = JSON.parse(text);
  const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

async function keepSeconds(seconds: ReadonlyMap<string, number>): Promise<void> {
  const all = Object.fromEntries([...(await readSeconds()), ...seconds]);
  await mkdir(dirname(SECONDS_FILE), { recursive: true });
  await writeFile(SECONDS_FILE, JSON.stringify(all));
}

function isBrokenFile(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const assertions = "assertionResults" in entry ? entry.assertionResults : [];
  return "status" in entry && entry.status === "failed" && Array.isArray(assertions) && assertions.length === 0;
}

function numberAt(value: unknown, key: string): number {
  const found = memberAt(value, key);
  return typeof found === "number" ? found : 0;
}

function textAt(value: unknown, key: string): string {
  const found = memberAt(value, key);
  return typeof found === "string" ? found : "";
}

function memberAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
}
