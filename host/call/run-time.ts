/** Remaining time of a run. During a confirmation the time stands still and the slot goes to other calls (SPEC D4, E7). */

import type { Clock } from "../platform/platform.ts";
import type { LendSlot } from "./session.ts";

export interface RunTime {
  leftMs(): number;
  /** Returns how long the time has stood still. */
  stoodMs(): number;
  /** Calls `onOver` when the time is over; returns a function that cancels this. */
  whenOver(onOver: () => void): () => void;
  /**
   * Stops the time for a confirmation. Call the returned function once when it ends; its promise resolves when the run has its slot again.
   */
  standStill(): () => Promise<void>;
}

interface RunTimeOptions {
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** End of the run on the monotonic clock. */
  readonly endsAtMs: number;
  /** Called at the start of each confirmation; the returned function is called at its end. */
  readonly asking?: (() => () => void) | undefined;
  /** Absent if the run holds no slot. */
  readonly slot?: { readonly lend: LendSlot };
  /** The run's signal. */
  readonly signal: AbortSignal;
}

export function createRunTime({ clock, endsAtMs, asking, slot, signal }: RunTimeOptions): RunTime {
  let endsAt = endsAtMs;
  let stoppedAt: number | undefined;
  let questions = 0;
  let takeBack: ReturnType<LendSlot> | undefined;
  let asked: (() => void) | undefined;
  let watch: (() => void) | undefined;
  let unwatch = (): void => {};

  const leftMs = (): number => endsAt - (stoppedAt ?? clock.monotonic());
  const stoodMs = (): number => endsAt - endsAtMs + (stoppedAt === undefined ? 0 : clock.monotonic() - stoppedAt);

  function goOn(): void {
    if (stoppedAt !== undefined) endsAt += clock.monotonic() - stoppedAt;
    stoppedAt = undefined;
    unwatch();
    if (watch !== undefined) unwatch = clock.after(Math.max(0, leftMs()), watch);
  }

  return {
    leftMs,
    stoodMs,
    whenOver(onOver) {
      watch = onOver;
      if (stoppedAt === undefined) goOn();
      return () => {
        watch = undefined;
        unwatch();
      };
    },
    standStill() {
      questions += 1;
      if (questions === 1) {
        stoppedAt ??= clock.monotonic();
        unwatch();
        takeBack = slot?.lend();
        asked = asking?.();
      }
      return async () => {
        questions -= 1;
        if (questions > 0) return;
        asked?.();
        asked = undefined;
        await takeBack?.(signal);
        // Another confirmation may have begun meanwhile.
        if (questions === 0) goOn();
      };
    },
  };
}
