/**
 * Loads every plugin of a folder, starts all workers that the host may have, waits until idle, and reports resident memory.
 * Loading many plugins starts all workers, so they are started with few plugins too: they do not count for plugins.
 */

import { setTimeout as wait } from "node:timers/promises";
import { createHost } from "../host/mod.ts";
import { boundYoungGeneration } from "../host/platform/threads/young-generation.ts";
import { mustBe } from "./measure.ts";
import { withPreload } from "./worker-preload.ts";

const [path = "", count = "0"] = process.argv.slice(2);
const plugins = Number(count);
// Enough for the spare worker to start and for all workers to collect garbage of loading and calling.
const REST_MS = 2_500;
const CALLS = 64;
const GC_PASSES = 4;

// The same options as the program that serves a host.
boundYoungGeneration();
await withPreload("./collect-garbage.ts", async () => {
  const host = await createHost({ plugins: `${path}/plugins`, workspace: path, config: false });
  mustBe(host.plugins().filter(({ state }) => state === "loaded").length, plugins);
  for (const number of [0, plugins - 1]) {
    const result = await host.call(`p${number}_label`, {});
    mustBe(result.ok && result.output, `plugin ${number}`);
  }
  // Two plugins, because a single one never gets all workers.
  const session = host.session({ concurrency: CALLS });
  for (let round = 0; round < 3; round++) {
    const results = await Promise.all(Array.from({ length: CALLS }, (_, call) => host.call(`p${call % 2}_busy`, {}, { session })));
    mustBe(
      results.every(({ ok }) => ok),
      true,
    );
  }
  await wait(REST_MS);
});
for (let pass = 0; pass < GC_PASSES; pass++) {
  globalThis.gc?.();
  await wait(50);
}
console.log(JSON.stringify({ residentKb: Math.round(process.memoryUsage.rss() / 1024) }));
process.exit(0);
