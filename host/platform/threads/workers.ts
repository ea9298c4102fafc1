/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { createHash } from "node:crypto";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { WorkerConnection, WorkerInit, WorkerLauncher } from "../../../sandbox/mod.ts";
import { errorText } from "../error-text.ts";
import { readPackageFile, startThread } from "../executable/executable.ts";
import { timeZone } from "../time-zone.ts";
import { compileCacheVariable } from "./compile-cache.ts";
import { createImageCache } from "../files/image-cache.ts";
import { onMessage, postMessage } from "./ports.ts";
import { sharedNow } from "./shared-clock.ts";

/** QuickJS needs 32 times its own stack in V8's (FACTS, stack). Deno ignores this option, so its entry sets a V8 flag. */
const WORKER_STACK_MB = 16;

/** Garbage of calls dies young; without this bound V8 reserves some 50 MB for it in every worker. */
const WORKER_YOUNG_MB = 2;

/** @param isBrief whether the process serves only the caller, so that it may block */
export function createWorkerLauncher(isBrief: boolean = false): WorkerLauncher {
  const cache = createImageCache(isBrief);
  return {
    // The only variable that a worker needs, because the first file is stripped and compiled before any of its code runs.
    start: workerStarter(compileCacheVariable()),
    language: navigator.language,
    timeZone,
    runtime: `node ${process.versions.node}, deno ${process.versions["deno"] ?? "none"}`,
    readCache: cache.read,
    writeCache: cache.write,
    readEngine: () => readPackageFile("@jitl/quickjs-wasmfile-release-sync/wasm", isBrief),
    ...(isBrief && { sha256: (bytes: Uint8Array) => createHash("sha256").update(bytes).digest() }),
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

/** `workerData` of the entry file. */
export interface WorkerStart {
  readonly init: WorkerInit;
  /** A separate port, because it can be read while the thread is not in its event loop, on Deno too. */
  readonly requests: MessagePort;
  readonly syncPort: MessagePort;
  /** Port for messages to the host, if another thread started the worker. */
  readonly said?: MessagePort;
}

/** The complete environment of a worker. */
type WorkerEnvironment = Readonly<Record<string, string>>;

/** A running thread, started by this thread or on its behalf by another. */
interface RunningThread {
  onMessage(listener: (message: unknown) => void): void;
  /** Called once. */
  onExit(listener: (reason: string) => void): void;
  keepAlive(on: boolean): void;
  terminate(): Promise<void>;
}

/** Starts workers with a complete environment. On Deno another thread starts all but the first, which a new host needs at once. */
export function workerStarter(env: WorkerEnvironment): WorkerLauncher["start"] {
  let isFirst = true;
  return (init) => {
    const isDirect = isFirst || !("Deno" in globalThis);
    isFirst = false;
    return startWorker(init, (start) => (isDirect ? startHere(start, env) : startElsewhere(start, env)));
  };
}

function startWorker(init: WorkerInit, startThread: (start: WorkerStart) => RunningThread): WorkerConnection {
  const requests = new MessageChannel();
  const answers = new MessageChannel();
  const thread = startThread({ init, requests: requests.port2, syncPort: answers.port2 });
  requests.port1.unref();
  answers.port1.unref();
  return {
    post: (message, moved) => postMessage(requests.port1, message, moved),
    postSyncAnswer: (message, moved) => postMessage(answers.port1, message, moved),
    onMessage: (listener) => thread.onMessage(listener),
    onExit(listener) {
      thread.onExit((reason) => {
        requests.port1.close();
        answers.port1.close();
        listener(reason);
      });
    },
    keepAlive: (on) => thread.keepAlive(on),
    terminate: () => thread.terminate(),
  };
}

let starter: Starter | undefined;

function startElsewhere(start: WorkerStart, env: WorkerEnvironment): RunningThread {
  if (starter === undefined || starter.hasEnded) starter = new Starter();
  return starter.start(start, env);
}

function startHere(start: WorkerStart, env: WorkerEnvironment): RunningThread {
  const worker = newWorkerThread(start, env);
  worker.unref();
  return {
    onMessage: (listener) => onMessage(worker, listener),
    onExit(listener) {
      let reason = "the thread ended";
      worker.on("error", (error: unknown) => {
        reason = errorText(error);
      });
      worker.once("exit", () => listener(reason));
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}

/** Starts a thread that serves a sandbox. Deno blocks the caller's thread until the new one has its engine. */
export function newWorkerThread(start: WorkerStart, env: WorkerEnvironment): Worker {
  const { requests, syncPort, said } = start;
  return startThread(entry(`worker-${"Deno" in globalThis ? "deno" : "node"}`), {
    workerData: start,
    transferList: [requests, syncPort, ...(said === undefined ? [] : [said])],
    env: { ...env },
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
}

/** Orders to the starter, which answers `{ number, reason }` when that worker has ended. */
export type StarterOrder =
  | { readonly type: "start"; readonly number: number; readonly start: WorkerStart; readonly env: WorkerEnvironment }
  | { readonly type: "end"; readonly number: number };

/**
 * A thread that starts workers in place of the host's thread: on Deno a start blocks the calling thread for 20 to 150 ms (SPEC LV1).
 *
 * Deno 2.9 holds each worker that another worker starts for 500 ms before its first line, so that an inspector can attach.
 */
class Starter {
  readonly #worker: Worker;
  /** Callbacks for the end of each worker, by number. */
  readonly #running: Map<number, (reason: string) => void> = new Map();
  #lastNumber = 0;
  /** Number of ends that are awaited; while above 0 they keep the process alive. */
  #ending = 0;
  hasEnded = false;

  constructor() {
    this.#worker = new Worker(entry("worker-starter"), { env: {}, execArgv: [], stdin: false });
    this.#worker.unref();
    // Written by `worker-starter.ts`.
    this.#worker.on("message", ({ number, reason }: { number: number; reason: string }) => this.#running.get(number)?.(reason));
    let why = "the thread that starts workers ended";
    this.#worker.on("error", (error: unknown) => {
      why = `${why}: ${String(error)}`;
    });
    this.#worker.on("exit", () => {
      this.hasEnded = true;
      // The starter's own threads end with it.
      for (const end of [...this.#running.values()]) end(why);
    });
  }

  start(start: WorkerStart, env: WorkerEnvironment): RunningThread {
    const number = ++this.#lastNumber;
    const said = new MessageChannel();
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.#running.set(number, (reason) => {
      this.#running.delete(number);
      said.port1.close();
      resolve(reason);
    });
    const ports = [start.requests, start.syncPort, said.port2];
    this.#order({ type: "start", number, start: { ...start, said: said.port2 }, env }, ports);
    said.port1.unref();
    return {
      onMessage(listener) {
        onMessage(said.port1, listener);
        said.port1.unref();
      },
      onExit: (listener) => void ended.then(listener),
      keepAlive: (on) => (on ? said.port1.ref() : said.port1.unref()),
      terminate: async () => {
        if (!this.#running.has(number)) return;
        this.#order({ type: "end", number });
        if (this.#ending++ === 0) this.#worker.ref();
        await ended;
        if (--this.#ending === 0) this.#worker.unref();
      },
    };
  }

  #order(order: StarterOrder, moved: MessagePort[] = []): void {
    this.#worker.postMessage(order, moved);
  }
}

/** Returns the entry beside this file, with this file's own extension: `tsc` rewrites imports, but no URLs (architecture, decision 8). */
function entry(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
}
