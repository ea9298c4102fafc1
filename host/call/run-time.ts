/** How long a run may still last. While a person is asked, its time stands still and its slot goes to others (SPEC D4, E7). */

import type { Clock } from "../platform/platform.ts";
import type { LendSlot } from "./session.ts";

export interface RunTime {
  leftMs(): number;
  /** How long it has stood still. */
  stoodMs(): number;
  /** Tells when the time is over; returns how to stop that. */
  whenOver(onOver: () => void): () => void;
  /** A person is asked. What it returns is to be called once, when that is over, and resolves when the run has its slot again. */
  standStill(): () => Promise<void>;
}

export interface RunTimeOptions {
  readonly clock: Pick<Clock, "after" | "monotonic">;
  /** On the monotonic clock. */
  readonly endsAtMs: number;
  /** Told of each wait for a person; what it returns is called at its end. */
  readonly asking?: (() => () => void) | undefined;
  /** Absent where the run holds none. */
  readonly slot?: { readonly lend: LendSlot };
  /** Of the run. */
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
        // Another question may stand by now.
        if (questions === 0) goOn();
      };
    },
  };
}
