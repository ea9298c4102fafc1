/** Times as a distance from now, for users. */

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** Returns a text such as `3 min ago`. */
export function agoText(ms: number): string {
  const found = UNITS.find(([, unit]) => ms >= unit);
  return found === undefined ? "just now" : `${Math.floor(ms / found[1])} ${found[0]} ago`;
}
