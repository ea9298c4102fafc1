/** Waits that an abort ends. */

import type { Clock } from "../platform/platform.ts";

/** Resolves to the promise's value, or to `undefined` once the signal aborts. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let end: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
    signal.addEventListener("abort", end, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Resolves once the signal aborts. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Resolves after `ms` milliseconds, or once the signal aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
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
