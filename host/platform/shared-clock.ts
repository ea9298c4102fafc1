/** A monotonic clock that all threads of the process share. */

/** Milliseconds since the Unix epoch by the monotonic clock: each thread counts from its own origin, the sum agrees. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}
