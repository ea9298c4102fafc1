/** `throughput`: fresh echo calls a second through dispatch, events on, 32 in flight; and what of the host's thread each takes. */

import { flood, startEchoHost } from "./echo-host.ts";
import { type Bench, type Measured, median } from "./measure.ts";

const ROUNDS = 15;
const CALLS = 8_000;
/** Until V8 has compiled what every call passes: fewer and the first rounds measure that. */
const WARM_CALLS = 48_000;

export const throughput: Bench = {
  id: "throughput",
  async run(): Promise<Measured> {
    await using host = await startEchoHost();
    await flood(host, WARM_CALLS);
    const perSecond: number[] = [];
    const hostUs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      const before = process.threadCpuUsage();
      await flood(host, CALLS);
      perSecond.push((CALLS / (performance.now() - begin)) * 1000);
      const { user, system } = process.threadCpuUsage(before);
      hostUs.push((user + system) / CALLS);
    }
    host.mustHaveToldAll();
    return {
      value: median(perSecond),
      unit: "per s",
      baseline: null,
      ratio: null,
      note: `best round ${Math.round(Math.max(...perSecond))}; host thread ${median(hostUs).toFixed(1)} us a call, ${Math.min(...hostUs).toFixed(1)} in the best round`,
    };
  },
};
