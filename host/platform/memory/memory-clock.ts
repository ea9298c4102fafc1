/** A clock that stands still until it is told to go on. */

import type { Clock } from "../platform.ts";

export interface MemoryClock extends Clock {
  /** Moves time on, running the timers that fall due in order, each at its own time. */
  advance(byMs: number): void;
  /** Moves time on as for a process that gets no processor: the timers that fall due run late, in order, at the end. */
  stall(byMs: number): void;
}

export function createMemoryClock(startMs: number): MemoryClock {
  let nowMs = startMs;
  let timers: { readonly dueMs: number; readonly task: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs - startMs,
    after(delayMs, task) {
      const timer = { dueMs: nowMs + Math.max(0, delayMs), task };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    keepAlive: () => () => {},
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (let next = earliest(); next !== undefined && next.dueMs <= untilMs; next = earliest()) {
        const due = next;
        timers = timers.filter((timer) => timer !== due);
        nowMs = due.dueMs;
        due.task();
      }
      nowMs = untilMs;
    },
    stall(byMs) {
      nowMs += byMs;
      for (let next = earliest(); next !== undefined && next.dueMs <= nowMs; next = earliest()) {
        const due = next;
        timers = timers.filter((timer) => timer !== due);
        due.task();
      }
    },
  };

  function earliest(): (typeof timers)[number] | undefined {
    // The first of equals: `toSorted` is stable.
    return timers.toSorted((a, b) => a.dueMs - b.dueMs)[0];
  }
}
