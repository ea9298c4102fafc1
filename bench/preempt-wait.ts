/** `preempt_wait`: duration of a call that computes for a millisecond, on a worker where sixteen others never end. */

import { outputOf, startSandbox } from "../test/support/sandbox.ts";
import { type Bench, type Measured, median, mustBe, percentile } from "./measure.ts";

const CALLS = 200;
const ENDLESS = { wallMs: 600_000, cpuMs: 120_000 };
const BRIEF = "export function brief() { let sum = 0; for (let i = 0; i < 20_000; i++) sum += i; return sum; }";

export const preemptWait: Bench = {
  id: "preempt_wait",
  async run(): Promise<Measured> {
    await using box = startSandbox({ maximumWorkers: 1 });
    await box.load("brief", BRIEF);
    await box.load("endless", "export function run() { for (;;); }");
    const callMs = async (): Promise<number> => {
      const begin = performance.now();
      mustBe(outputOf(await box.call("brief", "brief")), 199_990_000);
      return performance.now() - begin;
    };
    const alone: number[] = [];
    for (let call = 0; call < CALLS; call++) alone.push(await callMs());
    const stop = new AbortController();
    const endless = Array.from({ length: 16 }, () => box.call("endless", "run", { limits: ENDLESS, signal: stop.signal }));
    const beside: number[] = [];
    for (let call = 0; call < CALLS; call++) beside.push(await callMs());
    stop.abort();
    await Promise.all(endless);
    const [value, baseline] = [percentile(beside, 0.99), percentile(alone, 0.99)];
    const note = `p50 ${median(beside).toFixed(1)} ms, alone ${median(alone).toFixed(1)} ms`;
    return { value, unit: "ms", baseline, ratio: value / baseline, note };
  },
};
