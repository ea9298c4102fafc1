/** A clock that only moves when a test advances it. */

import type { Clock } from "../platform.ts";

export interface MemoryClock extends Clock {
  /** Advances the time and runs due timers in order, each at its own time. */
  advance(byMs: number): void;
  /** Advances the time as for a process without processor time: due timers run late, in order, at the end. */
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
    // Returns the first of equals, because `toSorted` is stable.
    return timers.toSorted((a, b) => a.dueMs - b.dueMs)[0];
  }
}
