/** `throughput`: fresh echo calls a second through dispatch, events on, 32 in flight. */

import { flood, startEchoHost } from "./echo-host.ts";
import { type Bench, type Measured, median, WARM_CALLS } from "./measure.ts";

const ROUNDS = 9;
const CALLS = 8_000;

export const throughput: Bench = {
  id: "throughput",
  async run(): Promise<Measured> {
    await using host = await startEchoHost();
    await flood(host, WARM_CALLS * 2);
    const perSecond: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      await flood(host, CALLS);
      perSecond.push((CALLS / (performance.now() - begin)) * 1000);
    }
    host.mustHaveToldAll();
    return {
      value: median(perSecond),
      unit: "per s",
      baseline: null,
      ratio: null,
      note: `best round ${Math.round(Math.max(...perSecond))}`,
    };
  },
};
