/** Reads `Deno.InspectOptions` as programs pass them. */

import { COMPACT, DEFAULT_INSPECT, type InspectOptions } from "./inspection.ts";
import { arrayIncludes, arrayIsArray, bareList, mathMax, mathMin } from "../language/primordials.ts";
import { toDictionary } from "../web/webidl.ts";

export function toInspectOptions(given: unknown): InspectOptions {
  const options = toDictionary(given, "Cannot inspect");
  return {
    depth: count(options["depth"], DEFAULT_INSPECT.depth, 100),
    iterableLimit: count(options["iterableLimit"], DEFAULT_INSPECT.iterableLimit, 10_000),
    strAbbreviateSize: count(options["strAbbreviateSize"], DEFAULT_INSPECT.strAbbreviateSize, 1_000_000),
    breakLength: count(options["breakLength"], DEFAULT_INSPECT.breakLength, 1_000_000),
    compact:
      options["compact"] === true ? COMPACT : options["compact"] === false ? 0 : count(options["compact"], DEFAULT_INSPECT.compact, 99),
    sorted: options["sorted"] === true,
    getters: options["getters"] === true,
    trailingComma: options["trailingComma"] === true,
    showHidden: options["showHidden"] === true,
    escapeSequences: options["escapeSequences"] !== false,
    quotes: toQuotes(options["quotes"]),
  };
}

/** Node's `util.inspect` prefers single quotes. */
function toQuotes(value: unknown): readonly string[] {
  if (!arrayIsArray(value)) return DEFAULT_INSPECT.quotes;
  const quotes = bareList<string>();
  for (let index = 0; index < 3; index++) {
    const quote: unknown = value[index];
    if (typeof quote === "string" && arrayIncludes(DEFAULT_INSPECT.quotes, quote)) quotes[quotes.length] = quote;
  }
  return quotes.length === 0 ? DEFAULT_INSPECT.quotes : quotes;
}

/** `Infinity` and null (Node's spelling) mean the ceiling. */
function count(value: unknown, fallback: number, ceiling: number): number {
  if (value === null) return ceiling;
  if (typeof value !== "number" || value !== value) return fallback;
  return mathMin(mathMax(value, 0), ceiling);
}
