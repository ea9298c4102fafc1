/** The committed baseline of an outside suite: names and counts only, none of its code. */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { DenoResults } from "./deno-results.ts";
import { gapOf, gapOfMessage } from "./gaps.ts";
import type { CaseResult } from "./suite.ts";

/** Results of one test file when the baseline was taken. */
export interface BaselineEntry {
  readonly digest: string;
  readonly passed: number;
  readonly total: number;
  /** Reason of each failing test by its name: the id of a gap, empty if none is known yet. */
  readonly failed: Readonly<Record<string, string>>;
  /** Number of the failing tests that Deno passes; absent if not measured. */
  readonly passedByDeno?: number;
}

/** Results by the id of the test file. */
export type Baseline = ReadonlyMap<string, BaselineEntry>;

/** A comparison of a run with the baseline. */
export interface Comparison {
  /** Failures that are new in files whose text is the same; they fail the run. */
  readonly regressions: readonly string[];
  /** Failures in files that are new or whose text changed. */
  readonly unknown: readonly string[];
  /** Tests whose message does not match their reason; they fail the run. */
  readonly otherwise: readonly string[];
  /** Tests that pass now. */
  readonly fixed: readonly string[];
}

function fileOf(suite: string): string {
  return fileURLToPath(new URL(`./baselines/${suite}.json`, import.meta.url));
}

/** Returns an empty baseline if none was taken yet. */
export async function readBaseline(suite: string): Promise<Baseline> {
  const text = await readFile(fileOf(suite), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "{}";
    throw error;
  });
  // The file is written by this program and reviewed as source code.
  return new Map(Object.entries(JSON.parse(text) as Record<string, BaselineEntry>));
}

/** Replaces the entries of the files that ran. Reasons written by hand are kept. */
export async function writeBaseline(
  suite: string,
  known: Baseline,
  results: readonly CaseResult[],
  deno: DenoResults | undefined,
): Promise<void> {
  const entries = new Map(known);
  for (const result of results) entries.set(result.id, entryOf(result, known.get(result.id), deno));
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(fileOf(suite), `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}

function entryOf({ id, digest, tests }: CaseResult, known: BaselineEntry | undefined, deno: DenoResults | undefined): BaselineEntry {
  const failing = tests.filter((test) => !test.passed).sort((a, b) => (a.name < b.name ? -1 : 1));
  const failed = Object.fromEntries(failing.map(({ name, message = "" }) => [name, reasonOf(message, known?.failed[name])]));
  const passedByDeno = deno === undefined ? known?.passedByDeno : failing.filter(({ name }) => deno.passes(id, name)).length;
  return {
    digest,
    passed: tests.length - failing.length,
    total: tests.length,
    failed,
    ...(passedByDeno !== undefined && { passedByDeno }),
  };
}

/** Returns the id of the reason in the message, or else the one written by hand. */
function reasonOf(message: string, known: string | undefined): string {
  const given = known === undefined ? undefined : gapOf(known);
  return gapOfMessage(message)?.id ?? (given?.message === undefined ? (given?.id ?? "") : "");
}

/** Separates new failures from known ones. */
export function compare(baseline: Baseline, results: readonly CaseResult[]): Comparison {
  const comparison = { regressions: [] as string[], unknown: [] as string[], otherwise: [] as string[], fixed: [] as string[] };
  const { regressions, unknown, otherwise, fixed } = comparison;
  for (const { id, digest, tests } of results) {
    const known = baseline.get(id);
    const passing = tests.filter((test) => test.passed).length;
    if (known?.digest === digest && passing < known.passed)
      regressions.push(`${id}: ${String(passing)} passed, before it was ${String(known.passed)}`);
    for (const { name, passed, message = "" } of tests) {
      const line = `${id}: ${name}`;
      const reason = known?.failed[name];
      if (passed && reason !== undefined) fixed.push(line);
      if (passed) continue;
      if (reason === undefined) (known?.digest === digest ? regressions : unknown).push(line);
      else if (gapOf(reason)?.message?.test(message) === false) otherwise.push(line);
    }
  }
  return comparison;
}

const COMMITS = fileURLToPath(new URL("./baselines/commits.json", import.meta.url));

/** The commit of each suite's checkout at which its baseline was taken. */
export async function readCommits(): Promise<ReadonlyMap<string, string>> {
  // The file is written by this program.
  return new Map(Object.entries(JSON.parse(await readFile(COMMITS, "utf8")) as Record<string, string>));
}

export async function writeCommit(suite: string, commit: string): Promise<void> {
  const commits = new Map([...(await readCommits()), [suite, commit]]);
  const sorted = [...commits].sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(COMMITS, `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}
