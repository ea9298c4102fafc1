/** The committed baseline of an outside suite: names and counts, nothing of its code. */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { DenoExpectations } from "./deno-expectations.ts";
import type { CaseResult } from "./suite.ts";

/** What one test file did when the baseline was taken. */
export interface BaselineEntry {
  readonly digest: string;
  readonly passed: number;
  readonly total: number;
  /** Names of the tests that fail, sorted. */
  readonly failed: readonly string[];
  /** How many of all that fail Deno's own expectations say that Deno passes; absent where there are none. */
  readonly passedByDeno?: number;
}

/** By the id of the test file. */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

/** What a run shows against the baseline. */
export interface Comparison {
  /** Failures that the baseline does not have, in files whose text is the same; these fail the run. */
  readonly regressions: readonly string[];
  /** The same in files that the baseline does not name, or whose text changed. */
  readonly unknown: readonly string[];
  /** Tests that pass now. */
  readonly fixed: readonly string[];
}

/** Names of a failing file that are listed before the rest is only counted. */
const MAX_NAMES = 400;

function fileOf(suite: string): string {
  return fileURLToPath(new URL(`./baselines/${suite}.json`, import.meta.url));
}

/** Empty where none was taken yet. */
export async function readBaseline(suite: string): Promise<Baseline> {
  const text = await readFile(fileOf(suite), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "{}";
    throw error;
  });
  // We wrote it, and it is reviewed as source is.
  return new Map(Object.entries(JSON.parse(text) as Record<string, BaselineEntry>));
}

/** Replaces the entries of the files that ran. */
export async function writeBaseline(
  suite: string,
  known: Baseline,
  results: readonly CaseResult[],
  expectations: DenoExpectations | undefined,
): Promise<void> {
  const entries = new Map(known);
  for (const result of results) entries.set(result.id, entryOf(result, expectations));
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(fileOf(suite), `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}

function entryOf({ id, digest, tests }: CaseResult, expectations: DenoExpectations | undefined): BaselineEntry {
  const failed = tests.filter((test) => !test.passed).map((test) => test.name);
  const passedByDeno = expectations === undefined ? undefined : failed.filter((name) => expectations.passes(id, name)).length;
  return {
    ...{ digest, passed: tests.length - failed.length, total: tests.length, failed: failed.sort().slice(0, MAX_NAMES) },
    ...(passedByDeno !== undefined && { passedByDeno }),
  };
}

/** Tells new failures from known ones. */
export function compare(baseline: Baseline, results: readonly CaseResult[]): Comparison {
  const regressions: string[] = [];
  const unknown: string[] = [];
  const fixed: string[] = [];
  for (const result of results) {
    const known = baseline.get(result.id);
    const expected = new Set(known?.failed ?? []);
    const isBinding = known?.digest === result.digest;
    const passed = result.tests.filter((test) => test.passed).length;
    for (const test of result.tests) {
      const line = `${result.id}: ${test.name}`;
      if (test.passed && expected.has(test.name)) fixed.push(line);
      if (!test.passed && !expected.has(test.name) && expected.size < MAX_NAMES) (isBinding ? regressions : unknown).push(line);
    }
    if (isBinding && passed < known.passed)
      regressions.push(`${result.id}: ${String(passed)} passed, before it was ${String(known.passed)}`);
  }
  return { regressions, unknown, fixed };
}

const COMMITS = fileURLToPath(new URL("./baselines/commits.json", import.meta.url));

/** The commit of each suite's checkout that its baseline was taken from. */
export async function readCommits(): Promise<ReadonlyMap<string, string>> {
  // We wrote it.
  return new Map(Object.entries(JSON.parse(await readFile(COMMITS, "utf8")) as Record<string, string>));
}

export async function writeCommit(suite: string, commit: string): Promise<void> {
  const commits = new Map([...(await readCommits()), [suite, commit]]);
  const sorted = [...commits].sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(COMMITS, `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}
