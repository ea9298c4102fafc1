/** The page around the text: header, sidebar, table of contents, previous and next. */

import { escapeHtml, linkBetween } from "./html.ts";
import type { Part, Rendered } from "./markdown.ts";
import type { Page, Section } from "./pages.ts";

/** The site as one page sees it. */
export interface Site {
  readonly sections: readonly Section[];
  readonly version: string;
}

/** Name that is shown and its address, of a page before or after another. */
type Neighbour = Pick<Page, "label" | "path"> | undefined;

/** Links of the header, beside the search. */
const SHORTCUTS = [
  ["Tour", "tour.html"],
  ["Command line", "cli.html"],
  ["Library", "api/index.html"],
  ["Inside a plugin", "plugin-api/context.html"],
] as const;

/** Returns the whole HTML of a page. */
export function pageHtml(page: Page, rendered: Rendered, site: Site): string {
  const listed = site.sections.flatMap(({ pages }) => pages);
  const at = listed.findIndex(({ path }) => path === page.path);
  const section = site.sections.find(({ pages }) => pages.includes(page));
  const eyebrow = section?.title ?? (page.path.startsWith("decisions/") ? "Decisions" : "");
  const eyebrowed = `<p class="eyebrow">${escapeHtml(eyebrow)}</p>`;
  const html = rendered.html.replace("</h1>", () => `</h1>${contentsBelow(rendered.parts)}`);
  const around = at === -1 ? "" : pager(page.path, listed[at - 1] ?? (at === 0 ? HOME : undefined), listed[at + 1]);
  return document(page, rendered, site, [
    `<main id="content" tabindex="-1"><article>${eyebrowed}${html}</article>${around}</main>`,
    contentsBeside(rendered.parts),
  ]);
}

const HOME = { label: "Documentation", path: "index.html" };

/** Returns the whole HTML of the start page: what bascule is, and every page with its sentence. */
export function homeHtml(page: Page, site: Site, { about, picture }: { readonly about: string; readonly picture: string }): string {
  const cards = site.sections.map(({ title, pages }) => {
    const items = pages.map(
      ({ path, label, about: sentence }) =>
        `<li><a href="${path}">${escapeHtml(label)}</a><span>${escapeHtml(sentence.replaceAll("`", ""))}</span></li>`,
    );
    return `<section><h2>${escapeHtml(title)}</h2><ul>${items.join("")}</ul></section>`;
  });
  const hero = [
    `<div class="hero"><div class="hero-text"><h1>Run tools that you do not trust</h1><p>${escapeHtml(about)}</p>`,
    '<p class="hero-acts"><a class="primary" href="tour.html">Take the tour</a><a href="guide/first-plugin.html">Write a plugin</a><button type="button" class="search-open">Search <kbd>/</kbd></button></p></div>',
    `<div class="hero-picture">${picture}</div></div>`,
  ];
  const rendered = { title: "Documentation", html: "", parts: [], files: [] };
  return document(page, rendered, site, [
    `<main id="content" class="home" tabindex="-1">${hero.join("\n")}<div class="cards">${cards.join("\n")}</div></main>`,
  ]);
}

