/**
 * A clock that advances only while the host gets to run.
 *
 * A writer empties a file and then fills it, and on a loaded machine it may get no processor in between. The host gets none then either, so
 * a wait by this clock gives the writer as much processor time as on an idle machine.
 */

import type { Clock } from "../../platform/platform.ts";

/** Interval of its checks while something waits. */
const LOOK_EVERY_MS = 5;

/** Maximum time counted between two checks. Above `LOOK_EVERY_MS`, because timers are a little late. */
const MAX_STEP_MS = 10;

interface Wait {
  readonly dueMs: number;
  readonly task: () => void;
}

/** Creates a clock that equals `clock` on an idle machine. All waits share one timer. */
export function createOwnClock(clock: Pick<Clock, "monotonic" | "after">): Pick<Clock, "monotonic" | "after"> {
  const waits = new Set<Wait>();
  let passedMs = 0;
  let lastLookMs = clock.monotonic();
  let timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  function monotonic(): number {
    const now = clock.monotonic();
    // Checks are made only while something waits.
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
      // Skips waits that the task of another wait cancelled.
      else if (waits.delete(wait)) wait.task();
    }
    if (waits.size > 0) lookBy(soonestMs);
  }

  return { monotonic, after };
}
