/** A monotonic clock that all threads of the process share. */

const ORIGIN_MS = performance.timeOrigin;

/** Milliseconds since the Unix epoch by the monotonic clock: each thread counts from its own origin, the sum agrees. */
export function sharedNow(): number {
  return ORIGIN_MS + performance.now();
}
