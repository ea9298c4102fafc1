/** The search: a dialog that `/` or Ctrl-K opens. The index is loaded when it is opened first. */

import MiniSearch from "minisearch";
import { SEARCH_OPTIONS, type SearchEntry } from "../search-options.ts";

const MAX_RESULTS = 20;

interface Found extends SearchEntry {
  readonly terms: readonly string[];
}

let loading: Promise<MiniSearch<SearchEntry>> | undefined;

export function installSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.search");
  const input = dialog?.querySelector("input");
  const list = dialog?.querySelector<HTMLElement>("#found");
  const state = dialog?.querySelector<HTMLElement>(".search-state");
  if (!dialog || !input || !list || !state) return;
  let selected = 0;
  let isLoaded = false;

  const open = (): void => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    void show();
  };
  const select = (index: number): void => {
    const options = [...list.querySelectorAll<HTMLElement>("a")];
    selected = options.length === 0 ? 0 : (index + options.length) % options.length;
    for (const [at, option] of options.entries()) option.setAttribute("aria-selected", String(at === selected));
    const current = options[selected];
    current?.scrollIntoView({ block: "nearest" });
    if (current === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", current.id);
  };
  const show = async (): Promise<void> => {
    const query = input.value.trim();
    let found: readonly Found[];
    if (!isLoaded) state.textContent = "Loading the index …";
    try {
      const index = await loadIndex();
      isLoaded = true;
      if (query !== input.value.trim()) return;
      found = query === "" ? [] : find(index, query);
    } catch (cause) {
      state.textContent = cause instanceof Error ? cause.message : String(cause);
      return;
    }
    list.replaceChildren(...found.map(optionOf));
    input.setAttribute("aria-expanded", String(found.length > 0));
    state.textContent =
      query === "" ? "Type a word: a command, an option, an error, a type." : found.length === 0 ? `Nothing found for “${query}”` : "";
    select(0);
  };

  for (const button of document.querySelectorAll(".search-open")) button.addEventListener("click", open);
  dialog.querySelector(".search-close")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || (event.target instanceof Element && event.target.closest("#found a"))) dialog.close();
  });
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Enter") list.querySelectorAll<HTMLAnchorElement>("a")[selected]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const isWriting = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null;
    const isSlash = event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isK) return;
    event.preventDefault();
    open();
  });
}

function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${rootOf()}assets/search-index.js`;
    script.addEventListener("load", () => {
      const text: unknown = Reflect.get(globalThis, "searchIndex");
      if (typeof text === "string") resolve(MiniSearch.loadJSON(text, SEARCH_OPTIONS));
      else reject(new Error("The search index is empty"));
    });
    script.addEventListener("error", () => reject(new Error("Cannot load the search index")));
    document.head.append(script);
  });
  return loading;
}

function find(index: MiniSearch<SearchEntry>, query: string): readonly Found[] {
  return index
    .search(query)
    .slice(0, MAX_RESULTS)
    .map(({ id, terms, ...stored }): Found => {
      const text = (name: string): string => String(Reflect.get(stored, name) ?? "");
      return { id: String(id), page: text("page"), title: text("title"), text: text("text"), terms };
    });
}

function optionOf({ id, page, title, text, terms }: Found, index: number): HTMLElement {
  const link = document.createElement("a");
  link.role = "option";
  link.id = `found-${index}`;
  link.href = rootOf() + id;
  link.tabIndex = -1;
  const heading = element("strong", marked(title, terms));
  const where = element("small", [page]);
  link.append(heading, where, element("span", marked(excerpt(text, terms), terms)));
  return link;
}

function element(tag: string, children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

/** The words around the first term. */
function excerpt(text: string, terms: readonly string[]): string {
  const at = text.toLowerCase().search(patternOf(terms));
  const start = at < 60 ? 0 : text.indexOf(" ", at - 50) + 1;
  return (start > 0 ? "… " : "") + text.slice(start, start + 150);
}

/** The text with its terms in `mark` elements; never as HTML. */
function marked(text: string, terms: readonly string[]): readonly (Node | string)[] {
  return text.split(patternOf(terms)).map((part, index) => (index % 2 === 1 ? element("mark", [part]) : part));
}

function patternOf(terms: readonly string[]): RegExp {
  const escaped = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(${escaped.length === 0 ? "(?!)" : escaped.join("|")})`, "i");
}

function rootOf(): string {
  return document.documentElement.dataset["root"] ?? "";
}
