/**
 * `npm run bench`: measures every claimed number. `-- --json` prints rows, `-- --only ID` runs one, `-- --check`
 * compares with the targets of SPEC appendix C and fails where one is missed.
 */

import { BENCHES } from "./mod.ts";
import type { Bench, Row } from "./measure.ts";

const args = process.argv.slice(2);
const json = args.includes("--json");
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;

const chosen = BENCHES.filter((bench) => only === undefined || bench.id === only);
if (chosen.length === 0) {
  console.error(`Unknown benchmark "${only}"; there are: ${BENCHES.map((bench) => bench.id).join(", ")}`);
  process.exit(2);
}

const rows: Row[] = [];
let missed = 0;
for (const bench of chosen) {
  if (!json) process.stderr.write(`measuring ${bench.id} …\n`);
  const row = await bench.run();
  rows.push(row);
  if (!meets(bench, row)) missed++;
}
if (json) console.log(JSON.stringify({ rows }));
else printTable();
process.exit(args.includes("--check") && missed > 0 ? 1 : 0);

function meets(bench: Bench, row: Row): boolean {
  const measured = row.ratio ?? row.value;
  return "atMost" in bench.target ? measured <= bench.target.atMost : measured >= bench.target.atLeast;
}

function printTable(): void {
  const lines = rows.map((row, index) => {
    const bench = chosen[index];
    if (bench === undefined) return [];
    const target = "atMost" in bench.target ? `≤ ${bench.target.atMost}` : `≥ ${bench.target.atLeast}`;
    const baseline = row.baseline === null ? "" : `${row.baseline.toFixed(2)} ${row.unit}`;
    const ratio = row.ratio === null ? "" : row.ratio.toFixed(2);
    return [row.id, `${row.value.toFixed(2)} ${row.unit}`, baseline, ratio, target, meets(bench, row) ? "met" : "missed", bench.what];
  });
  const table = [["id", "value", "baseline", "ratio", "target", "", "what"], ...lines];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => (line[column] ?? "").length))) ?? [];
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
