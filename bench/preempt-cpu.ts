/** `preempt_cpu`: nine guests that compute in slices on one worker ÷ the same nine one after the other. */

import { outputOf, startSandbox } from "../test/support/sandbox.ts";
import { type Bench, inTurn, type Measured, mustBe, toComparison } from "./measure.ts";

const GUESTS = 9;
const ROUNDS = 25;
/** Long enough for several slices. */
const SOURCE = `export function compute() {
  let sum = 0;
  for (let i = 0; i < 600_000; i++) sum = (sum + i * 7) % 1_000_003;
  return sum;
}`;

export const preemptCpu: Bench = {
  id: "preempt_cpu",
  async run(): Promise<Measured> {
    await using box = startSandbox({ maximumWorkers: 1 });
    const plugins = Array.from({ length: GUESTS }, (_, index) => `compute-${index}`);
    for (const plugin of plugins) await box.load(plugin, SOURCE);
    const compute = async (plugin: string): Promise<unknown> => outputOf(await box.call(plugin, "compute"));
    const wanted = await compute("compute-0");
    const together = async (): Promise<void> => {
      for (const output of await Promise.all(plugins.map(compute))) mustBe(output, wanted);
    };
    const apart = async (): Promise<void> => {
      for (const plugin of plugins) mustBe(await compute(plugin), wanted);
    };
    const runners = [
      { name: "apart" as const, run: apart, samples: new Array<number>() },
      { name: "together" as const, run: together, samples: new Array<number>() },
    ];
    for (const { run } of runners) await run();
    for (let round = 0; round < ROUNDS; round++) {
      for (const { run, samples } of inTurn(runners, round)) {
        const begin = performance.now();
        await run();
        samples.push(performance.now() - begin);
      }
    }
    const times = toComparison(runners);
    const ratio = times.ratio("together", "apart");
    return { value: times.medianMs("together"), unit: "ms", baseline: times.medianMs("apart"), ratio };
  },
};
