/** Judges whether memory use is flat. */

import { median } from "../../bench/measure.ts";

const MIB = 2 ** 20;
/** Maximum growth of the last quarter's median over the second's, plus slack for allocators and threads. */
export const FLAT: { readonly growth: number; readonly slackBytes: number } = { growth: 1.1, slackBytes: 16 * MIB };
/** Minimum number of samples for a verdict. */
export const ENOUGH_SAMPLES = 16;

/** Returns the problem with samples of resident memory, taken at rest after a collection. Undefined if they are flat, or too few. */
export function judgeMemory(samples: readonly number[]): string | undefined {
  if (samples.length < ENOUGH_SAMPLES) return undefined;
  const quarter = Math.floor(samples.length / 4);
  const early = median(samples.slice(quarter, 2 * quarter));
  const late = median(samples.slice(-quarter));
  if (late <= early * FLAT.growth + FLAT.slackBytes) return undefined;
  return `Resident memory grew from ${toMb(early)} (median of the second quarter) to ${toMb(late)} (of the last)`;
}

/** Maximum ratio of resident memory at rest after the traffic to that before it. */
export const RETURNED = 1.2;

/** Returns the problem with resident memory at rest after the traffic, compared with that before it. */
export function judgeRest({ beforeBytes, afterBytes }: AtRest): string | undefined {
  if (afterBytes <= beforeBytes * RETURNED) return undefined;
  return `Resident memory at rest was ${toMb(beforeBytes)} before the traffic and is ${toMb(afterBytes)} after it`;
}

export interface AtRest {
  readonly beforeBytes: number;
  readonly afterBytes: number;
}

export function toMb(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MB`;
}
