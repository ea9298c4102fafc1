/**
 * `npm run oracle -- --pairs 1000000`: compares bascule's decisions with those of the `deno` binary (SPEC PA9).
 *
 * `--pairs N` (default 1,000,000), `--seed N` (default FUZZ_SEED, `random` for a new one), `--lanes N` concurrent Deno processes.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { FUZZ_SEED } from "../test/support/seed.ts";
import { type OracleReport, runOracle } from "../test/oracle/run-oracle.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      pairs: { type: "string", default: "1000000" },
      seed: { type: "string", default: String(FUZZ_SEED) },
      lanes: { type: "string", default: String(availableParallelism()) },
    },
  });
  const seed = values.seed === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const [pairs, lanes] = [Number(values.pairs), Number(values.lanes)];
  if (![pairs, lanes, seed].every((value) => Number.isSafeInteger(value)) || pairs < 1 || lanes < 1) {
    console.error("Usage: npm run oracle -- [--pairs N] [--seed N|random] [--lanes N]");
    return 2;
  }
  const started = performance.now();
  const report = await runOracle({ pairs, seed, lanes });
  for (const line of reportLines(report)) console.log(line);
  console.log(`Seed ${seed}, ${((performance.now() - started) / 1000).toFixed(1)} s, ${lanes} lanes`);
  return report.failure === undefined ? 0 : 1;
}

function reportLines({ pairs, policies, equal, named, failure }: OracleReport): readonly string[] {
  return [
    `${pairs} pairs under ${policies} permission sets: ${equal} equal`,
    ...[...named].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`),
    ...(failure === undefined ? [] : ["", failure]),
  ];
}
