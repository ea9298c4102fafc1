/**
 * Decides which rows of the oldest file are kept when the journal is full (SPEC AU3, LV3). Acts never displace calls, no plugin displaces
 * rows of a plugin that holds less, and no caller those of a caller that holds less of the same plugin. Pure.
 */

/** Kind and plugin of a row: `calls weather`, `acts weather`, `sessions `. */
export type Share = string;

/**
 * Returns the group of a caller, `0` to `63`, because there may be as many callers as sessions. The callers of a group share their room.
 *
 * @param caller owner of the session, or the session's id if no owner is known
 */
export function callerGroup(caller: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < caller.length; index++) hash = Math.imul(hash ^ caller.charCodeAt(index), FNV_PRIME);
  return String((hash >>> 0) % CALLER_GROUPS);
}

/** FNV-1a, 32 bits. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const CALLER_GROUPS = 64;

/** Maximum parts of a full journal. */
const ACTS_PART = 1 / 4;
const SESSIONS_PART = 1 / 8;

/** @param type of the event */
export function shareOf(type: string, plugin: string): Share {
  const kind = type.startsWith("capability.") ? "acts" : type.startsWith("session.") ? "sessions" : "calls";
  return `${kind} ${plugin}`;
}

/** Characters of each share, by caller group. */
export type Holdings = ReadonlyMap<Share, ReadonlyMap<string, number>>;

/**
 * Returns the characters of the oldest file that each caller of each share keeps, its newest rows first.
 *
 * @param others contents of the other files
 * @param oldest contents of the oldest file
 * @param bounds `target` for all files together, `most` for the oldest
 */
export function decideKept(
  others: Holdings,
  oldest: Holdings,
  { target, most }: { readonly target: number; readonly most: number },
): ReadonlyMap<Share, Map<string, number>> {
  const sizes = new Map([...others.keys(), ...oldest.keys()].map((share) => [share, sizesOf(others.get(share), oldest.get(share))]));
  const ofKind = (kind: string): Sized[] =>
    [...sizes].filter(([share]) => share.startsWith(`${kind} `)).map(([share, callers]) => [share, sum(callers.map(([, size]) => size))]);
  const total = (kind: string): number => sum(ofKind(kind).map(([, size]) => size));
  const acts = Math.min(total("acts"), target * ACTS_PART);
  const sessions = Math.min(total("sessions"), target * SESSIONS_PART);
  const budgets: readonly (readonly [kind: string, budget: number])[] = [
    ["calls", target - acts - sessions],
    ["sessions", sessions],
    ["acts", acts],
  ];
  const kept = new Map<Share, Map<string, number>>();
  let left = most;
  for (const [kind, budget] of budgets) {
    // The smallest holders are served first.
    for (const [share, allowed] of leveled(ofKind(kind), budget)) {
      for (const [caller, part] of leveled(sizes.get(share) ?? [], allowed)) {
        const room = Math.min(left, oldest.get(share)?.get(caller) ?? 0, Math.max(0, part - (others.get(share)?.get(caller) ?? 0)));
        if (room <= 0) continue;
        kept.set(share, (kept.get(share) ?? new Map<string, number>()).set(caller, room));
        left -= room;
      }
    }
  }
  return kept;
}

type Sized = readonly [name: string, size: number];

function sizesOf(others: ReadonlyMap<string, number> = NOTHING, oldest: ReadonlyMap<string, number> = NOTHING): Sized[] {
  return [...new Set([...others.keys(), ...oldest.keys()])].map((name) => [name, (others.get(name) ?? 0) + (oldest.get(name) ?? 0)]);
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Sorts the sizes ascending and cuts the largest to one level, so that all fit. */
function leveled(sizes: readonly Sized[], budget: number): readonly Sized[] {
  const own = sizes.toSorted(([, a], [, b]) => a - b);
  const level = waterLevel(
    own.map(([, size]) => size),
    budget,
  );
  return own.map(([name, size]) => [name, Math.min(size, level)]);
}

/** Returns the size to which the largest are cut, so that all fit. @param sizes ascending */
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
