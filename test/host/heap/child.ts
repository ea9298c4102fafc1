/** Measures the scenarios named in the arguments, or all. */

import { measure } from "./measure.ts";
import { PLANTED, SCENARIOS } from "./operations.ts";

const CLOSE_WITHIN_MS = 3_000;
const wanted = process.argv.slice(2);
for (const scenario of [...SCENARIOS, PLANTED]) {
  if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
  const operation = await scenario.start();
  try {
    tell(scenario.name, await measure(operation, scenario));
  } catch (error) {
    tell(scenario.name, { bytesEach: Number.NaN, rounds: [], error: String(error) });
  }
  // Exit without waiting for what a scenario leaves open: the next has a host of its own.
  await Promise.race([operation.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS))]);
}
process.exit(0);

function tell(name: string, found: object): void {
  const line = { name, ...found };
  if (process.send) process.send(line);
  else process.stdout.write(`${JSON.stringify(line)}\n`);
}
