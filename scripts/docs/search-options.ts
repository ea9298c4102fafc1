/** Options of the search, equal when the site is built and in the page. */

import type { Options } from "minisearch";

/** One heading of a page with its text. */
export interface SearchEntry {
  /** Address in the site, with the anchor. */
  readonly id: string;
  /** Title of the page; for the page itself, the section of the sidebar. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** Words are also split at `_`, `-` and capitals, so that "demo peek" finds `demo_peek` and "create" finds `createHost`. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => word !== "");
  const parts = words.flatMap((word) => word.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/));
  return [...new Set([...words, ...parts.filter((part) => part.length > 1)])];
}

/** A page weighs more than a part of one. Few readers look for a type, fewer for why something was decided or for interfaces of the platform. */
function weightOf(id: string): number {
  if (/^(?:decisions\/|api\/platform)/.test(id)) return 0.4;
  if (id.startsWith("api/")) return 0.7;
  return id.includes("#") ? 1 : 1.5;
}

export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "text"],
  tokenize: wordsOf,
  // A letter by itself says nothing, and would be the beginning of many words.
  processTerm: (word) => (word.length > 1 ? word.toLowerCase() : null),
  searchOptions: {
    boost: { title: 4, page: 2 },
    boostDocument: (id) => weightOf(String(id)),
    prefix: true,
    fuzzy: 0.15,
    combineWith: "AND",
  },
};
