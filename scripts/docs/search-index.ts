/** Index of the site's search, made when the site is built. */

import MiniSearch from "minisearch";
import type { Rendered } from "./markdown.ts";
import type { Page, Section } from "./pages.ts";
import { SEARCH_OPTIONS, type SearchEntry } from "./search-options.ts";

/** Makes an entry of each heading of each page. */
export function searchEntries(pages: readonly (readonly [Page, Rendered])[], sections: readonly Section[]): readonly SearchEntry[] {
  const titles = new Map(sections.flatMap((section) => section.pages.map(({ path }) => [path, section.title])));
  return pages.flatMap(([page, { title, parts }]) =>
    parts.map(({ id, title: heading, text }): SearchEntry => {
      const where = id === "" ? (titles.get(page.path) ?? "Decisions") : title;
      return { id: id === "" ? page.path : `${page.path}#${id}`, page: where, title: heading, text: text.replaceAll(/\s+/g, " ") };
    }),
  );
}

/** Returns a script that holds the index: a page that is opened as a file may load scripts, but no data. */
export function searchScript(entries: readonly SearchEntry[]): string {
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS);
  index.addAll(entries);
  return `globalThis.searchIndex=${JSON.stringify(JSON.stringify(index))};\n`;
}
