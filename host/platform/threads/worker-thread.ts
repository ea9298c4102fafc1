/** The threads of a sandbox's workers. Small, because a program may start the first one before it loads the rest of itself. */

import type { MessagePort, Worker } from "node:worker_threads";
import { startThread } from "../executable/executable.ts";

/** QuickJS needs 32 times its own stack in V8's (FACTS, stack). Deno ignores this option, so its entry sets a V8 flag. */
const WORKER_STACK_MB = 16;

/** Garbage of calls dies young; without this bound V8 reserves some 50 MB for it in every worker. */
const WORKER_YOUNG_MB = 2;

/** `workerData` of the entry file. The thread's first message is its `WorkerInit`. */
export interface WorkerPorts {
  /** A separate port, because it can be read while the thread is not in its event loop, on Deno too. */
  readonly requests: MessagePort;
  readonly syncPort: MessagePort;
  /** Port for messages to the host, if another thread started the worker. */
  readonly said?: MessagePort;
}

/** The complete environment of a worker. */
export type WorkerEnvironment = Readonly<Record<string, string>>;

/** A thread and this side's ports to it. */
export interface WorkerThread {
  readonly worker: Worker;
  readonly requests: MessagePort;
  readonly answers: MessagePort;
}

let ahead: WorkerThread | undefined;

/** Starts the thread that the next `takeThread` returns, so that it loads its code meanwhile. It does not keep the process alive. */
export function startAhead(env: WorkerEnvironment): void {
  const made = makeThread(env);
  ahead = made;
  // `takeThread` starts another one, which reports why.
  made.worker.once("error", () => {});
  made.worker.once("exit", () => {
    if (ahead === made) ahead = undefined;
  });
}

export function takeThread(env: WorkerEnvironment): WorkerThread {
  const taken = ahead ?? makeThread(env);
  ahead = undefined;
  return taken;
}

function makeThread(env: WorkerEnvironment): WorkerThread {
  // Not imported: every start would load it.
  const { MessageChannel: Channel } = process.getBuiltinModule("node:worker_threads");
  const [requests, answers] = [new Channel(), new Channel()];
  const worker = newWorkerThread({ requests: requests.port2, syncPort: answers.port2 }, env);
  worker.unref();
  return { worker, requests: requests.port1, answers: answers.port1 };
}

/** Starts a thread that serves a sandbox. Deno blocks the caller's thread until the new one has its engine. */
export function newWorkerThread(ports: WorkerPorts, env: WorkerEnvironment): Worker {
  const { requests, syncPort, said } = ports;
  return startThread(threadEntry(`worker-${"Deno" in globalThis ? "deno" : "node"}`), {
    workerData: ports,
    transferList: [requests, syncPort, ...(said === undefined ? [] : [said])],
    env: { ...env },
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: WORKER_STACK_MB, maxYoungGenerationSizeMb: WORKER_YOUNG_MB },
  });
}

/** Returns the entry beside this file, with this file's own extension: `tsc` rewrites imports, but no URLs (architecture, decision 8). */
export function threadEntry(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
}
