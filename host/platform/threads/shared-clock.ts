/** A monotonic clock that all threads of the process share. */

const ORIGIN_MS = performance.timeOrigin;

/** Returns milliseconds since the Unix epoch by the monotonic clock. Each thread has its own origin, but the sums agree. */
export function sharedNow(): number {
  return ORIGIN_MS + performance.now();
}
