/** Runs the tests under Node or Deno and counts them. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { REPOSITORY, runCommand } from "./run-command.ts";

/** Each test file has its own process, and all of them load the same modules. */
const COMPILE_CACHE = `${REPOSITORY}node_modules/.cache/compile`;

/** Timeout: all tests take five minutes on two idle processors. */
const LONGEST_RUN_MS = 25 * 60_000;

/** Number of slowest files to list. */
const SLOWEST = 12;

export interface TestTotals {
  readonly passed: number;
  /** Failed tests, and test files that did not load. */
  readonly failed: number;
  readonly skipped: number;
}

export interface TestRun extends TestTotals {
  readonly ok: boolean;
  readonly output: string;
  /** Formats the slowest files, one in each line. */
  readonly slowest: readonly string[];
}

/**
 * Runs vitest once with the given filters and options.
 *
 * Passes only if vitest passes, nothing failed and at least one test ran: a run without tests proves nothing.
 */
export async function runTests(runtime: "node" | "deno", args: readonly string[], echo: boolean): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-tests-"));
  try {
    const report = join(folder, "report.json");
    const vitest = [`${REPOSITORY}node_modules/vitest/vitest.mjs`, "run", ...args];
    const command = runtime === "node" ? process.execPath : "deno";
    const prefix = runtime === "node" ? [] : ["run", "-A"];
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE };
    const given = [...prefix, ...vitest, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const outcome = await runCommand(command, given, { echo, env, timeoutMs: LONGEST_RUN_MS });
    const text = await readFile(report, "utf8").catch(() => "{}");
    const totals = readTotals(text);
    return {
      ...totals,
      ok: outcome.code === 0 && totals.failed === 0 && totals.passed > 0,
      output: outcome.output,
      slowest: readSlowest(text),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Formats the totals in one line that users and programs can read. */
export function formatTotals(totals: TestTotals): string {
  return `${String(totals.passed)} passed, ${String(totals.failed)} failed, ${String(totals.skipped)} skipped`;
}

/** Reads counts from vitest's JSON report; a file that did not load counts as one failure. */
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

/** The part of vitest's JSON report that is used. */
function readSlowest(report: string): readonly string[] {
  const parsed: unknown = JSON.parse(report);
  const results = typeof parsed === "object" && parsed !== null && "testResults" in parsed ? parsed.testResults : [];
  const files = (Array.isArray(results) ? results : []).map((result: unknown) => ({
    name: relative(REPOSITORY, textAt(result, "name")),
    seconds: (numberAt(result, "endTime") - numberAt(result, "startTime")) / 1_000,
  }));
  return files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => `${seconds.toFixed(0).padStart(4)} s  ${name}`);
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
