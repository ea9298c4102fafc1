/** `npm test`: runs the tests and ends with one line of totals. Arguments go to vitest; `--deno` runs them on Deno. */

import { formatTotals, runTests } from "./vitest-run.ts";

const args = process.argv.slice(2);
const runtime = args.includes("--deno") ? "deno" : "node";
const run = await runTests(
  runtime,
  args.filter((arg) => arg !== "--deno"),
  true,
);
for (const line of run.slowest) console.log(line);
// Last, where people and .ci/run look for it.
console.log(formatTotals(run));
process.exitCode = run.ok ? 0 : 1;
