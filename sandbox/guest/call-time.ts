/** The time of a call, on the host's monotonic clock. */

import { askWorker } from "./channel.ts";
import { dateNow } from "./primordials.ts";

let origin: number | undefined;
let originTime = 0;

/** Milliseconds of the host's clock; only differences mean something. */
export function monotonicMs(): number {
  const now = askWorker("clock.monotonic", "{}");
  return typeof now === "number" ? now : 0;
}

/** Programs take 0 for "not yet"; no process has ever seen it. */
const BEFORE_MS = 1;

/** Milliseconds since a moment before the call first looked at the clock: nothing of the image's load shows. */
export function performanceNow(): number {
  const now = monotonicMs();
  if (origin === undefined) {
    origin = now - BEFORE_MS;
    originTime = dateNow() - BEFORE_MS;
  }
  return now - origin;
}

/** When that moment was, in milliseconds since the epoch. */
export function timeOrigin(): number {
  performanceNow();
  return originTime;
}

/** A new call begins: time starts again. */
export function resetTime(): void {
  origin = undefined;
}
