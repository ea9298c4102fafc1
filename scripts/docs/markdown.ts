/** Markdown of one page as HTML: anchors, checked links, highlighted code, tables that scroll. */

import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { REPOSITORY } from "../run-command.ts";
import { diagramToSvg } from "./diagram.ts";
import { highlight } from "./highlight.ts";
import { escapeHtml, linkBetween, textOfHtml } from "./html.ts";
import { type Page, sitePathOf } from "./pages.ts";

/** A heading, and its text up to the next heading. */
export interface Part {
  /** Anchor; empty for the text before the first heading below the title. */
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  /** Text without marks, for the search. */
  readonly text: string;
}

/** A page as HTML. */
export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly parts: readonly Part[];
  /** Other files that it shows or links to, by path in the repository. */
  readonly files: readonly string[];
}

export interface RenderOptions {
  /** Addresses in the site of type names, which become links where TypeScript code mentions them. */
  readonly types?: ReadonlyMap<string, string>;
}

/** @throws {Error} if the page links to a file that the site does not have. */
export function renderPage(page: Page, { types = new Map() }: RenderOptions = {}): Rendered {
  const headings: { readonly id: string; readonly title: string; readonly depth: number; text: string }[] = [];
  const files: string[] = [];
  const missing: string[] = [];
  const used = new Map<string, number>();
  let title = page.label;
  const note = (text: string): void => {
    const last = headings.at(-1);
    if (last !== undefined) last.text += ` ${text}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }): string {
        const html = this.parser.parseInline(tokens);
        const text = textOfHtml(html);
        if (depth === 1) {
          title = text;
          headings.push({ id: "", title: text, depth, text: "" });
          return `<h1>${html}</h1>\n`;
        }
        const id = freshId(anchorOf(text), used);
        headings.push({ id, title: text, depth, text: "" });
        const label = escapeHtml(`Link to “${text}”`);
        return `<h${depth} id="${id}">${html}<a class="anchor" href="#${id}" aria-label="${label}"></a></h${depth}>\n`;
      },
      paragraph({ tokens }): string {
        const html = this.parser.parseInline(tokens);
        note(textOfHtml(html));
        return `<p>${html}</p>\n`;
      },
      listitem(item): string {
        const html = this.parser.parse(item.tokens);
        if (!html.includes("<p>")) note(textOfHtml(html));
        return `<li>${html}</li>\n`;
      },
      code: (token): string => {
        note(token.text);
        return codeBlock(token, types, page.path);
      },
      // A path may break behind a slash.
      codespan: ({ text }): string => `<code>${escapeHtml(text).replaceAll(/(?<=\w\/)(?=\w)/g, "<wbr>")}</code>`,
      table(token): string {
        const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => tableCell(cell, tag, this.parser.parseInline(cell.tokens))).join("")}</tr>`;
        const rows = token.rows.map((cells) => row(cells, "td"));
        note(token.rows.flatMap((cells) => cells.map(({ text }) => text.replaceAll(/[`*]/g, ""))).join(" "));
        const table = `<table><thead>${row(token.header, "th")}</thead><tbody>${rows.join("\n")}</tbody></table>`;
        const name = escapeHtml(`Table: ${token.header.map(({ text }) => text.replaceAll("`", "")).join(", ")}`);
        return `<div class="table" role="group" tabindex="0" aria-label="${name}">${table}</div>\n`;
      },
      link({ href, tokens, title: hint }): string {
        const text = this.parser.parseInline(tokens);
        const to = target(href);
        if (to === undefined) return text;
        const attributes = hint === null || hint === undefined ? "" : ` title="${escapeHtml(hint)}"`;
        return `<a href="${escapeHtml(to)}"${attributes}>${text}</a>`;
      },
      image({ href, text }): string {
        const source = posix.join(posix.dirname(page.source), href);
        if (source.endsWith(".svg")) return terminalFigure(source, text);
        files.push(source);
        const { width, height } = imageSize(source);
        const to = linkBetween(page.path, fileInSite(source));
        return `<img src="${escapeHtml(to)}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      html: ({ text }): string => (text.trimStart().startsWith("<!--") ? "" : text),
    },
  });

  const html = marked.parse(page.markdown, { async: false });
  if (missing.length > 0) throw new Error(`${page.source} links to files that do not exist: ${missing.join(", ")}`);
  return { title, html, parts: headings.map((part) => ({ ...part, text: part.text.trim() })), files };

  /** Sources outside `docs/` are not part of the site, so their names stay plain text. */
  function target(href: string): string | undefined {
    if (/^(?:https?:|#|mailto:)/.test(href)) return href;
    const [file = "", anchor] = href.split("#");
    const source = posix.join(posix.dirname(page.source), file).replace(/\/$/, "");
    const path = sitePathOf(source);
    if (path !== undefined) return linkBetween(page.path, path) + (anchor === undefined ? "" : `#${anchor}`);
    if (!existsSync(REPOSITORY + source)) missing.push(href);
    else if (source.startsWith("docs/")) {
      files.push(source);
      return linkBetween(page.path, fileInSite(source));
    }
    return undefined;
  }
}

/** A picture of a terminal is part of the page, so that it has the page's font. */
export function terminalFigure(source: string, about: string): string {
  const svg = readFileSync(REPOSITORY + source, "utf8");
  return svg.replace("<svg ", () => `<svg class="terminal" role="img" aria-label="${escapeHtml(about)}" `);
}

/** Returns the address of a file of `docs/` that is copied into the site. */
export function fileInSite(source: string): string {
  return source.slice("docs/".length);
}

/** Makes the anchor of a heading as GitHub does. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** A second heading of the same name ends in `-1`, as on GitHub. */
function freshId(anchor: string, used: Map<string, number>): string {
  const times = used.get(anchor) ?? 0;
  used.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

/** A block's information is its language, then a file name (`ts main.ts`) or an anchor (`ts #Host.call`). */
function codeBlock({ text, lang = "" }: Tokens.Code, types: ReadonlyMap<string, string>, from: string): string {
  const [language = "", name = ""] = lang.split(" ");
  if (language === "mermaid")
    return `<figure class="diagram" role="group" tabindex="0" aria-label="Diagram">${diagramToSvg(text)}</figure>\n`;
  const code = highlight(text, language);
  const linked = language === "ts" && types.size > 0 ? linkTypes(code, types, from) : code;
  const pre = `<pre tabindex="0"><code>${linked}</code></pre>`;
  if (name.startsWith("#")) return `<div class="member" id="${escapeHtml(name.slice(1))}">${pre}</div>\n`;
  const label = name !== "" ? name : language === "console" || language === "sh" ? "Terminal" : "";
  const bar = label === "" ? "" : `<div class="code-name">${escapeHtml(label)}</div>`;
  const copied = language === "console" ? commandsOf(text) : text;
  return `<div class="code ${escapeHtml(language)}" data-copy="${escapeHtml(copied)}">${bar}${pre}</div>\n`;
}

function commandsOf(session: string): string {
  const lines = session.split("\n").filter((line) => line.startsWith("$ "));
  return lines.map((line) => line.slice(2)).join("\n");
}

/** Links names of types in highlighted code, outside of its tags, strings and comments. */
function linkTypes(code: string, types: ReadonlyMap<string, string>, from: string): string {
  return code.replaceAll(/<span class="hljs-(?:comment|string)">[^<]*<\/span>|<[^>]*>|&\w+;|\b[A-Z]\w+\b/g, (found) => {
    const path = types.get(found);
    return path === undefined ? found : `<a href="${linkBetween(from, path)}">${found}</a>`;
  });
}

function tableCell({ align }: Tokens.TableCell, tag: string, html: string): string {
  // An empty header would be read out as a heading without a name.
  if (tag === "th" && html === "") return "<td></td>";
  const scope = tag === "th" ? ' scope="col"' : "";
  return `<${tag}${scope}${align === null ? "" : ` class="${align}"`}>${html}</${tag}>`;
}

/** Reads the size of a PNG, so that a page does not move when the picture arrives. */
function imageSize(source: string): { readonly width: number; readonly height: number } {
  const bytes = readFileSync(REPOSITORY + source);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
