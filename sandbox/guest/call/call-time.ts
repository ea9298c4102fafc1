/** The time of a call, on the host's monotonic clock. */

import { askWorker } from "./channel.ts";
import { dateNow } from "../language/primordials.ts";

let origin: number | undefined;
let originTime = 0;

/** Milliseconds of the host's clock; only differences are meaningful. */
export function monotonicMs(): number {
  const now = askWorker("clock.monotonic", "{}");
  return typeof now === "number" ? now : 0;
}

/** Offset of the first reading, because programs take 0 for "not yet" and no real process ever reads 0. */
const BEFORE_MS = 1;

/** Milliseconds since a moment shortly before the call's first look at the clock. The load of the image does not show. */
export function performanceNow(): number {
  const now = monotonicMs();
  if (origin === undefined) {
    origin = now - BEFORE_MS;
    originTime = dateNow() - BEFORE_MS;
  }
  return now - origin;
}

/** Returns the start of `performanceNow` in milliseconds since the epoch. */
export function timeOrigin(): number {
  performanceNow();
  return originTime;
}

/** Restarts the time when a call begins. */
export function resetTime(): void {
  origin = undefined;
}
