/** Pages of the documentation site: which files, in which order, at which address. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { lexer, type Token, type Tokens } from "marked";
import { REPOSITORY } from "../run-command.ts";

/** One page of the site. */
export interface Page {
  /** Path of its Markdown file in the repository; of a generated page, where such a file would be. */
  readonly source: string;
  /** Path in the site, such as `guide/files.html`. */
  readonly path: string;
  /** Name in the sidebar. */
  readonly label: string;
  /** One sentence about it; empty if there is none. */
  readonly about: string;
  readonly markdown: string;
}

/** A group of pages in the sidebar. */
export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The index of the documentation, whose sections and links are the sidebar. */
export const INDEX = "docs/README.md";
const DECISIONS = "docs/decisions";

/** Addresses of pages outside `docs/`. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["README.md", "index.html"],
  [INDEX, "index.html"],
  [DECISIONS, "decisions/index.html"],
  ["plugins/README.md", "plugins.html"],
  ["CONTRIBUTING.md", "contributing.html"],
  ["CHANGELOG.md", "changelog.html"],
  ["SECURITY.md", "reporting.html"],
]);

/** Returns the address in the site of a Markdown file or folder of the repository, or undefined if the site does not have it. */
export function sitePathOf(source: string): string | undefined {
  const outside = OUTSIDE.get(source);
  if (outside !== undefined) return outside;
  const [, name] = /^docs\/(.+)\.md$/.exec(source) ?? [];
  return name === undefined ? undefined : `${name}.html`;
}

/** Reads the sections of the sidebar from the lists of `docs/README.md`. */
export function readSections(): readonly Section[] {
  const sections: { readonly title: string; readonly pages: Page[] }[] = [];
  for (const token of lexer(readSource(INDEX))) {
    if (isHeading(token) && token.depth === 2) sections.push({ title: token.text, pages: [] });
    if (isList(token)) for (const item of token.items) sections.at(-1)?.pages.push(listedPage(item));
  }
  return sections.filter(({ pages }) => pages.length > 0);
}

/** Reads the decisions, which only their own index lists. */
export function readDecisions(): readonly Page[] {
  const names = readdirSync(REPOSITORY + DECISIONS).filter((name) => name.endsWith(".md"));
  return names.toSorted().map((name) => {
    const markdown = readSource(`${DECISIONS}/${name}`);
    return pageOf(`${DECISIONS}/${name}`, { label: titleOf(markdown), about: "", markdown });
  });
}

/** Returns the text of the first heading of a page. */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? "";
}

/** @param item a line `- [label](target): about` */
function listedPage(item: Tokens.ListItem): Page {
  const [, label = "", target = "", about = ""] = /^\[([^\]]+)\]\(([^)]+)\)(?:: (.+))?$/s.exec(item.text) ?? [];
  if (label === "") throw new Error(`Cannot read the line "${item.text}" of ${INDEX}: expected "[label](page): about"`);
  const source = posix.join("docs", target);
  const plain = about.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return pageOf(source, { label, about: plain, markdown: source === DECISIONS ? decisionsIndex() : readSource(source) });
}

function pageOf(source: string, rest: Pick<Page, "label" | "about" | "markdown">): Page {
  const path = sitePathOf(source);
  if (path === undefined) throw new Error(`${INDEX} lists "${source}", which is not a page of the site`);
  return { source, path, ...rest };
}

function decisionsIndex(): string {
  const rows = readDecisions().map(({ source, label }) => `- [${label}](decisions/${posix.basename(source)})`);
  const about = "What was decided, why, and what was measured. A number that is missing was merged into another decision.";
  return ["# Decisions", about, rows.join("\n")].join("\n\n");
}

function readSource(source: string): string {
  if (!existsSync(REPOSITORY + source)) throw new Error(`${INDEX} lists "${source}", which does not exist`);
  return readFileSync(REPOSITORY + source, "utf8");
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}
