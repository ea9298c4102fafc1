/**
 * `npm run ok`: the one gate. Runs every step, short output, a table at the end.
 *
 * `npm run ok -- --only lint,types` runs some of them; `--list` names them. `npm run ok -- --changed` checks only what differs from
 * HEAD (`--base REV`: from another commit), without Deno and the package, in under a minute.
 */

import { parseArgs } from "node:util";
import { changedSteps } from "./steps/changed.ts";
import { checkDeno } from "./steps/deno.ts";
import { checkPackage } from "./steps/package.ts";
import { checkFormat, checkGenerated, checkLint, checkTests, checkTypes } from "./steps/sources.ts";
import type { Step, StepOutcome } from "./steps/step.ts";
import { checkPlainWords } from "./steps/words.ts";

/** A step is one entry here. */
const STEPS: readonly Step[] = [
  { name: "format", says: "every file is formatted (npm run format)", run: checkFormat },
  { name: "lint", says: "house style, with types", run: checkLint },
  { name: "types", says: "tsc on the host's side and inside the sandbox", run: checkTypes },
  { name: "generated", says: "generated files are fresh (npm run generate)", run: checkGenerated },
  { name: "package", says: "packed, checked by publint and are-the-types-wrong, installed, called on Node and Deno", run: checkPackage },
  { name: "tests", says: "all tests on Node, the architecture test among them", isWide: true, run: checkTests },
  { name: "deno", says: "the same sources on Deno", isWide: true, run: checkDeno },
  { name: "words", says: "comments, messages and pages in plain words (npm run words)", run: checkPlainWords },
];

const OPTIONS = {
  list: { type: "boolean", default: false },
  only: { type: "string" },
  changed: { type: "boolean", default: false },
  base: { type: "string" },
} as const;

interface Row {
  readonly step: Step;
  readonly outcome: StepOutcome;
  readonly seconds: number;
}

await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const { list, steps } = await chooseSteps(args).catch((cause: unknown) => {
    console.error(cause instanceof Error ? cause.message : cause);
    process.exitCode = 2;
    return { list: false, steps: [] };
  });
  if (list) for (const step of steps) console.log(`${step.name.padEnd(10)} ${step.says}`);
  if (list || steps.length === 0) return;
  // Each of the small steps uses little more than one processor, and the tests all that there are.
  const rows = [
    ...(await runSome(
      steps.filter((step) => step.isWide !== true),
      2,
    )),
    ...(await runSome(
      steps.filter((step) => step.isWide),
      1,
    )),
  ];
  printTable(rows);
  process.exitCode = rows.every((row) => row.outcome.ok) ? 0 : 1;
}

/** Runs at most `atATime` steps at once. Returns their outcomes in the order of the steps. */
async function runSome(steps: readonly Step[], atATime: number): Promise<readonly Row[]> {
  const rows = new Map<Step, Row>();
  const waiting = [...steps];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) rows.set(step, await runStep(step));
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return steps.flatMap((step) => rows.get(step) ?? []);
}

async function runStep(step: Step): Promise<Row> {
  console.log(`── ${step.name}: ${step.says}`);
  const started = performance.now();
  const outcome = await step.run();
  if (!outcome.ok) console.log(outcome.output);
  console.log(`   ${step.name} ${outcome.ok ? "ok" : "FAILED"}: ${outcome.note}`);
  return { step, outcome, seconds: (performance.now() - started) / 1000 };
}

/** @throws {Error} on an option or a step that does not exist, or a commit that git does not know */
async function chooseSteps(args: readonly string[]): Promise<{ readonly list: boolean; readonly steps: readonly Step[] }> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { list, changed, base, only } = values;
  if (base !== undefined && !changed) throw new Error("--base is an option of --changed");
  const all = changed ? await changedSteps(base) : STEPS;
  if (changed && all.length === 0) console.log(`Nothing changed against ${base ?? "HEAD"}`);
  if (only === undefined) return { list, steps: all };
  const names = only.split(",").filter((name) => name !== "");
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length === 0 && names.length > 0) return { list, steps: all.filter((step) => names.includes(step.name)) };
  throw new Error(`No step "${unknown.join(", ")}" (choose from ${STEPS.map((step) => step.name).join(", ")})`);
}

function printTable(rows: readonly Row[]): void {
  console.log("\n── summary");
  for (const { step, outcome, seconds } of rows) {
    console.log(`${outcome.ok ? "ok    " : "FAILED"} ${step.name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${outcome.note}`);
  }
  const failed = rows.filter((row) => !row.outcome.ok).length;
  console.log(failed === 0 ? "\nAll steps passed" : `\n${failed} of ${rows.length} steps failed`);
  for (const { step, outcome } of rows) {
    if ((outcome.remarks ?? []).length > 0) console.log(`\n${step.name}`);
    for (const remark of outcome.remarks ?? []) console.log(remark);
  }
  const tests = rows.find((row) => row.step.name === "tests");
  // Last, so that a reader of only the end of a log sees the totals.
  if (tests !== undefined) console.log(tests.outcome.note);
}
