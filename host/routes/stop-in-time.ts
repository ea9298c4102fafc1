/** The end of a run, the same on every route that runs natively: deadline, cancellation, grace period (SPEC T2, T3). */

import type { Clock } from "../platform/platform.ts";
import type { RunTime } from "../call/run-time.ts";

/** Why a run was told to end. */
export type StopReason = "timeout" | "cancelled";

/** How it ended: by itself, or told to; `late` is what it still came to in its grace period. */
export type InTime<T> =
  | { readonly kind: "ended"; readonly value: T }
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly late?: T };

export interface StopOptions {
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  readonly time: Pick<RunTime, "whenOver">;
  readonly graceMs: number;
  /** Tells the tool. */
  readonly onStop: (reason: StopReason) => void;
}

/** How long a tool may take to end after it was told to. */
export const DEFAULT_GRACE_MS = 3_000;

/** Settles when the run has ended, or when its grace period has. @param finished never rejects */
export async function stopInTime<T>(finished: Promise<T>, options: StopOptions): Promise<InTime<T>> {
  const { clock, signal, time, graceMs, onStop } = options;
  const ended = finished.then((value) => ({ kind: "ended", value }) as const);
  const first = await firstOf<InTime<T> & { readonly kind: "ended" }, StopReason>(ended, (settle) => {
    const stopTimer = time.whenOver(() => settle("timeout"));
    const cancel = (): void => settle("cancelled");
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    return () => {
      stopTimer();
      signal.removeEventListener("abort", cancel);
    };
  });
  if (typeof first === "object") return first;
  onStop(first);
  const last = await firstOf<InTime<T> & { readonly kind: "ended" }, "abandoned">(ended, (settle) =>
    clock.after(graceMs, () => settle("abandoned")),
  );
  return { kind: "stopped", reason: first, ...(typeof last === "object" && { late: last.value }) };
}

/** What a tool is told it was stopped for. */
export function stopError(reason: StopReason): DOMException {
  return reason === "timeout"
    ? new DOMException("The tool ran out of time", "TimeoutError")
    : new DOMException("The call was cancelled", "AbortError");
}

/** What settles first: `finished`, or what `watch` says. `watch` returns how to stop watching. */
async function firstOf<T, R extends string>(finished: Promise<T>, watch: (settle: (reason: R) => void) => () => void): Promise<T | R> {
  return await new Promise<T | R>((resolve) => {
    const unwatch = watch(resolve);
    void finished.then((ending) => {
      unwatch();
      resolve(ending);
    });
  });
}
