/** Globs over names without separators: `*` matches any number of characters, `?` exactly one. */

/** Matches in O(pattern × name) time for every pattern. */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star: { readonly pattern: number; name: number } | undefined;
  while (at < name.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      star = { pattern: inPattern, name: at };
      inPattern += 1;
    } else if (wanted === "?" || wanted === name[at]) {
      inPattern += 1;
      at += 1;
    } else if (star !== undefined) {
      // Backtrack: the last star takes one more character.
      star.name += 1;
      at = star.name;
      inPattern = star.pattern + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}

/** Counts the literal characters of a pattern. */
export function literalLength(pattern: string): number {
  return pattern.replace(/[*?]/g, "").length;
}
