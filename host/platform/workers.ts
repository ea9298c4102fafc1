/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
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
    start: (init) => connect(takeEarly(init) ?? startThread(environment(), init)),
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
    soon: (task) => void setImmediate(task),
  };
}

/** What the entry file gets as `workerData`. */
export interface WorkerStart {
  /** Absent: it comes as the first request. */
  readonly init: WorkerInit | undefined;
  /** Not the worker's own port: this one can be read while the thread is not in its event loop, also on Deno. */
  readonly requests: MessagePort;
  readonly syncPort: MessagePort;
}

/** A thread and the host's ends of its ports. */
interface StartedThread {
  readonly worker: Worker;
  readonly requests: MessagePort;
  readonly answers: MessagePort;
}

/** Started before anybody wants it, and not taken yet. */
let early: StartedThread | undefined;

/**
 * Starts a thread that loads its program while the host is still loading its own: the first sandbox of this process takes it. It
 * keeps no process alive. For the command line, where most of the time until the first answer is loading (`bench/cold-start.ts`).
 */
export function startEarly(): void {
  if (early !== undefined) return;
  const thread = startThread(environment(), undefined);
  early = thread;
  const forget = (): void => {
    if (early === thread) early = undefined;
  };
  // Whoever wants one then starts another, and is told what is wrong.
  thread.worker.once("error", forget);
  thread.worker.once("exit", forget);
}

function takeEarly(init: WorkerInit): StartedThread | undefined {
  const thread = early;
  early = undefined;
  thread?.requests.postMessage(init);
  return thread;
}

/** The one thing a worker needs of the environment: its first file is stripped and compiled before any of its code runs. */
function environment(): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: cacheFolder("compile") };
}

/** @param env all of the worker's environment */
export function startWorker(init: WorkerInit, env: Readonly<Record<string, string>>): WorkerConnection {
  return connect(startThread(env, init));
}

function startThread(env: Readonly<Record<string, string>>, init: WorkerInit | undefined): StartedThread {
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
  return { worker, requests: requests.port1, answers: answers.port1 };
}

function connect({ worker, requests, answers }: StartedThread): WorkerConnection {
  let ended = false;
  return {
    post: (message) => requests.postMessage(message),
    postSyncAnswer: (message) => answers.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onExit(listener) {
      let reason = "the thread ended";
      worker.on("error", (error: unknown) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on("exit", () => {
        if (ended) return;
        ended = true;
        requests.close();
        answers.close();
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
