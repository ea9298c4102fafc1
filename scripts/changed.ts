/** Chooses what `npm run ok -- --changed` checks: the files that git lists as changed, and the tests nearest to them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { REPOSITORY, runCommand } from "./run-command.ts";

/** Seconds of tests on one processor: with the other steps this stays below a minute on two. */
const BUDGET_SECONDS = 45;
/** Start of a test file's process, and a file that has not run here yet. */
const START_SECONDS = 0.4;
const UNKNOWN_SECONDS = 1;

/** Always run: it takes a second and looks at every file. */
const ARCHITECTURE = "test/architecture.test.ts";
const TOP = ["bench", "bin", "console", "host", "manifests", "plugins", "sandbox", "scripts", "test"];
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.{1,2}\/[^"]+)"/g;

/** Distance of a test from a change. Tests that import the file come between, by the number of imports. */
const RANK = { changed: 0, mirrored: 1, imports: 1, named: 2, sameFolder: 3 } as const;

export interface TestSelection {
  /** Test files to run, nearest first. */
  readonly tests: readonly string[];
  /** Number of test files from which a changed file can be reached. */
  readonly related: number;
}

export interface SelectionOptions {
  /** Text of each source and test file by path, relative to the repository. */
  readonly tree: ReadonlyMap<string, string>;
  /** Duration of test files in earlier runs. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly budgetSeconds?: number;
}

/**
 * Lists changed, added, deleted and untracked files.
 *
 * @param base commit to compare the work tree with.
 * @throws {Error} if git does not know it
 */
export async function changedFiles(base = "HEAD", cwd: string = REPOSITORY): Promise<readonly string[]> {
  const lists = await Promise.all([
    runCommand("git", ["diff", "--name-only", "--no-renames", "--relative", "-z", base, "--"], { cwd }),
    runCommand("git", ["ls-files", "--others", "--exclude-standard", "-z"], { cwd }),
  ]);
  const failed = lists.find(({ code }) => code !== 0);
  if (failed !== undefined) throw new Error(`Cannot compare with "${base}": ${failed.output.trim()}`);
  return [...new Set(lists.flatMap(({ output }) => output.split("\0")).filter((path) => path !== ""))].toSorted();
}

/** Reads all source and test files, without fixtures. */
export function readTree(): ReadonlyMap<string, string> {
  const paths = TOP.filter((top) => existsSync(REPOSITORY + top)).flatMap((top) =>
    readdirSync(REPOSITORY + top, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|tsx|mjs)$/.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(REPOSITORY.length)),
  );
  const own = paths.filter((path) => !/\/(?:fixtures|node_modules|vendor)\//.test(path));
  return new Map(own.map((path) => [path, readFileSync(REPOSITORY + path, "utf8")]));
}

/**
 * Selects the tests nearest to changed files.
 *
 * Nearly every test reaches nearly every file through `createHost`, so tests are taken by distance until the budget is used. Changed
 * tests and the tests that mirror a changed file always run.
 */
export function selectTests(
  changed: readonly string[],
  { tree, seconds, budgetSeconds = BUDGET_SECONDS }: SelectionOptions,
): TestSelection {
  const costs = (path: string): number => (seconds.get(path) ?? UNKNOWN_SECONDS) + START_SECONDS;
  const ranks = rankTests(changed, tree);
  const nearest = [...ranks].toSorted(([a, near], [b, far]) => near - far || costs(a) - costs(b) || (a < b ? -1 : 1));
  const tests: string[] = [];
  let left = budgetSeconds;
  for (const [path, rank] of nearest) {
    if (rank > RANK.mirrored && costs(path) > left) continue;
    tests.push(path);
    left -= costs(path);
  }
  return { tests: tests.includes(ARCHITECTURE) ? tests : [...tests, ARCHITECTURE], related: ranks.size };
}

function rankTests(changed: readonly string[], tree: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  const add = (path: string, rank: number): void => {
    if (path.endsWith(".test.ts") && tree.has(path) && rank < (ranks.get(path) ?? Infinity)) ranks.set(path, rank);
  };
  const importers = importersOf(tree);
  for (const file of changed) {
    const before = ranks.size;
    add(file, RANK.changed);
    const name = file.replace(/\.[^./]+$/, "");
    add(`test/${name}.test.ts`, RANK.mirrored);
    for (const [path, distance] of distancesFrom(file, importers)) add(path, RANK.imports + distance);
    const isSource = tree.has(file) || /\.(?:ts|tsx)$/.test(file);
    // Pages, schemas and settings are read, not imported.
    if (!isSource) for (const [path, text] of tree) if (path.startsWith("test/") && text.includes(file)) add(path, RANK.named);
    if (ranks.size > before) continue;
    // A source that no test imports runs in the sandbox or a browser, as part of a bundle.
    for (const path of tree.keys()) if (posix.dirname(path) === `test/${posix.dirname(file)}`) add(path, RANK.sameFolder);
  }
  return ranks;
}

/** For each file, the files that import it, start it or read it by a relative address. */
function importersOf(tree: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of tree) {
    for (const [, specifier = ""] of text.matchAll(RELATIVE_IMPORT)) {
      const target = posix.join(posix.dirname(path), specifier);
      const known = importers.get(target);
      if (known === undefined) importers.set(target, [path]);
      else known.push(path);
    }
  }
  return importers;
}

/** Number of imports from each file that reaches this one. */
function distancesFrom(file: string, importers: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  // A map can grow while it is walked, which makes it the queue.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? []) if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}
