/** `dispatch_wasm`: a whole call (checks, policy, events, fresh sandbox) against an empty worker round trip, p50. */

import { Worker } from "node:worker_threads";
import { createHost } from "../host/mod.ts";
import { type Bench, latencies, median } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const ROUNDS = 15;
const CALLS = 300;

export const dispatchWasm: Bench = {
  id: "dispatch_wasm",
  what: "whole dispatch on the Wasm route ÷ an empty worker round trip, p50",
  target: { atMost: 4 },
  async run() {
    await using project = await temporaryPlugins();
    await project.write("echo", PLUGIN_2KB);
    await using host = await createHost({ plugins: `${project.path}/plugins`, workspace: project.path, config: false });
    const worker = new Worker(
      `const { parentPort } = require("node:worker_threads"); parentPort.on("message", (m) => parentPort.postMessage(m));`,
      { eval: true },
    );
    const roundTrip = (): Promise<void> =>
      new Promise((resolve) => {
        worker.once("message", () => resolve());
        worker.postMessage(`{"a":1,"b":"x"}`);
      });
    const call = async (): Promise<void> => {
      const result = await host.call("echo_echo", { a: 1, b: "x" });
      if (!result.ok) throw new Error(result.error.message);
    };
    await latencies(roundTrip, 1, 3_000);
    await latencies(call, 1, 3_000);
    const whole: number[] = [];
    const empty: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      empty.push(median(await latencies(roundTrip, CALLS, 20)));
      whole.push(median(await latencies(call, CALLS, 20)));
    }
    await worker.terminate();
    const value = median(whole);
    const baseline = median(empty);
    return { id: "dispatch_wasm", value: value * 1000, unit: "us", baseline: baseline * 1000, ratio: value / baseline };
  },
};
