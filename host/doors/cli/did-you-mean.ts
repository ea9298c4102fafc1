/** Advice for a name that does not exist. */

import { nearestName } from "../../tools/nearest.ts";
import { printable } from "../../primitives/text.ts";

/**
 * Returns the name that was probably meant, else other advice.
 *
 * @param otherwise advice if no name is similar
 * @param typed writes a name as the user has to type it
 */
export function didYouMean(
  written: string,
  names: readonly string[],
  otherwise: string,
  typed: (name: string) => string = (name) => name,
): string {
  const near = nearestName(written, names);
  return near === undefined ? otherwise : `Did you mean ${printable(typed(near))}?`;
}

/** Returns advice for a word that has to be one of a few. */
export function wordMeant(written: string, words: readonly string[], typed?: (word: string) => string): string {
  return didYouMean(written, words, `Choose from ${words.join(", ")}`, typed);
}
