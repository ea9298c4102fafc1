/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { WorkerConnection, WorkerInit, WorkerLauncher } from "../../sandbox/mod.ts";
import { createImageCache } from "./image-cache.ts";
import { sharedNow } from "./shared-clock.ts";

/** QuickJS needs 32 times its own stack in V8's (FACTS, stack); Deno ignores this option, so its entry sets a V8 flag. */
const WORKER_STACK_MB = 16;

export function createWorkerLauncher(): WorkerLauncher {
  const cache = createImageCache();
  return {
    start: startWorker,
    readCache: cache.read,
    writeCache: cache.write,
    readEngine: () => readFile(fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))),
    now: sharedNow,
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** What the entry file gets as `workerData`. */
export interface WorkerStart {
  readonly init: WorkerInit;
  readonly syncPort: import("node:worker_threads").MessagePort;
}

function startWorker(init: WorkerInit): WorkerConnection {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const data: WorkerStart = { init, syncPort: theirs };
  const worker = new Worker(workerEntry(), {
    workerData: data,
    transferList: [theirs],
    env: {},
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB },
  });
  ours.unref();
  worker.unref();
  let ended = false;
  return {
    post: (message) => worker.postMessage(message),
    postSyncAnswer: (message) => ours.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onExit(listener) {
      let reason = "the thread ended";
      worker.on("error", (error: unknown) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on("exit", () => {
        if (ended) return;
        ended = true;
        ours.close();
        listener(reason);
      });
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}

/** The entry beside this file, with this file's own extension: `tsc` rewrites imports, but no URLs (DESIGN decision 8). */
function workerEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const runtime = "Deno" in globalThis ? "deno" : "node";
  return new URL(`./worker-${runtime}.${extension}`, import.meta.url);
}
