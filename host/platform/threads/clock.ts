/** Time on Node and Deno. */

import type { Clock } from "../platform.ts";
import { sharedNow } from "./shared-clock.ts";

/** Longest timer delay, a signed 32-bit number; longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createClock(): Clock {
  return { now: () => Date.now(), monotonic: sharedNow, after: startTimer, keepAlive };
}

let held = 0;
let holding: NodeJS.Timeout | undefined;

/** Keeps the process alive with one timer that all holders share. */
function keepAlive(): () => void {
  held += 1;
  holding ??= setInterval(() => {}, LONGEST_TIMER_MS);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    held -= 1;
    if (held > 0) return;
    clearInterval(holding);
    holding = undefined;
  };
}

function startTimer(delayMs: number, task: () => void): () => void {
  let cancelled = false;
  let timer: NodeJS.Timeout | undefined;
  wait(delayMs);
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };

  function wait(remainingMs: number): void {
    const stepMs = Math.min(remainingMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      if (cancelled) return;
      if (remainingMs > stepMs) wait(remainingMs - stepMs);
      else task();
    }, stepMs);
    timer.unref();
  }
}
