/**
 * `npm run external -- <suite…>`: runs outside test suites inside the sandbox and compares with the baselines.
 *
 * `--filter TEXT` only test files whose path contains it; `--engine plain|metered` one engine build, not both; `--update` writes
 * the baseline (from the last build), with the checkout's commit (or the value of the variable with the suffix `_COMMIT`);
 * `--show` prints every failure with its message. A suite without a checkout is skipped.
 */

import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import type { EngineBuild } from "../../sandbox/mod.ts";
import { startSandbox } from "../support/sandbox.ts";
import { compare, readBaseline, writeBaseline, writeCommit } from "./baseline.ts";
import { runCase } from "./run-case.ts";
import { runPackageLoads } from "./package-loads.ts";
import { runTestFiles } from "./run-test-files.ts";
import type { Case, CaseResult, ScriptCase, Suite } from "./suite.ts";
import { JMESPATH } from "./suites/jmespath.ts";
import { JSON_SCHEMA } from "./suites/json-schema.ts";
import { PACKAGES } from "./suites/packages.ts";
import { DENO } from "./suites/deno.ts";
import { STD } from "./suites/std.ts";
import { TEST262 } from "./suites/test262.ts";
import { WPT } from "./suites/wpt.ts";

/** Suites. To add one, add an entry here. */
const SUITES: readonly Suite[] = [WPT, STD, DENO, PACKAGES, JMESPATH, JSON_SCHEMA, TEST262];

const WORKERS = 2;
const SHOWN = 60;

interface Options {
  readonly filter: readonly string[];
  readonly engines: readonly EngineBuild[];
  readonly update: boolean;
  readonly show: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string", multiple: true, default: [] },
      engine: { type: "string", default: "both" },
      update: { type: "boolean", default: false },
      show: { type: "boolean", default: false },
    },
  });
  const { filter, update, show } = values;
  const engines = (["plain", "metered"] as const).filter((engine) => values.engine === "both" || values.engine === engine);
  // Tests a server, not the sandbox, and needs no checkout.
  if (positionals.includes("mcp")) return await (await import("./mcp/run.ts")).runMcpConformance(print);
  if (positionals.includes("mcp-gateway")) return await (await import("./mcp-gateway/run.ts")).runMcpGateway(print);
  if (positionals.includes("inspector")) return await (await import("./inspector/run.ts")).runInspector(print);
  const suites = SUITES.filter((suite) => positionals.length === 0 || positionals.includes(suite.name));
  const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0 || engines.length === 0) {
    print(
      `Usage: npm run external -- [${[...SUITES.map((suite) => suite.name), "mcp", "mcp-gateway", "inspector"].join("|")}] [--filter TEXT] [--engine plain|metered|both] [--update]`,
    );
    return 2;
  }
  let code = 0;
  for (const suite of suites) {
    if (suite === PACKAGES) code = Math.max(code, await loadPackages(filter, update));
    code = Math.max(code, await runSuite(suite, { filter, engines, update, show }));
  }
  return code;
}

/** Runs the first half of the packages' suite. `runSuite` reports a missing checkout. */
async function loadPackages(filter: readonly string[], update: boolean): Promise<number> {
  const root = process.env[PACKAGES.variable] ?? "";
  return root === "" ? 0 : await runPackageLoads(root, { filter, update, print });
}

async function runSuite(suite: Suite, options: Options): Promise<number> {
  const root = process.env[suite.variable];
  if (root === undefined || root === "") {
    print(`${suite.name}: skipped, because ${suite.variable} is not set to a checkout (${suite.advice})`);
    return 0;
  }
  const { filter } = options;
  const cases = (await suite.findCases(root)).filter(({ id }) => filter.length === 0 || filter.some((text) => id.includes(text)));
  if (cases.length === 0) {
    print(`${suite.name}: no test files found in ${root}`);
    return 1;
  }
  const baseline = await readBaseline(suite.name);
  let failures = 0;
  let results: readonly CaseResult[] = [];
  for (const engine of options.engines) {
    results = await runAll(cases, engine);
    if (suite.byFolder === true) results = byFolder(results);
    const { regressions, unknown, otherwise, fixed } = compare(baseline, results);
    print(`\n${suite.name} on the ${engine} engine, ${String(cases.length)} files`);
    printTable(results);
    if (options.show) printFailures(results);
    printList("pass now (write the baseline with --update)", fixed);
    printList("fail in files that the baseline does not know", unknown);
    printList("fail with a message that does not match the baseline's reason", otherwise);
    printList("REGRESSIONS", regressions);
    failures += regressions.length + otherwise.length;
  }
  if (options.update) {
    await writeBaseline(
      suite.name,
      baseline,
      results,
      await suite.askDeno?.(
        root,
        results.map(({ id }) => id),
      ),
    );
    const commit = process.env[`${suite.variable}_COMMIT`] ?? (await commitOf(root));
    if (commit !== undefined) await writeCommit(suite.name, commit);
  }
  return failures > 0 && !options.update ? 1 : 0;
}

