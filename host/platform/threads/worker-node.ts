/** Entry file of a sandbox worker on Node. */

import { randomFillSync } from "node:crypto";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { WorkerInit } from "../../../sandbox/wire/port.ts";
import type { SyncAnswer } from "../../../sandbox/wire/protocol.ts";
import type { Envelope } from "../../../sandbox/wire/wire.ts";
import { collectGarbage } from "./collection.ts";
import { enableCompileCache } from "./compile-cache.ts";
import { legacyDecoders } from "../legacy-text.ts";
import { firstMessage, onMessage, postMessage, takeMessage } from "./ports.ts";
import { sharedNow } from "./shared-clock.ts";
import type { WorkerPorts } from "./worker-thread.ts";
import { threadCpuMs } from "./thread-cpu.ts";
import { hash, subtle, supports } from "../web-crypto.ts";
import { zlibCodec } from "../zlib-codec.ts";

enableCompileCache();
if (parentPort === null) throw new Error("This file is the entry of a worker");
// Not awaited here: V8 ends the whole process if a thread is ended in the moment in which a module with an `await` of its own does.
void startServing(parentPort);

async function startServing(parent: MessagePort): Promise<void> {
  // Imported after the cache is on, so that it serves these sources too.
  const [given, { serveWorker }] = await Promise.all([firstMessage(parent), import("../../../sandbox/worker/main.ts")]);
  // Written by `workers.ts`.
  const init = given as WorkerInit;
  // Written by `newWorkerThread`.
  const { requests, syncPort, said } = workerData as WorkerPorts;
  const port = said ?? parent;
  serveWorker({
    init,
    post: (envelope, moved) => postMessage(port, envelope, moved),
    // Written by `startWorker`, like all messages here.
    onMessage: (listener) => onMessage(requests, (envelope) => listener(envelope as Envelope)),
    takeEnvelope: () => takeMessage(requests) as Envelope | undefined,
    takeSyncAnswer: () => takeMessage(syncPort) as SyncAnswer | undefined,
    block: (words, index, value, timeoutMs) => void Atomics.wait(words, index, value, timeoutMs),
    now: sharedNow,
    threadCpuMs: cheapThreadCpuMs,
    loadCpuMs: threadCpuMs,
    epoch: Date.now,
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
    codec: zlibCodec,
    hash,
    supports,
    legacyDecoders,
    subtle,
    soon: (task) => void setImmediate(task),
    ...(collectGarbage && { collect: collectGarbage }),
    fillRandom: (bytes) => void randomFillSync(bytes),
  });
}

/** Undefined on Deno, where it takes 10 µs, too long for a value that every call needs. */
function cheapThreadCpuMs(): number | undefined {
  return "Deno" in globalThis ? undefined : threadCpuMs();
}
