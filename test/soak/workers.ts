/** All workers of the process during the soak: counts, kills and collects them, without help from the product. */

import { syncBuiltinESMExports } from "node:module";
import workerThreads, { type Worker as WorkerType, type WorkerOptions } from "node:worker_threads";

export interface WatchedWorkers extends Disposable {
  /** Returns the number of workers that have not ended. */
  alive(): number;
  /** Returns the number of living workers that run guests. */
  sandboxes(): number;
  /** Ends a worker as if its thread had crashed. @returns false if there is none */
  kill(draw: () => number): boolean;
  /** Requests a garbage collection in all of them. A busy worker collects later. */
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
