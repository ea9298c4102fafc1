/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { WorkerConnection, WorkerInit, WorkerLauncher } from "../../../sandbox/mod.ts";
import { cacheFolder } from "../files/cache-folder.ts";
import { timeZone } from "../time-zone.ts";
import { createImageCache } from "../files/image-cache.ts";
import { onMessage, postMessage } from "./ports.ts";
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
  readonly requests: MessagePort;
  readonly syncPort: MessagePort;
  /** Where the worker speaks to the host, if another thread started it. */
  readonly said?: MessagePort;
}

/** All of the worker's environment. */
type WorkerEnvironment = Readonly<Record<string, string>>;

/** A running thread, started by this thread or for it by another. */
interface RunningThread {
  onMessage(listener: (message: unknown) => void): void;
  /** Called once. */
  onExit(listener: (reason: string) => void): void;
  keepAlive(on: boolean): void;
  terminate(): Promise<void>;
}

export function startWorker(init: WorkerInit, env: WorkerEnvironment): WorkerConnection {
  const requests = new MessageChannel();
  const answers = new MessageChannel();
  const start: WorkerStart = { init, requests: requests.port2, syncPort: answers.port2 };
  const thread = startThread(start, env);
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

let hasStarted = false;
let starter: Starter | undefined;

/** On Deno by another thread, but for the first: programs that make one call need no more. */
function startThread(start: WorkerStart, env: WorkerEnvironment): RunningThread {
  const isDirect = !("Deno" in globalThis) || !hasStarted;
  hasStarted = true;
  if (isDirect) return startHere(start, env);
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
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.once("exit", () => listener(reason));
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}

/** Starts a thread that serves a sandbox. Deno holds the caller's thread until the new one has its engine. */
export function newWorkerThread(start: WorkerStart, env: WorkerEnvironment): Worker {
  const { requests, syncPort, said } = start;
  return new Worker(entry(`worker-${"Deno" in globalThis ? "deno" : "node"}`), {
    workerData: start,
    transferList: [requests, syncPort, ...(said === undefined ? [] : [said])],
    env: { ...env },
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
}

/** To the starter, which answers `{ number, reason }` when that worker has ended. */
export type StarterOrder =
  | { readonly type: "start"; readonly number: number; readonly start: WorkerStart; readonly env: WorkerEnvironment }
  | { readonly type: "end"; readonly number: number };

/** A thread that starts workers in the host's place: on Deno a start takes 20 to 150 ms of the thread that asks for it (SPEC LV1). */
class Starter {
  readonly #worker: Worker;
  /** By number, how to tell that it ended. */
  readonly #running: Map<number, (reason: string) => void> = new Map();
  #lastNumber = 0;
  /** Whose ends are waited for: they keep the process alive. */
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
      // Its own threads end with it.
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

/** The entry beside this file, with this file's own extension: `tsc` rewrites imports, but no URLs (architecture, decision 8). */
function entry(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
}
