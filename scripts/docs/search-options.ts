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

export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "text"],
  tokenize: wordsOf,
  searchOptions: {
    boost: { title: 4, page: 2 },
    // Why something was decided, and the interfaces of the platform, are what few readers look for.
    boostDocument: (id) => (/^(?:decisions\/|api\/platform)/.test(String(id)) ? 0.4 : 1),
    prefix: true,
    fuzzy: 0.15,
    combineWith: "AND",
  },
};
