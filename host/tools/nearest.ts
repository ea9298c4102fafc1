/** Suggests names that a caller may have meant (SPEC D3). */

import { editDistance } from "../../manifests/mod.ts";
import type { AvailableNames } from "../call/errors.ts";

const MOST = 5;
const LONGEST = 128;
const MAX_DISTANCE = 3;
/** Minimum length of a common part; shorter parts match too many names. */
const SHORTEST_PART = 3;

/** Returns at most 5 of `names`, the nearest to `wanted` first. `wanted` comes from the caller and may be of any length. */
export function nearestNames(wanted: string, names: readonly string[]): AvailableNames {
  const target = comparable(wanted);
  const scored = names.map((name) => ({ name, distance: distanceTo(target, comparable(name)) }));
  scored.sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1));
  return { nearest: scored.slice(0, MOST).map(({ name }) => name), total: names.length };
}

/** Returns the most likely name for "Did you mean …": the nearest, if it is near enough, else the first that contains the input. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const target = comparable(wanted);
  let best: string | undefined;
  let bestDistance = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const name of names) {
    const distance = editDistance(target, comparable(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best ?? (target.length < SHORTEST_PART ? undefined : names.find((name) => comparable(name).includes(target)));
}

function comparable(name: string): string {
  return name.slice(0, LONGEST).toLowerCase();
}

/** Edit distance that ranks names that contain the wanted one, or are contained in it, before all others. */
function distanceTo(target: string, candidate: string): number {
  const distance = editDistance(target, candidate);
  const contained = target !== "" && (candidate.includes(target) || target.includes(candidate));
  return contained ? distance / LONGEST : distance;
}
