/** The router: the page, its parameters and its filters are in the URL's fragment, so that every view has an address. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { HOME, type PageEntry, PAGES } from "./pages.ts";

/** The address that is shown. */
export interface Route {
  readonly page: PageEntry;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

const fragment: Signal<string> = signal(location.hash);

export const route: ReadonlySignal<Route> = computed(() => parseRoute(fragment.value));

/** Title of what the page shows, such as a tool's name; the page sets it when its data has arrived. */
export const subject: Signal<string | undefined> = signal(undefined);

addEventListener("hashchange", follow);

function follow(): void {
  batch(() => {
    if (parseRoute(location.hash).page.id !== route.peek().page.id) subject.value = undefined;
    fragment.value = location.hash;
  });
}

/** Returns the address of a page: `href("/calls/:callId", { callId })`. */
export function href(path: string, params: Readonly<Record<string, string>> = {}, query: Readonly<Record<string, string>> = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#${filled}${search === "" ? "" : `?${search}`}`;
}

export function navigate(address: string): void {
  location.hash = address;
}

/** Changes the filters in the address without a new entry in the history. */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const { page, params } = route.peek();
  history.replaceState(null, "", href(page.path, params, query));
  follow();
}

/** Puts the texts of a submitted form into the address. @returns them, without spaces around; undefined if no form was submitted */
export function queryFromForm(event: SubmitEvent): Readonly<Record<string, string>> | undefined {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return undefined;
  const given: Record<string, string> = {};
  for (const [name, value] of new FormData(event.currentTarget)) if (typeof value === "string") given[name] = value.trim();
  replaceQuery(given);
  return given;
}

function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.slice(1).split("?", 2);
  for (const page of PAGES) {
    const params = matchPath(page.path, path);
    if (params !== undefined) return { page, params, query: new URLSearchParams(search) };
  }
  const home = PAGES.find((page) => page.path === HOME);
  if (home === undefined) throw new Error(`No page has the path "${HOME}"`);
  return { page: home, params: {}, query: new URLSearchParams() };
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return undefined;
      continue;
    }
    const text = decode(value);
    if (text === undefined || text === "") return undefined;
    params[part.slice(1)] = text;
  }
  return params;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
