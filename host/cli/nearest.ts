/** "Did you mean …": the nearest among known names. */

const MAX_LENGTH = 64;
const MAX_DISTANCE = 3;

/** The known name that is nearest to what was written, if one is near enough to be meant. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const name of known) {
    const distance = editDistance(written.slice(0, MAX_LENGTH).toLowerCase(), name.slice(0, MAX_LENGTH).toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  const allowed = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(written.length / 3)));
  return bestDistance <= allowed ? best : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    [before, previous] = [previous, current];
  }
  return previous[right.length] ?? 0;
}