/** Runs a few cases at a time; results are in the order of the cases. */
async function runAll(cases: readonly Case[], engine: EngineBuild): Promise<readonly CaseResult[]> {
  const results = new Map<string, CaseResult>();
  const take = (result: CaseResult): void => void results.set(result.id, result);
  await runScripts(
    cases.filter((one) => one.kind === "script"),
    engine,
    take,
  );
  const plugins = Map.groupBy(
    cases.filter((one) => one.kind === "tests"),
    ({ plugin }) => plugin,
  );
  await inParallel(plugins.values(), (files) => runTestFiles(files, engine, take));
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

/** Merges the tests of each file to one, named after the file. */
function byFolder(results: readonly CaseResult[]): readonly CaseResult[] {
  const folders = Map.groupBy(results, ({ id }) => id.slice(0, id.lastIndexOf("/")));
  return [...folders].map(([folder, files]) => ({
    id: `${folder}/`,
    digest: createHash("sha256")
      .update(files.map(({ digest }) => digest).join())
      .digest("hex")
      .slice(0, 12),
    tests: files.map(({ id, tests }) => {
      const failed = tests.find((test) => !test.passed);
      return { ...(failed ?? { passed: tests.length > 0 }), name: id.slice(folder.length + 1) };
    }),
  }));
}

async function runScripts(cases: readonly ScriptCase[], engine: EngineBuild, take: (result: CaseResult) => void): Promise<void> {
  if (cases.length === 0) return;
  await using sandbox = startSandbox({ engine, maximumWorkers: WORKERS });
  await inParallel(cases.values(), async (test) => take(await runCase(sandbox, test)));
  for (const defect of sandbox.defects) print(`DEFECT of the sandbox: ${defect}`);
}

async function inParallel<Item>(items: Iterator<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const next = async (): Promise<void> => {
    for (let item = items.next(); item.done !== true; item = items.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: WORKERS }, next));
}

/** Returns undefined if the folder is not the root of a checkout. */
async function commitOf(root: string): Promise<string | undefined> {
  return await promisify(execFile)("git", ["-C", root, "rev-parse", "HEAD"]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Counts passed tests and all tests by folder. */
function printTable(results: readonly CaseResult[]): void {
  const folders = new Map<string, { passed: number; total: number }>();
  for (const { id, tests } of results) {
    const passed = tests.filter((test) => test.passed).length;
    for (const folder of [id.split("?")[0]?.split("/").slice(0, -1).join("/") ?? "", "all"]) {
      const sum = folders.get(folder) ?? { passed: 0, total: 0 };
      folders.set(folder, { passed: sum.passed + passed, total: sum.total + tests.length });
    }
  }
  const all = folders.get("all");
  folders.delete("all");
  for (const [folder, { passed, total }] of folders) print(`  ${folder.padEnd(44)} ${String(passed).padStart(6)} of ${String(total)}`);
  if (all !== undefined) print(`  ${"all".padEnd(44)} ${String(all.passed).padStart(6)} of ${String(all.total)}`);
}

function printFailures(results: readonly CaseResult[]): void {
  for (const { id, tests } of results) {
    for (const { name, passed, message = "" } of tests)
      if (!passed) print(`  ✗ ${id}: ${name}\n      ${message.replaceAll("\n", "\n      ")}`);
  }
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  print(`  ${title}: ${String(lines.length)}`);
  for (const line of lines.slice(0, SHOWN)) print(`    ${line}`);
  if (lines.length > SHOWN) print(`    … and ${String(lines.length - SHOWN)} more`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
