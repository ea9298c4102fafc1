/**
 * What is kept of the oldest file when the journal is full (SPEC AU3, LV3): acts never push out calls, and no plugin pushes out what
 * another, which has less, has there. Pure.
 */

/** The kind of a row and its plugin: `calls weather`, `acts weather`, `sessions `. */
export type Share = string;

/** Of the whole journal, at most, when it is full. */
const ACTS_PART = 1 / 4;
const SESSIONS_PART = 1 / 8;

/** @param type of an event */
export function shareOf(type: string, plugin: string): Share {
  const kind = type.startsWith("capability.") ? "acts" : type.startsWith("session.") ? "sessions" : "calls";
  return `${kind} ${plugin}`;
}

/**
 * How much of the oldest file each share keeps, its newest first.
 *
 * @param others what the other files hold, @param oldest what it holds, @param target for all together, @param most of the oldest
 */
export function decideKept(
  others: ReadonlyMap<Share, number>,
  oldest: ReadonlyMap<Share, number>,
  { target, most }: { readonly target: number; readonly most: number },
): ReadonlyMap<Share, number> {
  const sizes = new Map(others);
  for (const [share, size] of oldest) sizes.set(share, (sizes.get(share) ?? 0) + size);
  const total = (kind: string): number => sum([...sizes].filter(([share]) => share.startsWith(`${kind} `)).map(([, size]) => size));
  const acts = Math.min(total("acts"), target * ACTS_PART);
  const sessions = Math.min(total("sessions"), target * SESSIONS_PART);
  const budgets: readonly (readonly [kind: string, budget: number])[] = [
    ["calls", target - acts - sessions],
    ["sessions", sessions],
    ["acts", acts],
  ];
  const kept = new Map<Share, number>();
  let left = most;
  for (const [kind, budget] of budgets) {
    const own = [...sizes].filter(([share]) => share.startsWith(`${kind} `)).toSorted(([, a], [, b]) => a - b);
    const level = waterLevel(
      own.map(([, size]) => size),
      budget,
    );
    // Who has least is served first.
    for (const [share] of own) {
      const room = Math.min(left, oldest.get(share) ?? 0, Math.max(0, level - (others.get(share) ?? 0)));
      if (room <= 0) continue;
      kept.set(share, room);
      left -= room;
    }
  }
  return kept;
}

/** The size down to which the largest are cut, so that all fit. @param sizes ascending */
function waterLevel(sizes: readonly number[], budget: number): number {
  let left = budget;
  for (const [index, size] of sizes.entries()) {
    const equal = left / (sizes.length - index);
    if (size > equal) return equal;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
