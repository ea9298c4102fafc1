/** `npm run bench`: measures every claimed number and compares it with its target (`command-line.ts` has the options). */

import { type BenchCommand, HELP, parseCommandLine } from "./command-line.ts";
import { BENCHES } from "./mod.ts";
import { isMet, type Outcome, toCheckTable, toFigures, toJson } from "./report.ts";

const command = parseCommandLine(
  process.argv.slice(2),
  BENCHES.map(({ id }) => id),
);
// Exit without waiting for the idle workers and timers of a benchmark.
process.exit(await main(command));

async function main(wanted: BenchCommand): Promise<number> {
  if (wanted.kind === "help") {
    console.log(HELP);
    return 0;
  }
  if (wanted.kind === "wrong") {
    console.error(wanted.message);
    return 2;
  }
  const outcomes: Outcome[] = [];
  for (const bench of BENCHES) {
    if (!wanted.ids.includes(bench.id)) continue;
    const begin = performance.now();
    const outcome = await bench.run().then(
      (measured): Outcome => ({ id: bench.id, ok: true, measured }),
      (defect: unknown): Outcome => ({ id: bench.id, ok: false, message: defect instanceof Error ? defect.message : String(defect) }),
    );
    outcomes.push(outcome);
    if (!outcome.ok) console.error(`${bench.id} failed: ${outcome.message}`);
    else if (!wanted.json) console.error(`${bench.id} took ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }
  if (wanted.json) console.log(toJson(outcomes));
  else console.log(wanted.check ? toCheckTable(outcomes) : toFigures(outcomes));
  const failed = outcomes.some((outcome) => !outcome.ok || (wanted.check && !isMet(outcome)));
  return failed ? 1 : 0;
}
