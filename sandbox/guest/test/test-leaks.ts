/** Leaks of a test: timers that still wait, operations that were not awaited. */

import { pendingOperations } from "../call/channel.ts";
import { arrayJoin, bareList, mapForEach, mapHas, PrimordialPromise } from "../language/primordials.ts";
import { startTimer, stopTimer, waitingTimers } from "../web/timers.ts";

/** Timers and operations before the test. */
export interface LeakMark {
  readonly timers: ReadonlyMap<number, string>;
  readonly operations: ReadonlyMap<number, string>;
}

export function markLeaks(): LeakMark {
  return { timers: waitingTimers(), operations: pendingOperations() };
}

/** Returns Deno's message, or undefined if nothing leaked. Timers that are due run first. */
export async function leaksSince(mark: LeakMark): Promise<string | undefined> {
  const operations = pendingOperations();
  for (let turn = 0; turn < 2; turn++) await new PrimordialPromise<void>((resolve) => void startTimer(resolve, 0));
  const lines = bareList<string>();
  const timers = countNew(waitingTimers(), mark.timers);
  if (timers > 0) {
    const some = timers === 1 ? "A timer was" : `${timers} timers were`;
    lines[lines.length] = `  - ${some} started in this test, but never completed. This is often caused by not calling \`clearTimeout\`.`;
  }
  mapForEach(operations, (operation, id) => {
    if (mapHas(mark.operations, id) || operation === "progress") return;
    lines[lines.length] =
      `  - An async operation ("${operation}") was started in this test, but never completed. This is often caused by not awaiting the result of a call.`;
  });
  return lines.length === 0 ? undefined : `Leaks detected:\n${arrayJoin(lines, "\n")}`;
}

/** Drops the leaks, so that they do not affect the next test. */
export function forgetLeaks(mark: LeakMark): void {
  mapForEach(waitingTimers(), (_delay, id) => {
    if (!mapHas(mark.timers, id)) stopTimer(id);
  });
}

function countNew(now: ReadonlyMap<number, string>, before: ReadonlyMap<number, string>): number {
  let count = 0;
  mapForEach(now, (_value, id) => {
    if (!mapHas(before, id)) count += 1;
  });
  return count;
}
