/** Which names a caller may have meant (SPEC D3). */

const MOST = 20;
const LONGEST = 128;

/** At most 20 of `names`, the nearest to `wanted` first. `wanted` is the caller's and may be of any length. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const target = wanted.slice(0, LONGEST).toLowerCase();
  const scored = names.map((name) => ({ name, distance: distanceTo(target, name) }));
  scored.sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1));
  return scored.slice(0, MOST).map(({ name }) => name);
}

/** Edit distance, with a name that contains the wanted one (or is contained in it) before any other. */
function distanceTo(target: string, name: string): number {
  const candidate = name.slice(0, LONGEST).toLowerCase();
  const distance = editDistance(target, candidate);
  const contained = target !== "" && (candidate.includes(target) || target.includes(candidate));
  return contained ? distance / LONGEST : distance;
}

/** Levenshtein, two rows. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitute = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitute, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
