/**
 * `npm run ok`: the one gate. Runs every step in order, short output, a table at the end.
 *
 * `npm run ok -- --only lint,types` runs some of them; `--list` names them.
 */

import { checkDeno } from "./steps/deno.ts";
import { checkPackage } from "./steps/package.ts";
import { checkFormat, checkGenerated, checkLint, checkTests, checkTypes } from "./steps/sources.ts";
import type { Step, StepOutcome } from "./steps/step.ts";

/** A step is one entry here. */
const STEPS: readonly Step[] = [
  { name: "format", says: "every file is formatted (npm run format)", run: checkFormat },
  { name: "lint", says: "house style, with types", run: checkLint },
  { name: "types", says: "tsc on the host's side and inside the sandbox", run: checkTypes },
  { name: "generated", says: "generated files are fresh (npm run generate)", run: checkGenerated },
  { name: "tests", says: "all tests on Node, the architecture test among them", run: checkTests },
  { name: "deno", says: "the same sources on Deno", run: checkDeno },
  { name: "package", says: "packed, installed in an empty folder, one sandboxed call on Node and Deno", run: checkPackage },
];

interface Row {
  readonly step: Step;
  readonly outcome: StepOutcome;
  readonly seconds: number;
}

await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--list")) {
    for (const step of STEPS) console.log(`${step.name.padEnd(10)} ${step.says}`);
    return;
  }
  const chosen = chooseSteps(args);
  if (chosen === undefined) return;
  const rows: Row[] = [];
  for (const step of chosen) {
    console.log(`\n── ${step.name}: ${step.says}`);
    const started = performance.now();
    const outcome = await step.run();
    if (!outcome.ok) console.log(outcome.output);
    console.log(`   ${outcome.ok ? "ok" : "FAILED"}: ${outcome.note}`);
    rows.push({ step, outcome, seconds: (performance.now() - started) / 1000 });
  }
  printTable(rows);
  process.exitCode = rows.every((row) => row.outcome.ok) ? 0 : 1;
}

/** The steps to run; undefined, with a message, where `--only` names one that does not exist. */
function chooseSteps(args: readonly string[]): readonly Step[] | undefined {
  const at = args.findIndex((arg) => arg === "--only" || arg.startsWith("--only="));
  if (at === -1) return STEPS;
  const names = (args[at]?.split("=")[1] ?? args[at + 1] ?? "").split(",").filter((name) => name !== "");
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length === 0 && names.length > 0) return STEPS.filter((step) => names.includes(step.name));
  console.error(`No step "${unknown.join(", ")}" (choose from ${STEPS.map((step) => step.name).join(", ")})`);
  process.exitCode = 2;
  return undefined;
}

function printTable(rows: readonly Row[]): void {
  console.log("\n── summary");
  for (const { step, outcome, seconds } of rows) {
    console.log(`${outcome.ok ? "ok    " : "FAILED"} ${step.name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${outcome.note}`);
  }
  const failed = rows.filter((row) => !row.outcome.ok).length;
  console.log(failed === 0 ? "\nAll steps passed" : `\n${failed} of ${rows.length} steps failed`);
  const tests = rows.find((row) => row.step.name === "tests");
  // Last, so that whoever reads only the end of a log sees the totals.
  if (tests !== undefined) console.log(tests.outcome.note);
}
