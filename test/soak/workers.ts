/** Every worker of the process while the soak lasts: counted, killed, told to collect. Nothing of the product is asked for it. */

import { syncBuiltinESMExports } from "node:module";
import workerThreads, { type Worker as WorkerType, type WorkerOptions } from "node:worker_threads";

export interface WatchedWorkers extends Disposable {
  /** Those that have not ended. */
  alive(): number;
  /** Of those, the ones that run guests. */
  sandboxes(): number;
  /** As if the thread had crashed. @returns false if there was none */
  kill(draw: () => number): boolean;
  /** Asks all of them to collect garbage; a busy one does it later. */
  collect(): void;
}

export function watchWorkers(): WatchedWorkers {
  const { Worker } = workerThreads;
  const preload = new URL("collect-on-request.ts", import.meta.url).href;
  const alive = new Set<WorkerType>();
  const sandboxes = new Set<WorkerType>();
  const channel = new BroadcastChannel("bascule soak: collect");
  workerThreads.Worker = class extends Worker {
    constructor(entry: string | URL, options: WorkerOptions = {}) {
      super(entry, { ...options, execArgv: [...(options.execArgv ?? []), "--import", preload] });
      const sets = String(entry).includes("/worker-") ? [alive, sandboxes] : [alive];
      for (const set of sets) set.add(this);
      this.once("exit", () => {
        for (const set of sets) set.delete(this);
      });
    }
  };
  syncBuiltinESMExports();
  return {
    alive: () => alive.size,
    sandboxes: () => sandboxes.size,
    kill(draw) {
      const worker = [...alive][Math.floor(draw() * alive.size)];
      void worker?.terminate();
      return worker !== undefined;
    },
    collect: () => channel.postMessage("collect"),
    [Symbol.dispose]() {
      channel.close();
      workerThreads.Worker = Worker;
      syncBuiltinESMExports();
    },
  };
}
