/** Threads for the sandbox, by `node:worker_threads`, which Deno has too. */

import { createHash } from "node:crypto";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { WorkerConnection, WorkerInit, WorkerLauncher } from "../../../sandbox/mod.ts";
import { errorText } from "../error-text.ts";
import { readPackageFile } from "../executable/executable.ts";
import { timeZone } from "../time-zone.ts";
import { compileCacheVariable } from "./compile-cache.ts";
import { createImageCache } from "../files/image-cache.ts";
import { onMessage, postMessage } from "./ports.ts";
import { sharedNow } from "./shared-clock.ts";
import { takeThread, threadEntry, type WorkerEnvironment, type WorkerPorts, type WorkerThread } from "./worker-thread.ts";

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
    return isDirect ? startHere(init, env) : startElsewhere(init, env);
  };
}

/** Makes a connection of a running thread. */
function connect(thread: RunningThread, { requests, answers }: Pick<WorkerThread, "requests" | "answers">): WorkerConnection {
  requests.unref();
  answers.unref();
  return {
    post: (message, moved) => postMessage(requests, message, moved),
    postSyncAnswer: (message, moved) => postMessage(answers, message, moved),
    onMessage: (listener) => thread.onMessage(listener),
    onExit(listener) {
      thread.onExit((reason) => {
        requests.close();
        answers.close();
        listener(reason);
      });
    },
    keepAlive: (on) => thread.keepAlive(on),
    terminate: () => thread.terminate(),
  };
}

let starter: Starter | undefined;

function startElsewhere(init: WorkerInit, env: WorkerEnvironment): WorkerConnection {
  if (starter === undefined || starter.hasEnded) starter = new Starter();
  const requests = new MessageChannel();
  const answers = new MessageChannel();
  const thread = starter.start(init, { requests: requests.port2, syncPort: answers.port2 }, env);
  return connect(thread, { requests: requests.port1, answers: answers.port1 });
}

function startHere(init: WorkerInit, env: WorkerEnvironment): WorkerConnection {
  const { worker, ...ports } = takeThread(env);
  postMessage(worker, init, []);
  const thread: RunningThread = {
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
  return connect(thread, ports);
}

/** Orders to the starter, which answers `{ number, reason }` when that worker has ended. */
export type StarterOrder =
  | {
      readonly type: "start";
      readonly number: number;
      readonly init: WorkerInit;
      readonly ports: WorkerPorts;
      readonly env: WorkerEnvironment;
    }
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
    this.#worker = new Worker(threadEntry("worker-starter"), { env: {}, execArgv: [], stdin: false });
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

  start(init: WorkerInit, { requests, syncPort }: WorkerPorts, env: WorkerEnvironment): RunningThread {
    const number = ++this.#lastNumber;
    const said = new MessageChannel();
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.#running.set(number, (reason) => {
      this.#running.delete(number);
      said.port1.close();
      resolve(reason);
    });
    const ports = { requests, syncPort, said: said.port2 };
    this.#order({ type: "start", number, init, ports, env }, Object.values(ports));
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
