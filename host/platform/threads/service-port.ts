/** A service thread's side of its connection, on Node and Deno. */

import { parentPort, workerData } from "node:worker_threads";
import { createEnvironment } from "../environment.ts";
import { createFiles } from "../files/files.ts";
import { createGuardedFiles } from "../files/guarded-files.ts";
import { createJournals } from "../files/journals.ts";
import { createLinuxWalk, hasLinuxWalk } from "../files/linux-walk.ts";
import { createPortableWalk } from "../files/portable-walk.ts";
import { onMessage, postMessage, takeMessage } from "./ports.ts";
import type { Files, GuardedFiles } from "../platform.ts";
import type { Journals } from "../files/journal-types.ts";
import type { ServiceAnswer, ServiceRequest } from "./service-types.ts";
import type { ServiceStart } from "./services.ts";
import { sharedNow } from "./shared-clock.ts";

/** The parts of the platform that tasks use, on whichever thread they run. */
export interface TaskEnvironment {
  readonly journals: Journals;
  readonly files: Files;
  readonly guarded: GuardedFiles;
  /** Lets the other tasks of the thread run. */
  turn(): Promise<void>;
  /** Milliseconds, monotonic. */
  now(): number;
}

/** The thread's own side of its connection. */
export interface ServicePort {
  post(answer: ServiceAnswer, moved: readonly ArrayBuffer[]): void;
  /** Called by the event loop for each request that `takeRequest` did not take. */
  onRequest(listener: (request: ServiceRequest) => void): void;
  takeRequest(): ServiceRequest | undefined;
  /** Counts requests. */
  bellCount(): number;
  /** Blocks the thread until the bell's count is no longer `seen`, for at most `timeoutMs`. */
  sleep(seen: number, timeoutMs: number): void;
  readonly environment: TaskEnvironment;
}

/** @throws {Error} outside a service thread */
export function openServicePort(): ServicePort {
  const port = parentPort;
  if (port === null) throw new Error("Not on a service thread");
  // Written by `start` in `services.ts`.
  const { requests, bell } = workerData as ServiceStart;
  return {
    post: (answer, moved) => postMessage(port, answer, moved),
    onRequest: (listener) => onMessage(requests, (request) => listener(request as ServiceRequest)),
    takeRequest: () => takeMessage(requests) as ServiceRequest | undefined,
    bellCount: () => Atomics.load(bell, 0),
    sleep: (seen, timeoutMs) => void Atomics.wait(bell, 0, seen, timeoutMs),
    environment: {
      journals: createJournals(),
      files: createFiles(),
      guarded: createGuardedFiles(hasLinuxWalk() ? createLinuxWalk() : createPortableWalk(), createEnvironment().os),
      turn: () => new Promise((resolve) => setImmediate(resolve)),
      now: sharedNow,
    },
  };
}
