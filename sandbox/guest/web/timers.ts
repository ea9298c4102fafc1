/** Timers and `queueMicrotask` (https://html.spec.whatwg.org/#timers). The guest keeps them; the engine polls for the next due time. */

import { callLimit } from "../call/call-facts.ts";
import { monotonicMs } from "../call/call-time.ts";
import { tellWorker } from "../call/channel.ts";
import { finish } from "../call/outcome.ts";
import {
  argumentAt,
  bareList,
  type Callable,
  mapDelete,
  mapForEach,
  mapGet,
  mapSet,
  mapSize,
  mathCeil,
  mathMax,
  mathMin,
  PrimordialMap,
  PrimordialPromise,
  PrimordialRangeError,
  PrimordialTypeError,
  promiseThen,
  reflectApply,
  reflectDefineProperty,
} from "../language/primordials.ts";
import { reportUncaught } from "./uncaught.ts";
import { exposeFunction, requireArguments } from "./webidl.ts";

interface Timer {
  readonly id: number;
  readonly run: () => void;
  readonly delay: number;
  readonly repeats: boolean;
  due: number;
  /** Index in the heap. */
  place: number;
}

const MAX_DELAY = 2 ** 31 - 1;
const MAX_TIMERS = 1_000;

let nextId = 1;
/** Timers of the load have smaller ids. */
let firstOfCalls = 1;
let most = 0;
const byId = new PrimordialMap<number, Timer>();
/** Ordered by due time, then by id: `heap[0]` is next. */
const heap = bareList<Timer>();

/** Restarts the timers of the load when a call begins, because the clock stood still before. */
export function rebaseTimers(): void {
  most = heap.length;
  if (heap.length === 0) return;
  const now = monotonicMs();
  for (let index = 0; index < heap.length; index++) {
    const timer = heap[index];
    if (timer !== undefined) timer.due = now + timer.delay;
  }
  for (let index = heap.length >> 1; index >= 0; index--) sink(index);
}

/** Marks the end of the load: later timers belong to a call. */
export function endLoadTimers(): void {
  firstOfCalls = nextId;
}

/** Drops the timers of an earlier call of a stateful plugin. */
export function dropTimers(): void {
  const left = bareList<Timer>();
  mapForEach(byId, (timer) => {
    if (timer.id >= firstOfCalls) left[left.length] = timer;
  });
  for (let index = 0; index < left.length; index++) {
    const timer = left[index];
    if (timer !== undefined) forget(timer);
  }
}

/** Returns whether the timer still waits; it may have been dropped with its call. */
export function isTimerWaiting(id: number): boolean {
  return mapGet(byId, id) !== undefined;
}

/** Returns the maximum number of timers that waited at once so far. */
export function mostTimers(): number {
  return most;
}

/** Returns milliseconds until the next timer, or undefined. */
export function untilNextTimer(): number | undefined {
  const next = heap[0];
  return next === undefined ? undefined : mathMax(0, mathCeil(next.due - monotonicMs()));
}

/** Runs the first timer that is due, if any. */
export function runDueTimer(): void {
  const timer = heap[0];
  if (timer === undefined || timer.due > monotonicMs()) return;
  if (timer.repeats) {
    timer.due = monotonicMs() + mathMax(timer.delay, 1);
    sink(0);
  } else {
    forget(timer);
  }
  try {
    timer.run();
  } catch (error) {
    reportUncaught(error);
  }
}

/** Calls `run` after `delay` milliseconds. @returns the timer's id */
export function startTimer(run: () => void, delay: number, repeats = false): number {
  const maxTimers = timerLimit();
  if (mapSize(byId) >= maxTimers) {
    finish(`l{"limit":"timers","allowed":${maxTimers}}`);
    // Ends the call now, because a program that catches the error could run on.
    tellWorker("timers");
    throw new PrimordialRangeError(`Cannot start a timer: ${maxTimers} are waiting already`);
  }
  const timer: Timer = { id: nextId++, run, delay, repeats, due: monotonicMs() + delay, place: heap.length };
  mapSet(byId, timer.id, timer);
  heap[timer.place] = timer;
  rise(timer.place);
  most = mathMax(most, heap.length);
  return timer.id;
}

