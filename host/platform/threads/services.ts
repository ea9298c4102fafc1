/** Service threads by `node:worker_threads`, which Deno has too. */

import { MessageChannel, type MessagePort } from "node:worker_threads";
import { errorText } from "../error-text.ts";
import { startThread } from "../executable/executable.ts";
import { compileCacheVariable } from "./compile-cache.ts";
import { onMessage, postMessage } from "./ports.ts";
import type { ServiceAnswer, ServiceConnection, ServiceThreads } from "./service-types.ts";

/** Heap limit of a task. A task that needs more ends its thread and nothing else (Node; Deno has no such bound). */
const MAX_HEAP_MB = 1_024;

/** `workerData` of the entry file. */
export interface ServiceStart {
  readonly requests: MessagePort;
  /** Incremented with each request: a thread that sleeps on it wakes in a fraction of the time that its event loop takes. */
  readonly bell: Int32Array<SharedArrayBuffer>;
}

export function createServiceThreads(): ServiceThreads {
  return { start };
}

function start(entry: URL): ServiceConnection {
  const channel = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: ServiceStart = { requests: channel.port2, bell };
  const worker = startThread(entry, {
    workerData: data,
    transferList: [channel.port2],
    env: compileCacheVariable(),
    execArgv: [],
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  worker.unref();
  channel.port1.unref();
  return {
    post(request, moved) {
      postMessage(channel.port1, request, moved);
      Atomics.add(bell, 0, 1);
      Atomics.notify(bell, 0);
    },
    // Written by `serveTasks`.
    onAnswer: (listener) => onMessage(worker, (answer) => listener(answer as ServiceAnswer)),
    onExit(listener) {
      let reason = "the thread ended";
      worker.on("error", (error: unknown) => {
        reason = errorText(error);
      });
      worker.on("exit", () => {
        channel.port1.close();
        listener(reason);
      });
    },
    keepAlive: (on) => (on ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}
