/** The end of a run, the same on every route that runs natively: deadline, cancellation, grace period (SPEC T2, T3). */

import type { Clock } from "../platform/platform.ts";
import type { RunTime } from "../call/run-time.ts";

/** Why a run was told to end. */
type StopReason = "timeout" | "cancelled";

/** How a run ended: by itself or stopped. `late` is a result that arrived within the grace period. */
export type InTime<T> =
  | { readonly kind: "ended"; readonly value: T }
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly late?: T };

interface StopOptions {
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  readonly time: Pick<RunTime, "whenOver">;
  readonly graceMs: number;
  /** Tells the tool to stop. */
  readonly onStop: (reason: StopReason) => void;
}

/** Default grace period of a tool that was told to stop. */
export const DEFAULT_GRACE_MS = 3_000;

/** Settles when the run has ended or its grace period is over. @param finished never rejects */
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

/** Returns the reason that a stopped tool's signal carries. */
export function stopError(reason: StopReason): DOMException {
  return reason === "timeout"
    ? new DOMException("The tool ran out of time", "TimeoutError")
    : new DOMException("The call was cancelled", "AbortError");
}

/** Resolves with whichever settles first, `finished` or the reason from `watch`. `watch` returns a function that stops watching. */
async function firstOf<T, R extends string>(finished: Promise<T>, watch: (settle: (reason: R) => void) => () => void): Promise<T | R> {
  return await new Promise<T | R>((resolve) => {
    const unwatch = watch(resolve);
    void finished.then((ending) => {
      unwatch();
      resolve(ending);
    });
  });
}