/** Returns `limits.timers` of the call, at most the hard ceiling. */
function timerLimit(): number {
  return mathMin(callLimit("timers") ?? MAX_TIMERS, MAX_TIMERS);
}

/** Returns the ids of the waiting timers as keys of a new map. */
export function waitingTimers(): Map<number, string> {
  const waiting = new PrimordialMap<number, string>();
  mapForEach(byId, (_timer, id) => {
    mapSet(waiting, id, "");
  });
  return waiting;
}

export function stopTimer(id: number): void {
  const timer = mapGet(byId, id);
  if (timer !== undefined) forget(timer);
}

function forget(timer: Timer): void {
  mapDelete(byId, timer.id);
  const last = heap.length - 1;
  const moved = heap[last];
  const { place } = timer;
  heap.length = last;
  if (place === last || moved === undefined) return;
  put(moved, place);
  rise(place);
  sink(moved.place);
}

function put(timer: Timer, place: number): void {
  heap[place] = timer;
  timer.place = place;
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.id < b.id);
}

function rise(place: number): void {
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const timer = heap[place];
    const above = heap[parent];
    if (timer === undefined || above === undefined || !isBefore(timer, above)) return;
    put(timer, parent);
    put(above, place);
    place = parent;
  }
}

function sink(place: number): void {
  for (;;) {
    let first = place;
    for (let child = 2 * place + 1; child <= 2 * place + 2; child++) {
      const below = heap[child];
      const candidate = heap[first];
      if (below !== undefined && candidate !== undefined && isBefore(below, candidate)) first = child;
    }
    const timer = heap[place];
    const below = heap[first];
    if (first === place || timer === undefined || below === undefined) return;
    put(below, place);
    put(timer, first);
    place = first;
  }
}

function start(name: string, given: readonly unknown[], repeats: boolean): number {
  requireArguments(given.length, 1, `execute '${name}'`);
  const callback = argumentAt(given, 0);
  if (typeof callback !== "function") throw new PrimordialTypeError(`Failed to execute '${name}': the callback is not a function`);
  const delay = +(argumentAt(given, 1) as number);
  // A delay outside the range of a 32-bit integer counts as 0, as in Deno and Node.
  const wait = delay >= 0 && delay <= MAX_DELAY ? delay : 0;
  const args = bareList<unknown>();
  for (let index = 2; index < given.length; index++) args[index - 2] = given[index];
  return startTimer(() => void reflectApply(callback as Callable, undefined, args), wait, repeats);
}

function queueMicrotask(callback: unknown): void {
  requireArguments(arguments.length, 1, "execute 'queueMicrotask'");
  if (typeof callback !== "function") throw new PrimordialTypeError("expected a function");
  const settled = new PrimordialPromise<void>((resolve) => resolve());
  // The own `constructor` keeps `then` from a species lookup, which a plugin may have replaced.
  reflectDefineProperty(settled, "constructor", { __proto__: null, value: undefined } as PropertyDescriptor);
  promiseThen(settled, () => runMicrotask(callback as Callable), ignore);
}

function runMicrotask(callback: Callable): void {
  try {
    reflectApply(callback, undefined, []);
  } catch (error) {
    reportUncaught(error);
  }
}

function ignore(): void {}

export function installTimers(global: object): void {
  for (const [name, repeats] of [
    ["setTimeout", false],
    ["setInterval", true],
  ] as const) {
    exposeFunction(global, name, (...given: unknown[]) => start(name, given, repeats), 2);
  }
  for (const name of ["clearTimeout", "clearInterval"]) exposeFunction(global, name, (id: unknown) => stopTimer(+(id as number)));
  exposeFunction(global, "queueMicrotask", queueMicrotask);
}
