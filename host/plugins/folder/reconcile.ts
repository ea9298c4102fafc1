/** Looks at everything again and again, seldom enough to cost under 1 % of a core (SPEC H3). */

import type { Clock } from "../../platform/platform.ts";

export interface ReconcileOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** One look at everything. */
  readonly look: () => Promise<void>;
  /** Cost of the look before the first pause, in milliseconds: another one at once would cost a host of 1,000 plugins 2 % of its first 20 s. */
  readonly costMs: number;
  /** Whether another folder stands in the place of one that the last look saw: then the next one does not wait. Cheap: asked every half second. */
  readonly isReplaced: () => Promise<boolean>;
  readonly onDefect: (defect: unknown) => void;
}

/** The pause after a look that cost next to nothing. */
const RECONCILE_MS = 2_000;

/** Between two questions whether a root is another folder now. */
const ROOTS_MS = 500;

/** A look takes at most this part of the wall time; the threads that look at files for it use up to 2.5 times as much of a core (SPEC H3). */
const SHARE = 0.004;

/** A slow disk must not stop the looking altogether. */
const LONGEST_PAUSE_MS = 600_000;

/** Goes on looking, first after one pause; ends with the signal. Resolves when the last look has ended. */
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
 * How long to wait after looks that took `costs` milliseconds, the last one last.
 *
 * The least of the last three counts: it is wall time, and whatever else the machine does only adds to it.
 */
export function nextPause(costs: readonly number[]): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(RECONCILE_MS, Math.min(...costs) / SHARE));
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