function document(page: Page, { title }: Pick<Rendered, "title">, site: Site, content: readonly string[]): string {
  const to = (path: string): string => escapeHtml(linkBetween(page.path, path));
  const name = page.path === "index.html" ? "bascule: a plugin host for untrusted tools" : `${title} · bascule`;
  return [
    "<!doctype html>",
    `<html lang="en" data-root="${to("")}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(name)}</title>`,
    page.about === "" ? "" : `<meta name="description" content="${escapeHtml(page.about.replaceAll("`", ""))}">`,
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" type="image/svg+xml" href="${to("assets/icon.svg")}">`,
    `<link rel="stylesheet" href="${to("assets/style.css")}">`,
    `<script src="${to("assets/theme.js")}"></script><script src="${to("assets/site.js")}" defer></script></head>`,
    "<body>",
    '<a class="skip" href="#content">Skip to the text</a>',
    header(page, site, to),
    `<div class="frame">${sidebar(page, site, to)}${content.join("\n")}</div>`,
    searchDialog(),
    "</body></html>",
    "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function header(page: Page, { version }: Site, to: (path: string) => string): string {
  const links = SHORTCUTS.map(([label, path]) => `<a href="${to(path)}"${page.path === path ? ' aria-current="page"' : ""}>${label}</a>`);
  return [
    '<header class="bar">',
    '<button type="button" class="icon menu" popovertarget="pages" aria-label="Pages"><svg viewBox="0 0 24 24"><path d="M4 7h16M4 12h16M4 17h16"/></svg></button>',
    `<a class="brand" href="${to("index.html")}">${MARK}<span>bascule</span></a><span class="version">${escapeHtml(version)}</span>`,
    `<nav class="shortcuts" aria-label="Shortcuts">${links.join("")}</nav>`,
    '<button type="button" class="search-open search-box" aria-label="Search" aria-keyshortcuts="/"><svg viewBox="0 0 24 24"><circle cx="11" cy="11" r="6"/><path d="m16 16 4 4"/></svg><span>Search</span><kbd>/</kbd></button>',
    '<button type="button" class="icon theme" aria-label="Dark colours"><svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" class="filled"/></svg></button>',
    "</header>",
  ].join("");
}

/** A beam on a pivot: what the name means. */
const MARK =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 14.5 21 7.5" /><path d="m12 11-4.5 9h9z" class="filled"/><circle cx="19" cy="4.6" r="2" class="filled"/></svg>';

/** The browser shows the sidebar as a popover on a narrow screen; the style sheet shows it always on a wide one. */
function sidebar(page: Page, { sections }: Site, to: (path: string) => string): string {
  const groups = sections.map(({ title, pages }, index) => {
    const isHere = pages.some((one) => one.path === page.path) || (title.startsWith("Work") && page.path.startsWith("decisions/"));
    const items = pages.map((one) => {
      const current = one.path === page.path ? ' aria-current="page"' : "";
      return `<li><a href="${to(one.path)}"${current}>${escapeHtml(one.label)}</a></li>`;
    });
    return `<details${isHere || index < 2 ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${items.join("")}</ul></details>`;
  });
  return `<nav class="sidebar" id="pages" popover aria-label="Pages">${groups.join("\n")}</nav>`;
}

function contentsBeside(parts: readonly Part[]): string {
  const links = contentsOf(parts);
  return links === "" ? "" : `<aside class="contents"><nav aria-label="On this page"><p>On this page</p>${links}</nav></aside>`;
}

function contentsBelow(parts: readonly Part[]): string {
  const links = contentsOf(parts);
  return links === "" ? "" : `<details class="contents-below"><summary>On this page</summary>${links}</details>`;
}

function contentsOf(parts: readonly Part[]): string {
  const shown = parts.filter(({ depth, id }) => (depth === 2 || depth === 3) && id !== "");
  if (shown.length < 2) return "";
  return `<ul>${shown.map(({ id, title, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`).join("")}</ul>`;
}

function pager(from: string, before: Neighbour, after: Neighbour): string {
  const link = (to: Neighbour, kind: string, words: string): string =>
    to === undefined
      ? "<span></span>"
      : `<a class="${kind}" href="${linkBetween(from, to.path)}"><small>${words}</small>${escapeHtml(to.label)}</a>`;
  return `<nav class="pager" aria-label="Previous and next page">${link(before, "before", "Previous")}${link(after, "after", "Next")}</nav>`;
}

function searchDialog(): string {
  return [
    '<dialog class="search" aria-label="Search">',
    '<div class="search-field"><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="11" cy="11" r="6"/><path d="m16 16 4 4"/></svg>',
    '<input type="text" inputmode="search" enterkeyhint="go" placeholder="Search the documentation" aria-label="Search the documentation" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false">',
    '<button type="button" class="search-close"><kbd>Esc</kbd><span class="hidden">Close the search</span></button></div>',
    '<div id="found" role="listbox" aria-label="Results"></div>',
    '<p class="search-state" role="status"></p>',
    "</dialog>",
  ].join("");
}
