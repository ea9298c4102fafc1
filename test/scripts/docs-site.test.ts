/** Builds the documentation site once, and reads it as a browser would. The parts with a browser need `CHROMIUM`. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import MiniSearch from "minisearch";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDeclaration, readExportGroups, readExports } from "../../scripts/docs/declarations.ts";
import { LIBRARY } from "../../scripts/docs/library-reference.ts";
import { deadLinks } from "../../scripts/docs/links.ts";
import { renderPage } from "../../scripts/docs/markdown.ts";
import { readDecisions, readSections } from "../../scripts/docs/pages.ts";
import { SEARCH_OPTIONS, type SearchEntry } from "../../scripts/docs/search-options.ts";
import { buildSite } from "../../scripts/docs/site.ts";

const PROGRAM = process.env["CHROMIUM"] ?? "";
const folder = mkdtempSync(join(tmpdir(), "bascule-docs-"));
const read = (path: string): string => readFileSync(join(folder, path), "utf8");

beforeAll(async () => {
  await buildSite(folder);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("npm run docs", () => {
  it("writes every page of the index and every decision, each with a title of its own [I7.site]", () => {
    const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
    const wanted = [...readSections().flatMap((section) => section.pages), ...readDecisions()].map(({ path }) => path);
    expect(wanted.filter((path) => !pages.includes(path))).toEqual([]);
    const titles = pages.map((path) => /<title>(.+)<\/title>/.exec(read(path))?.[1] ?? "");
    expect(titles.filter((title) => title === "" || title.startsWith(" "))).toEqual([]);
    expect(pages.filter((path) => read(path).match(/<h1[ >]/g)?.length !== 1)).toEqual([]);
  });

  it("links pages in the order of the index", () => {
    const page = read("guide/files.html");
    expect(page).toContain('<a class="before" href="../guide/code-first.html"><small>Previous</small>TypeScript only</a>');
    expect(page).toContain('<a class="after" href="../guide/network.html"><small>Next</small>The network and a secret</a>');
    expect(page).toContain('<a href="../guide/files.html" aria-current="page">Files</a>');
  });

  it("finds a link that leads nowhere, and one that loads from another server", () => {
    const files = new Map([
      ["a.html", '<h2 id="one">1</h2><a href="#one"></a><a href="#two"></a><a href="b/c.html#three"></a><a href="gone.html"></a>'],
      [
        "b/c.html",
        '<h2 id="three"></h2><a href="../a.html#four"></a><a href="https://example.org"></a><img src="https://example.org/x.png">',
      ],
    ]);
    expect(deadLinks(files)).toEqual([
      'a.html: "#two" leads to no heading',
      'a.html: "gone.html" leads to no file',
      'b/c.html: loads "https://example.org/x.png"',
      'b/c.html: "../a.html#four" leads to no heading',
    ]);
  });

  it("refuses a page that links to a missing file", () => {
    const page = { source: "docs/x.md", path: "x.html", label: "X", about: "", markdown: "[a](gone.json) [b](cli.md#call)" };
    expect(() => renderPage(page)).toThrow("docs/x.md links to files that do not exist: gone.json");
  });

  it("escapes what pages and code contain", () => {
    const markdown = '# `<b>` & "c"\n\n```ts a<b>.ts\nconst a = "<script>";\n```\n\n```console\n$ echo <x>\nfs_denied <y>\n```';
    const { html, title } = renderPage({ source: "docs/x.md", path: "x.html", label: "X", about: "", markdown });
    expect(title).toBe('<b> & "c"');
    expect(html).not.toMatch(/<(?:b|x|y|script)>/);
    expect(html).toContain('<span class="out bad">fs_denied &lt;y&gt;</span>');
    expect(html).toContain('data-copy="echo &lt;x&gt;"');
  });

  it("loads nothing from other servers", () => {
    const styles = [read("assets/style.css"), ...readdirSync(folder).flatMap((name) => (name.endsWith(".html") ? [read(name)] : []))];
    expect(styles.flatMap((text) => text.match(/@import|url\((?!["']?[.#])[^)]*\)/g) ?? [])).toEqual([]);
  });

  it("finds commands, options, errors and types", () => {
    const script = read("assets/search-index.js");
    const text: unknown = JSON.parse(/^globalThis\.searchIndex=(.*);$/m.exec(script)?.[1] ?? "");
    const index = MiniSearch.loadJSON<SearchEntry>(String(text), SEARCH_OPTIONS);
    const found = (query: string): readonly unknown[] => index.search(query).map(({ id }): unknown => id);
    const first = (query: string): unknown => found(query)[0];
    expect(first("createHost")).toBe("api/hosts.html#createhost");
    expect(first("rollback")).toBe("cli.html#rollback");
    expect(found("fs_denied")).toContain("errors.html#fs_denied");
    expect(found("workspace walk")).toContain("plugin-api/context.html#workspace");
    // Far down in a long part.
    expect(first("NODE_OPTIONS")).toBe("guide/install.html#one-executable");
    expect(index.search("undo a call")[0]).toMatchObject({ id: "dry-run.html#undo", terms: expect.not.arrayContaining(["a"]) });
    expect(found("zzzzzz")).toEqual([]);
  });
});

describe("the library reference", () => {
  it("has every export of the package in a chapter, and in one only", () => {
    expect(readExportGroups(LIBRARY).flatMap(({ names }) => names)).toEqual(readExports(LIBRARY));
  });

  it.each(readExports(LIBRARY))("%s says what it is", (name) => {
    expect(findDeclaration(LIBRARY, name)?.doc.text).toMatch(/^\S.*\w/s);
  });
});

describe.skipIf(!existsSync(PROGRAM))(`the site in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(() => browser.close());

  it.each([
    ["light", 1600, ["index", "guide/first-plugin"]],
    ["dark", 360, ["tour", "api/chains-and-skills"]],
  ] as const)("has no fault that axe finds, and no page wider than the window, %s at %i pixels", async (colorScheme, width, paths) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    for (const path of paths) {
      await page.goto(`file://${folder}/${path}.html`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (Reflect.get(globalThis, "axe") as typeof axe).run());
      expect([path, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([path, []]);
      expect([path, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([path, 0]);
    }
    await context.close();
  });

  it("searches from a file with the keyboard alone, and makes no request", async () => {
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${folder}/guide/files.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("roll");
    await page.getByRole("option", { selected: true }).getByText("rollback").first().waitFor();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (Reflect.get(globalThis, "axe") as typeof axe).run());
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`file://${folder}/cli.html#rollback`);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("undo");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    await page.close();
  });

  it("opens the list of pages on a phone, and keeps the chosen colours", async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 780 }, colorScheme: "light" });
    await page.goto(`file://${folder}/cli.html`);
    expect(await page.getByRole("link", { name: "Policies for a team" }).count()).toBe(0);
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Operate a host").click();
    await page.getByRole("link", { name: "Policies for a team" }).click();
    await page.getByRole("button", { name: "Dark colours", pressed: false }).click();
    await page.reload();
    await page.getByRole("button", { name: "Dark colours", pressed: true }).waitFor();
    await page.close();
  });
});
