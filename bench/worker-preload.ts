/** Lets a benchmark reach into the workers of a host: nothing of the product can be asked for that. */

import { syncBuiltinESMExports } from "node:module";
import workerThreads, { type WorkerOptions } from "node:worker_threads";

/** Runs `start`; every worker that is made before it is done imports a file of this folder first. */
export async function withPreload<T>(file: string, start: () => Promise<T>): Promise<T> {
  const { Worker } = workerThreads;
  const preload = new URL(file, import.meta.url).href;
  workerThreads.Worker = class extends Worker {
    constructor(entry: string | URL, options: WorkerOptions = {}) {
      super(entry, { ...options, execArgv: [...(options.execArgv ?? []), "--import", preload] });
    }
  };
  syncBuiltinESMExports();
  try {
    return await start();
  } finally {
    workerThreads.Worker = Worker;
    syncBuiltinESMExports();
  }
}
