/** Entry file of a service thread, on Node and Deno. */

import { parentPort, workerData } from "node:worker_threads";
import { enableCompileCache } from "./compile-cache.ts";
import { onMessage, postMessage, takeMessage } from "./ports.ts";
import type { ServiceRequest } from "./service-types.ts";
import type { ServiceStart } from "./services.ts";

enableCompileCache();
// After the cache is on, so that it serves these sources too.
const { serveTasks } = await import("../../primitives/service/serve-tasks.ts");
const { SERVICE_TASKS } = await import("../../host/service-tasks.ts");
const { createEnvironment } = await import("../environment.ts");
const { createFiles } = await import("../files/files.ts");
const { createGuardedFiles } = await import("../files/guarded-files.ts");
const { createJournals } = await import("../files/journals.ts");
const { createLinuxWalk, hasLinuxWalk } = await import("../files/linux-walk.ts");
const { createPortableWalk } = await import("../files/portable-walk.ts");
const { sharedNow } = await import("./shared-clock.ts");

startServing();

function startServing(): void {
  const port = parentPort;
  if (port === null) throw new Error("This file is the entry of a service thread");
  // Written by `start` in `services.ts`.
  const { requests, bell } = workerData as ServiceStart;
  serveTasks(SERVICE_TASKS, {
    post: (answer, moved) => postMessage(port, answer, moved),
    onRequest: (listener) => onMessage(requests, (request) => listener(request as ServiceRequest)),
    takeRequest: () => takeMessage(requests) as ServiceRequest | undefined,
    bellCount: () => Atomics.load(bell, 0),
    sleep: (seen, timeoutMs) => void Atomics.wait(bell, 0, seen, timeoutMs),
    world: {
      journals: createJournals(),
      files: createFiles(),
      guarded: createGuardedFiles(hasLinuxWalk() ? createLinuxWalk() : createPortableWalk(), createEnvironment().os),
      turn: () => new Promise((resolve) => setImmediate(resolve)),
      now: sharedNow,
    },
  });
}
