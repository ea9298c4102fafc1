/**
 * Keeps the process alive until a requested operation has settled (SPEC I1).
 *
 * Timers, idle workers and idle servers of a host do not keep the process alive, so that a program ends without `close()`. A program that
 * only awaits a call has nothing else to wait for, and the runtime would end it before the call's deadline.
 */

import type { Clock } from "../platform/platform.ts";

/** Keeps the process alive until the promise has settled; returns the promise. */
export function keptAlive<T>(clock: Pick<Clock, "keepAlive">, work: Promise<T>): Promise<T> {
  const letGo = clock.keepAlive();
  void work.then(letGo, letGo);
  return work;
}

/** Returns the same object; from now on each promise that its functions return keeps the process alive until it has settled. */
export function keepingAlive<T extends object>(clock: Pick<Clock, "keepAlive">, acts: T): T {
  const members: readonly (readonly [string, unknown])[] = Object.entries(acts);
  for (const [name, act] of members) {
    if (typeof act !== "function") continue;
    Reflect.set(acts, name, (...args: readonly unknown[]): unknown => {
      const returned: unknown = Reflect.apply(act, acts, args);
      return returned instanceof Promise ? keptAlive(clock, returned) : returned;
    });
  }
  return acts;
}
