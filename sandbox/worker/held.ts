/** How much memory the calls that wait on one worker may hold, and which of them has to end when it is more. */

/** From here on a worker begins no further call, until some have ended. A call that runs may have its own limit on top. */
export const FULL_BYTES: number = 256 * 1024 * 1024;
/** Calls that were begun may grow afterwards; beyond this one has to end. */
export const MAXIMUM_HELD_BYTES: number = 512 * 1024 * 1024;

export interface Holder {
  readonly digest: string;
  readonly heldBytes: number;
}

/**
 * Of the plugin that holds the most, the call that does: a plugin with many calls pays for them, however small each is,
 * and not one whose single call is larger. Undefined where only one call holds anything: a call is within its own limit.
 */
export function whoHoldsMost<H extends Holder>(holders: Iterable<H>): H | undefined {
  const sums = new Map<string, { bytes: number; largest: H }>();
  let count = 0;
  for (const holder of holders) {
    const { digest, heldBytes } = holder;
    if (heldBytes === 0) continue;
    count++;
    const sum = sums.get(digest);
    sums.set(digest, {
      bytes: heldBytes + (sum?.bytes ?? 0),
      largest: sum !== undefined && sum.largest.heldBytes >= heldBytes ? sum.largest : holder,
    });
  }
  if (count < 2) return undefined;
  let most: { bytes: number; largest: H } | undefined;
  for (const sum of sums.values()) if (most === undefined || sum.bytes > most.bytes) most = sum;
  return most?.largest;
}
