/** Finds the id that a user means by its beginning. */

import { didYouMean } from "./did-you-mean.ts";
import { printable } from "../../primitives/text.ts";
import { CliError, notFoundError } from "./cli-error.ts";

/** Something with an id that a command takes. */
export interface Named {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Tells it from others: the tool. */
  readonly about: string;
}

/** Shorter beginnings are refused: an id begins with its time, so they would name whatever happened last. */
const FEWEST = 4;
const MOST_LISTED = 10;
const SHORT = 8;

/** Returns the shortest beginning of an id, of at least 8 characters, that names it among all of them. */
export function shortId(id: string, all: readonly string[]): string {
  let length = SHORT;
  while (length < id.length && (id[length - 1] === "-" || all.some((other) => other !== id && other.startsWith(id.slice(0, length)))))
    length += 1;
  return id.slice(0, length);
}

/**
 * @param what noun for messages, such as "confirmation"
 * @param advice what lists the ids
 * @throws {CliError} `not_found`, or `ambiguous` with the ids that begin like this
 */
export function idMeant(written: string, named: readonly Named[], what: string, advice: string): string {
  if (named.some(({ id }) => id === written)) return written;
  const found = named.filter(({ id }) => written.length >= FEWEST && id.startsWith(written.toLowerCase()));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  if (written.length < FEWEST && named.some(({ id }) => id.startsWith(written.toLowerCase())))
    throw notFoundError(`"${written}" is too short for the beginning of an id`, [`Write at least ${FEWEST} characters`]);
  if (only === undefined) {
    const ids = named.map(({ id }) => id);
    throw notFoundError(`Unknown ${what} "${written}"`, [didYouMean(written, ids, advice)]);
  }
  const more = found.length - MOST_LISTED;
  throw new CliError("ambiguous", `"${written}" is the beginning of ${found.length} ids`, {
    hints: [
      ...found.slice(0, MOST_LISTED).map(({ id, atMs, about }) => `${printable(id)}  ${new Date(atMs).toISOString()}  ${printable(about)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
  });
}
