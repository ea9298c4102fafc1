/**
 * The host's own time, which only advances while the host itself gets to run.
 *
 * Wall time cannot show whether a thread hangs: on a loaded machine, work of a tenth of a second may take ten seconds. But then the
 * host's checks are rarer too. So each check counts for at most the interval between two checks, however late it is. On an idle machine
 * both times are equal; at a load of 14 per processor, wall time runs ten times as fast.
 */

import { WATCH_EVERY_MS } from "./watchdog.ts";
import type { WorkerLauncher } from "../wire/port.ts";

export class UsedTime {
  #passedMs = 0;
  #lastTick = Number.NEGATIVE_INFINITY;

  get passedMs(): number {
    return this.#passedMs;
  }

  /**
   * Advances the time. Called every `WATCH_EVERY_MS`, or later if the host is delayed. @returns the milliseconds of own time that have
   * passed
   */
  tick(now: number): number {
    const stepMs = Math.min(now - this.#lastTick, WATCH_EVERY_MS);
    this.#lastTick = now;
    this.#passedMs += stepMs;
    return stepMs;
  }
}

/** Runs the task after `delayMs` of the host's own time, if `isAwaited` is still true. Does not keep the process alive. */
export function afterUsedTime(
  clock: Pick<WorkerLauncher, "now" | "after">,
  delayMs: number,
  isAwaited: () => boolean,
  task: () => void,
): void {
  const time = new UsedTime();
  const look = (): void => {
    time.tick(clock.now());
    if (!isAwaited()) return;
    if (time.passedMs >= delayMs) return task();
    clock.after(WATCH_EVERY_MS, look);
  };
  clock.after(WATCH_EVERY_MS, look);
}
