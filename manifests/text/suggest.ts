/** Suggests the intended name for a misspelt one. */

import { editDistance } from "./edit-distance.ts";

/** Returns `did you mean "…"?` for a near miss, else the available choices. */
export function nearest(written: string, choices: readonly string[]): string {
  const wanted = squash(written);
  const ranked = choices
    .map((choice) => ({ choice, distance: editDistance(wanted, squash(choice)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best !== undefined && best.distance <= Math.max(1, Math.floor(best.choice.length * 0.4))) return `did you mean "${best.choice}"?`;
  return `write one of ${choices.join(", ")}`;
}

/** Makes `input_schema` and `InputSchema` equal. */
function squash(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[_\s-]/g, "");
}
