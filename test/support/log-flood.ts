/**
 * A program whose plugin floods its log, for tests of the effect on the program. Writes the results to the file from its
 * arguments.
 */

import { writeFileSync } from "node:fs";
import { createHost } from "../../host/mod.ts";

const [, , workspace = "", report = "", isolation = "none", lines = "0"] = process.argv;
const config = { policy: { rules: [{ plugin: "flood", limits: { wallMs: 120_000, cpuMs: 60_000 } }] } };
const host = await createHost({
  plugins: [`${workspace}/plugins`],
  workspace,
  config,
  ...(isolation === "process" && { isolation: "process" }),
});
let turns = 0;
let running = true;
const turn = (): void => {
  turns++;
  if (running) setImmediate(turn);
};
turn();
const flood = await Promise.all([1, 2, 3].map(() => host.call("flood.logs", { lines: Number(lines) })));
const canary = await host.call("flood.sing");
running = false;
writeFileSync(
  report,
  JSON.stringify({
    flood: flood.map((result) => (result.ok ? result.output : result.error.message)),
    logBytes: flood.map(({ limitsUsed }) => limitsUsed?.logBytes),
    canary: canary.output,
    hadTurns: turns > 100,
  }),
);
await host.close();
// Exit although unread log lines are still queued.
process.exit(0);
