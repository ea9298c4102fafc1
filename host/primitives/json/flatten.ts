/** JSON text without what is nested deep, so that the rest of it can be read although it is large (SPEC LV2). */

/** The text with `0` in place of each container that is nested deeper. What is no JSON stays none, or loses what was wrong. */
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

/** Characters between two turns. */
const STEPS = 16_384;
