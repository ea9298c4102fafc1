/** Scans everything periodically, rarely enough to cost under 1 % of a core (SPEC H3). */

import type { Clock } from "../../platform/platform.ts";
import { pause } from "../../primitives/until-aborted.ts";

interface ReconcileOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Scans everything once. */
  readonly look: () => Promise<void>;
  /**
   * Cost of the scan before the first pause, in milliseconds: another one at once would cost a host of 1,000 plugins 2 % of its first 20 s.
   */
  readonly costMs: number;
  /**
   * Returns whether a root was replaced by another folder since the last scan; then the next one does not wait. Cheap: called every half
   * second.
   */
  readonly isReplaced: () => Promise<boolean>;
  readonly onDefect: (defect: unknown) => void;
}

/** Pause after a scan that cost next to nothing. */
const RECONCILE_MS = 2_000;

/** Interval of the checks for replaced roots. */
const ROOTS_MS = 500;

/** Share of the wall time that scans may take; the threads that read files for them use up to 2.5 times as much of a core (SPEC H3). */
const SHARE = 0.004;

/** Upper bound of the pause, so that a slow disk does not stop the scans. */
const LONGEST_PAUSE_MS = 600_000;

/** Scans repeatedly, first after one pause, until the signal fires. Resolves when the last scan has ended. */
export async function reconcile(options: ReconcileOptions): Promise<void> {
  const { clock, signal, look, onDefect } = options;
  const costs: number[] = [options.costMs];
  while (!signal.aborted) {
    await pauseUnlessReplaced(nextPause(costs), options);
    if (signal.aborted) return;
    const start = clock.monotonic();
    try {
      await look();
    } catch (defect) {
      onDefect(defect);
    }
    costs.push(clock.monotonic() - start);
    if (costs.length > 3) costs.shift();
  }
}

async function pauseUnlessReplaced(pauseMs: number, { clock, signal, isReplaced, onDefect }: ReconcileOptions): Promise<void> {
  const endMs = clock.monotonic() + pauseMs;
  for (let leftMs = pauseMs; leftMs > 0 && !signal.aborted; leftMs = endMs - clock.monotonic()) {
    await pause(clock, Math.min(ROOTS_MS, leftMs), signal);
    try {
      if (await isReplaced()) return;
    } catch (defect) {
      onDefect(defect);
    }
  }
}

/**
 * Returns the pause after scans that took `costs` milliseconds, the latest one last.
 *
 * The minimum of the last three counts, because other load on the machine only adds to wall time.
 */
export function nextPause(costs: readonly number[]): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(RECONCILE_MS, Math.min(...costs) / SHARE));
}
