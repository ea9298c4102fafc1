/**
 * Promises that are rejected without a handler at the end of a task: the program receives an `unhandledrejection` event; without
 * a listener they are logged. Deno would end the process; here the call goes on, and its result counts.
 */

import { logAll } from "../inspect/console.ts";
import { PromiseRejectionEvent } from "../web/event-classes.ts";
import { fireGlobally } from "../web/event-target.ts";
import { currentOutcome } from "./outcome.ts";
import {
  bareList,
  mapDelete,
  mapForEach,
  mapSet,
  mapSize,
  PrimordialMap,
  PrimordialPromise,
  promiseThen,
} from "../language/primordials.ts";
import { startTimer } from "../web/timers.ts";

/** Maximum rejections tracked per task. */
const MAX_REJECTED = 1_000;
/** Maximum rejections logged per call, because the log is bounded and belongs to the program. */
const MAX_TOLD = 10;

const rejected = new PrimordialMap<object, unknown>();
/** Whether rejections may exist. A flag is faster than the map, and every call checks three times. */
let mayBeRejected = false;
let told = 0;
/** Rejections found, which wait for their task. */
let untold = bareList<Rejection>();

/** Called by the engine in the middle of the rejecting code, so nothing of a program may run here. */
export function trackRejection(promise: object, reason: unknown, isHandled: number): void {
  if (isHandled !== 0) mapDelete(rejected, promise);
  else if (mapSize(rejected) < MAX_REJECTED) {
    mayBeRejected = true;
    mapSet(rejected, promise, reason);
  }
}

/** Resets the tracking when a call begins. */
export function resetRejections(): void {
  told = 0;
  if (untold.length > 0) untold = bareList<Rejection>();
  if (mayBeRejected) takeRejections();
}

/** Makes the engine come back after its jobs even if it would not, because a tool that returned may have left rejections. */
export function lookAgainForRejections(): void {
  if (mayBeRejected && mapSize(rejected) > 0) promiseThen(new PrimordialPromise((resolve) => resolve(undefined)), ignore, ignore);
}

/** Runs after all jobs. While the call goes on it uses a task of its own, because listeners may begin new jobs. */
export function tellRejections(): void {
  if (untold.length === 0 && !(mayBeRejected && mapSize(rejected) > 0)) return;
  const found = takeRejections();
  for (let index = 0; index < found.length; index++) {
    const one = found[index];
    if (one !== undefined) untold[untold.length] = one;
  }
  if (currentOutcome() !== undefined) forUntold(logRejection);
  else if (untold.length === found.length) startTimer(() => forUntold(fire), 0);
}

function forUntold(tell: (one: Rejection) => void): void {
  const list = untold;
  untold = bareList<Rejection>();
  for (let index = 0; index < list.length; index++) {
    const one = list[index];
    if (one !== undefined) tell(one);
  }
}

interface Rejection {
  readonly promise: object;
  readonly reason: unknown;
}

function takeRejections(): readonly Rejection[] {
  mayBeRejected = false;
  const found = bareList<Rejection>();
  mapForEach(rejected, (reason, promise) => {
    if (found.length < MAX_TOLD) found[found.length] = { promise, reason };
  });
  for (let index = 0; index < found.length; index++) mapDelete(rejected, found[index]?.promise);
  // Rejections above the limit are forgotten.
  if (mapSize(rejected) > 0) forgetAll();
  return found;
}

function forgetAll(): void {
  const promises = bareList<object>();
  mapForEach(rejected, (_reason, promise) => (promises[promises.length] = promise));
  for (let index = 0; index < promises.length; index++) mapDelete(rejected, promises[index]);
}

function fire({ promise, reason }: Rejection): void {
  const event = new PromiseRejectionEvent("unhandledrejection", { __proto__: null, promise, reason, cancelable: true });
  if (fireGlobally(event)) logRejection({ promise, reason });
}

function logRejection({ reason }: Rejection): void {
  if (++told > MAX_TOLD) return;
  try {
    logAll("error", ["Uncaught (in promise)", reason]);
  } catch {
    // The value's own inspection threw.
    logAll("error", ["Uncaught (in promise) a value that cannot be shown"]);
  }
}

function ignore(): void {}
