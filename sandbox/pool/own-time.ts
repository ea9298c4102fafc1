/**
 * The host's own time, which goes on only while the host itself gets to run.
 *
 * Whether something of ours hangs cannot be told by the clock: where many want the processor, what takes a tenth of a second takes ten.
 * But then the host gets to look less often too. So each of its looks counts for what lies between two of them at most, however late it
 * comes: with nothing else to do both times are the same, and at a load of 14 for each processor the clock goes ten times as fast.
 */

import { WATCH_EVERY_MS } from "./watchdog.ts";
import type { WorkerLauncher } from "../worker/port.ts";

export class OwnTime {
  #passedMs = 0;
  #lastTick = Number.NEGATIVE_INFINITY;

  get passedMs(): number {
    return this.#passedMs;
  }

  /** To be called every `WATCH_EVERY_MS`, or when the host gets to it. @returns how much of its time has passed since. */
  tick(now: number): number {
    const stepMs = Math.min(now - this.#lastTick, WATCH_EVERY_MS);
    this.#lastTick = now;
    this.#passedMs += stepMs;
    return stepMs;
  }
}

/** Runs the task after so much of the host's own time, if it is still waited for then. Keeps no process alive. */
export function afterOwnTime(
  clock: Pick<WorkerLauncher, "now" | "after">,
  delayMs: number,
  isAwaited: () => boolean,
  task: () => void,
): void {
  const time = new OwnTime();
  const look = (): void => {
    time.tick(clock.now());
    if (!isAwaited()) return;
    if (time.passedMs >= delayMs) return task();
    clock.after(WATCH_EVERY_MS, look);
  };
  clock.after(WATCH_EVERY_MS, look);
}
