/** Entry file of the thread that starts sandbox workers on Deno, in place of the host's thread. */

import { parentPort, type Worker } from "node:worker_threads";
import { errorText } from "../error-text.ts";
import { postMessage } from "./ports.ts";
import { newWorkerThread } from "./worker-thread.ts";
import type { StarterOrder } from "./workers.ts";

const workers = new Map<number, Worker>();

parentPort?.on("message", (order: StarterOrder) => {
  const { number } = order;
  if (order.type === "end") return void workers.get(number)?.terminate();
  const worker = newWorkerThread(order.ports, order.env);
  postMessage(worker, order.init, []);
  workers.set(number, worker);
  let reason = "the thread ended";
  worker.on("error", (error: unknown) => {
    reason = errorText(error);
  });
  worker.on("exit", () => {
    workers.delete(number);
    parentPort?.postMessage({ number, reason });
  });
});
