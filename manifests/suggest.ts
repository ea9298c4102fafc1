/** Finds what a person may have meant. */

/** `did you mean "…"?` for a near miss, else the choices there are. */
export function nearest(written: string, choices: readonly string[]): string {
  const wanted = squash(written);
  const ranked = choices
    .map((choice) => ({ choice, distance: distance(wanted, squash(choice)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best !== undefined && best.distance <= Math.max(1, Math.floor(best.choice.length * 0.4))) return `did you mean "${best.choice}"?`;
  return `write one of ${choices.join(", ")}`;
}

/** `input_schema` and `InputSchema` are one word. */
function squash(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[_\s-]/g, "");
}

/** Edits between two texts (Levenshtein); both are short. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
