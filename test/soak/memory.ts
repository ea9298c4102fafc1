/** Whether memory is flat. */

import { median } from "../../bench/measure.ts";

const MIB = 2 ** 20;
/** The last quarter's median may be above the second's by a tenth, and by what allocators and threads make of chance. */
export const FLAT: { readonly growth: number; readonly slackBytes: number } = { growth: 1.1, slackBytes: 16 * MIB };
/** With fewer samples than this nothing is said. */
export const ENOUGH_SAMPLES = 16;

/** What is wrong with samples of resident memory, taken at rest after a collection; undefined: flat, or too few to say. */
export function judgeMemory(samples: readonly number[]): string | undefined {
  if (samples.length < ENOUGH_SAMPLES) return undefined;
  const quarter = Math.floor(samples.length / 4);
  const early = median(samples.slice(quarter, 2 * quarter));
  const late = median(samples.slice(-quarter));
  if (late <= early * FLAT.growth + FLAT.slackBytes) return undefined;
  return `Resident memory grew from ${toMb(early)} (median of the second quarter) to ${toMb(late)} (of the last)`;
}

/** As much more than before the traffic may be resident after it, at rest. */
export const RETURNED = 1.2;

/** What is wrong with resident memory at rest after the traffic, against that at rest before it. */
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
