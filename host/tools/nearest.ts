/** Which names a caller may have meant (SPEC D3). */

import { editDistance } from "../../manifests/mod.ts";

const MOST = 20;
const LONGEST = 128;
const MAX_DISTANCE = 3;
/** A part of a name that is shorter says too little. */
const SHORTEST_PART = 3;

/** At most 20 of `names`, the nearest to `wanted` first. `wanted` is the caller's and may be of any length. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const target = comparable(wanted);
  const scored = names.map((name) => ({ name, distance: distanceTo(target, comparable(name)) }));
  scored.sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1));
  return scored.slice(0, MOST).map(({ name }) => name);
}

/**
 * The one of `names` that was most likely meant ("Did you mean …"): the first of the nearest, if that is near enough, else
 * the first that contains what was written.
 */
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

/** Edit distance, with a name that contains the wanted one (or is contained in it) before any other. */
function distanceTo(target: string, candidate: string): number {
  const distance = editDistance(target, candidate);
  const contained = target !== "" && (candidate.includes(target) || target.includes(candidate));
  return contained ? distance / LONGEST : distance;
}
