/** Removes deeply nested parts from JSON text, so that the rest of a large text can be parsed (SPEC LV2). */

/** Replaces each container below the given depth with `0`. Invalid JSON stays invalid, or loses its invalid part. */
export function* flatten(text: string, maxDepth: number): Generator<void, string> {
  const kept: string[] = [];
  let [from, depth, isInString, steps] = [0, 0, false, STEPS];
  for (let at = 0; at < text.length; at++) {
    if (--steps === 0) {
      steps = STEPS;
      yield;
    }
    const character = text[at];
    if (isInString && character === "\\") at++;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === "[" || character === "{")) {
      if (depth++ === maxDepth) kept.push(text.slice(from, at), "0");
    } else if (!isInString && (character === "]" || character === "}")) {
      if (--depth === maxDepth) from = at + 1;
    }
  }
  if (depth <= maxDepth) kept.push(text.slice(from));
  return kept.join("");
}

/** Characters per slice. */
const STEPS = 16_384;
