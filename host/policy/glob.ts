/** Globs over names without separators: `*` is any run of characters, `?` is one. */

/** Takes time in proportion to the two lengths multiplied, whatever the pattern. */
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
      // Let the last star take one character more.
      star.name += 1;
      at = star.name;
      inPattern = star.pattern + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}

/** How many characters of a pattern stand for themselves. */
export function literalLength(pattern: string): number {
  return pattern.replace(/[*?]/g, "").length;
}
