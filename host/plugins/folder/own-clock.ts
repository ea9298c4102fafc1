/**
 * A clock that goes on only while the host gets to run.
 *
 * A writer empties a file and then fills it, and on a loaded machine it may get no processor in between. The host gets
 * none then either, so a wait by this clock gives the writer as many turns as on an idle machine.
 */

import type { Clock } from "../../platform/platform.ts";

/** How often it looks while something waits. */
const LOOK_EVERY_MS = 5;

/** The time between two looks counts as this much at most. Above `LOOK_EVERY_MS`, as timers are a little late. */
const MAX_STEP_MS = 10;

interface Wait {
  readonly dueMs: number;
  readonly task: () => void;
}

/** On an idle machine the same as `clock`. Any number of waits share one timer. */
export function createOwnClock(clock: Pick<Clock, "monotonic" | "after">): Pick<Clock, "monotonic" | "after"> {
  const waits = new Set<Wait>();
  let passedMs = 0;
  let lastLookMs = clock.monotonic();
  let timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  function monotonic(): number {
    const now = clock.monotonic();
    // While nothing waits, it does not look.
    passedMs += waits.size === 0 ? now - lastLookMs : Math.min(now - lastLookMs, MAX_STEP_MS);
    lastLookMs = now;
    return passedMs;
  }

  function after(delayMs: number, task: () => void): () => void {
    const wait = { dueMs: monotonic() + delayMs, task };
    waits.add(wait);
    lookBy(wait.dueMs);
    return () => {
      waits.delete(wait);
      if (waits.size === 0) stop();
    };
  }

  function lookBy(wantedMs: number): void {
    const dueMs = Math.min(wantedMs, passedMs + LOOK_EVERY_MS);
    if (timer !== undefined && timer.dueMs <= dueMs) return;
    stop();
    timer = { dueMs, cancel: clock.after(Math.max(0, dueMs - passedMs), look) };
  }

  function stop(): void {
    timer?.cancel();
    timer = undefined;
  }

  function look(): void {
    timer = undefined;
    const now = monotonic();
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const wait of [...waits]) {
      if (wait.dueMs > now) soonestMs = Math.min(soonestMs, wait.dueMs);
      // Not one that the task of another cancelled.
      else if (waits.delete(wait)) wait.task();
    }
    if (waits.size > 0) lookBy(soonestMs);
  }

  return { monotonic, after };
}
