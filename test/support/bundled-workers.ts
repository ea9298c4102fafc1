/**
 * Setup file: threads start from a bundle of the sources, which `npm test` has just made.
 *
 * A worker of the sandbox loads some 200 modules. From a bundle it starts in a third of the time, and most test files start several.
 */

import { syncBuiltinESMExports } from "node:module";
import workerThreads, { Worker, type WorkerOptions } from "node:worker_threads";
import { pathToFileURL } from "node:url";

const FOLDER = pathToFileURL(`${process.env["BUNDLE"]}/`);

/** Entry files of threads, in the sources; the bundle has them by the same names. */
const ENTRY = /\/host\/(?:platform\/threads|host)\/(worker-node|service-main)\.ts$/;

class BundledWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    // A file that is imported first reaches into modules of the sources.
    const isPrepared = options?.execArgv?.includes("--import") === true;
    const name = isPrepared ? undefined : ENTRY.exec(String(file))?.[1];
    super(name === undefined ? file : new URL(`${name}.js`, FOLDER), options);
  }
}

workerThreads.Worker = BundledWorker;
syncBuiltinESMExports();
