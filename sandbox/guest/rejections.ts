/**
 * Promises that were rejected and that nobody took care of by the end of the turn: the program hears of them by an
 * `unhandledrejection` event, else the log does. Deno would end the process; a call goes on, and what it answers counts.
 */

import { logAll } from "./console.ts";
import { PromiseRejectionEvent } from "./event-classes.ts";
import { fireGlobally } from "./event-target.ts";
import { currentOutcome } from "./outcome.ts";
import { bareList, mapDelete, mapForEach, mapSet, mapSize, PrimordialMap, PrimordialPromise, promiseThen } from "./primordials.ts";
import { startTimer } from "./timers.ts";

/** Of one turn. */
const MAX_REJECTED = 1_000;
/** Of one call: the log is the program's, and bounded. */
const MAX_TOLD = 10;

const rejected = new PrimordialMap<object, unknown>();
/** Whether there may be any: asking the map takes longer, and every call asks three times. */
let mayBeRejected = false;
let told = 0;
/** Found, and waiting for their task. */
let untold = bareList<Rejection>();

/** The engine tells, in the middle of whatever rejects: nothing of a program's runs here. */
export function trackRejection(promise: object, reason: unknown, isHandled: number): void {
  if (isHandled !== 0) mapDelete(rejected, promise);
  else if (mapSize(rejected) < MAX_REJECTED) {
    mayBeRejected = true;
    mapSet(rejected, promise, reason);
  }
}

/** A call begins. */
export function resetRejections(): void {
  told = 0;
  if (untold.length > 0) untold = bareList<Rejection>();
  if (mayBeRejected) takeRejections();
}

/** Has the engine come back after its jobs where there would be none: a tool that has returned may have left some. */
export function lookAgainForRejections(): void {
  if (mayBeRejected && mapSize(rejected) > 0) promiseThen(new PrimordialPromise((resolve) => resolve(undefined)), ignore, ignore);
}

/** After all jobs. While the call goes on, in a task of its own: listeners may begin new ones. */
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
  // More than are told are forgotten.
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
    // Its own inspection threw.
    logAll("error", ["Uncaught (in promise) a value that cannot be shown"]);
  }
}

function ignore(): void {}
