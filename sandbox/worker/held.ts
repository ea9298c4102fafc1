/** Bounds the memory that waiting calls on one worker may hold, and selects the call to end if they hold more. */

/** Above this size one call is ended. Calls that already run may grow beyond `FULL_BYTES`. */
export const MAXIMUM_HELD_BYTES: number = 512 * 1024 * 1024;

interface Holder {
  readonly digest: string;
  readonly heldBytes: number;
}

/**
 * Returns the largest call of the plugin that holds the most memory in total. So a plugin with many small calls is charged for them, and
 * not a plugin with one large call. Returns undefined if only one call holds memory, because a call is within its own limit.
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
