/** `entry`: time that a suspendable entry (JavaScript Promise Integration) adds to a fresh call, on the thread that runs it. */

import { inTurns } from "../sandbox/engine/steps.ts";
import { Instance } from "../sandbox/engine/instance.ts";
import { trackedRestore } from "../sandbox/image/tracked-restore.ts";
import { baseImage, callInSteps, loadInThread, meteredModule } from "../test/support/in-thread.ts";
import { ECHO_ARGS, ECHO_TEXT } from "./fresh.ts";
import { type Bench, inTurn, type Measured, toComparison, WARM_CALLS } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

const ROUNDS = 201;
const CALLS_A_ROUND = 100;

export const entry: Bench = {
  id: "entry",
  async run(): Promise<Measured> {
    const base = await baseImage(meteredModule);
    const { image, host } = await loadInThread(PLUGIN_2KB, trackedRestore, { module: meteredModule });
    const restorer = trackedRestore(base);
    const start = async (suspends?: "suspends"): Promise<() => Promise<void>> => {
      const instance = await Instance.start(meteredModule, base.facts, 1_024, suspends);
      return () =>
        new Promise((resolve, reject) => {
          let left = CALLS_A_ROUND;
          const next = (): void => {
            if (left-- === 0) return resolve();
            restorer.restore(instance, image);
            instance.host = host;
            return inTurns(callInSteps(instance, "echo", ECHO_ARGS), check, reject);
          };
          const check = (answer: string): void => {
            if (!answer.includes(ECHO_TEXT)) return reject(new Error(`Measured a call that answers ${answer.slice(0, 200)}`));
            return next();
          };
          next();
        });
    };
    const runners = [
      { name: "plain" as const, run: await start(), samples: new Array<number>() },
      { name: "suspendable" as const, run: await start("suspends"), samples: new Array<number>() },
    ];
    for (let calls = 0; calls < WARM_CALLS; calls += CALLS_A_ROUND) for (const { run } of runners) await run();
    for (let round = 0; round < ROUNDS; round++) {
      for (const { run, samples } of inTurn(runners, round)) {
        const begin = performance.now();
        await run();
        samples.push((performance.now() - begin) / CALLS_A_ROUND);
      }
    }
    const times = toComparison(runners);
    const [plain, suspendable] = [times.medianMs("plain") * 1_000, times.medianMs("suspendable") * 1_000];
    const note = `a fresh call takes ${suspendable.toFixed(1)} us with such entries, ${plain.toFixed(1)} without`;
    return { value: suspendable - plain, unit: "us", baseline: plain, ratio: times.ratio("suspendable", "plain"), note };
  },
};
