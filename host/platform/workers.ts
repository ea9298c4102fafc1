/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { WorkerConnection, WorkerInit, WorkerLauncher } from "../../sandbox/mod.ts";
import { cacheFolder } from "./cache-folder.ts";
import { timeZone } from "./time-zone.ts";
import { createImageCache } from "./image-cache.ts";
import { sharedNow } from "./shared-clock.ts";

/** QuickJS needs 32 times its own stack in V8's (FACTS, stack); Deno ignores this option, so its entry sets a V8 flag. */
const WORKER_STACK_MB = 16;

/** What calls leave behind in a worker dies at once; without a bound V8 keeps room for some 50 MB of it in every worker. */
const WORKER_YOUNG_MB = 2;

export function createWorkerLauncher(): WorkerLauncher {
  const cache = createImageCache();
  return {
    // The one thing it needs of the environment: the first file is stripped and compiled before any of its code runs.
    start: (init) => startWorker(init, { NODE_COMPILE_CACHE: cacheFolder("compile") }),
    language: navigator.language,
    timeZone,
    runtime: `node ${process.versions.node}, deno ${process.versions["deno"] ?? "none"}`,
    readCache: cache.read,
    writeCache: cache.write,
    readEngine: () => readFile(fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))),
    now: sharedNow,
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
    later: queueMicrotask,
    soon: (task) => void setImmediate(task),
  };
}

/** What the entry file gets as `workerData`. */
export interface WorkerStart {
  readonly init: WorkerInit;
  /** Not the worker's own port: this one can be read while the thread is not in its event loop, also on Deno. */
  readonly requests: import("node:worker_threads").MessagePort;
  readonly syncPort: import("node:worker_threads").MessagePort;
}

/** @param env all of the worker's environment */
export function startWorker(init: WorkerInit, env: Readonly<Record<string, string>>): WorkerConnection {
  const requests = new MessageChannel();
  const answers = new MessageChannel();
  const data: WorkerStart = { init, requests: requests.port2, syncPort: answers.port2 };
  const worker = new Worker(workerEntry(), {
    workerData: data,
    transferList: [data.requests, data.syncPort],
    env: { ...env },
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
  requests.port1.unref();
  answers.port1.unref();
  worker.unref();
  let ended = false;
  return {
    post: (message, moved) => requests.port1.postMessage(message, moved),
    postSyncAnswer: (message, moved) => answers.port1.postMessage(message, moved),
    onMessage: (listener) => void worker.on("message", listener),
    onExit(listener) {
      let reason = "the thread ended";
      worker.on("error", (error: unknown) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on("exit", () => {
        if (ended) return;
        ended = true;
        requests.port1.close();
        answers.port1.close();
        listener(reason);
      });
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}

/** The entry beside this file, with this file's own extension: `tsc` rewrites imports, but no URLs (architecture, decision 8). */
function workerEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const runtime = "Deno" in globalThis ? "deno" : "node";
  return new URL(`./worker-${runtime}.${extension}`, import.meta.url);
}
