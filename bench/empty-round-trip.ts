/** The minimum cost of another thread: a text of a few bytes to a worker that sends it back. */

import { Worker } from "node:worker_threads";
import { mustBe } from "./measure.ts";

const TEXT = `{"a":1,"b":"x"}`;

export interface EmptyWorker extends AsyncDisposable {
  roundTrip(): Promise<void>;
}

export function startEmptyWorker(): EmptyWorker {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads"); parentPort.on("message", (message) => parentPort.postMessage(message));`,
    { eval: true },
  );
  return {
    roundTrip: () =>
      new Promise((resolve) => {
        worker.once("message", (answer: unknown) => {
          mustBe(answer, TEXT);
          resolve();
        });
        worker.postMessage(TEXT);
      }),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
