/** Builds the documentation site: a folder of static files that needs no server and loads nothing from others. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { REPOSITORY } from "../run-command.ts";
import { homeHtml, pageHtml } from "./layout.ts";
import { readLibraryReference } from "./library-reference.ts";
import { deadLinks } from "./links.ts";
import { fileInSite, type Rendered, renderPage, terminalFigure } from "./markdown.ts";
import { INDEX, type Page, readDecisions, readSections, type Section } from "./pages.ts";
import { readPluginReference } from "./plugin-reference.ts";
import { searchEntries, searchScript } from "./search-index.ts";

const ASSETS = "scripts/docs/assets/";
/** Picture of the start page. */
const HERO = "docs/tour/grant.svg";
const FONTS = [
  ["inter", "inter-latin-wght-normal.woff2"],
  ["jetbrains-mono", "jetbrains-mono-latin-wght-normal.woff2"],
] as const;

export interface BuiltSite {
  readonly pages: number;
  readonly bytes: number;
}

/**
 * Builds the site into a folder, which is emptied first.
 *
 * @throws {Error} if a page is missing, or a link leads nowhere
 */
export async function buildSite(folder: string): Promise<BuiltSite> {
  const { section: library, types } = readLibraryReference();
  const written = readSections();
  // The references precede the last section, which is for people who work on bascule.
  const sections: readonly Section[] = [...written.slice(0, -1), library, readPluginReference(), ...written.slice(-1)];
  const pages = [...sections.flatMap((section) => section.pages), ...readDecisions()];
  const rendered = pages.map((page): readonly [Page, Rendered] => [
    page,
    renderPage(page, page.path.startsWith("api/") || page.path.startsWith("plugin-api/") ? { types } : {}),
  ]);
  const { version, description } = readPackage();
  const site = { sections, version };
  const files = new Map<string, string | Uint8Array>(rendered.map(([page, html]) => [page.path, pageHtml(page, html, site)]));
  const home: Page = { source: INDEX, path: "index.html", label: "Documentation", about: description, markdown: "" };
  files.set(
    home.path,
    homeHtml(home, site, {
      about: description,
      picture: terminalFigure(HERO, "A terminal: a refused call, a grant, and a dry run that shows the change"),
    }),
  );
  for (const source of new Set(rendered.flatMap(([, html]) => html.files)))
    files.set(fileInSite(source), readFileSync(REPOSITORY + source));
  files.set("assets/search-index.js", searchScript(searchEntries(rendered, sections)));
  for (const [path, content] of await assets()) files.set(path, content);

  const problems = deadLinks(new Map([...files].map(([path, content]) => [path, typeof content === "string" ? content : ""])));
  if (problems.length > 0) throw new Error(`The site has dead links:\n${problems.join("\n")}`);
  rmSync(folder, { recursive: true, force: true });
  let bytes = 0;
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    bytes += Buffer.byteLength(content);
  }
  return { pages: pages.length + 1, bytes };
}

/** The style, the scripts, the fonts and the icon. */
async function assets(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { outputFiles } = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: { site: `${ASSETS}site.ts`, theme: `${ASSETS}theme.ts`, style: `${ASSETS}style.css` },
    outdir: "assets",
    bundle: true,
    write: false,
    minify: true,
    // Modules do not load from files, so the scripts are plain ones.
    format: "iife",
    target: ["chrome123", "firefox125", "safari17.5"],
    external: ["*.woff2"],
    legalComments: "inline",
  });
  const files = new Map<string, string | Uint8Array>(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf("assets/")), text]));
  for (const [name, file] of FONTS)
    files.set(`assets/${name}.woff2`, readFileSync(`${REPOSITORY}node_modules/@fontsource-variable/${name}/files/${file}`));
  files.set("assets/icon.svg", readFileSync(`${REPOSITORY}${ASSETS}icon.svg`));
  return files;
}

function readPackage(): { readonly version: string; readonly description: string } {
  const about: unknown = JSON.parse(readFileSync(`${REPOSITORY}package.json`, "utf8"));
  const field = (name: string): string => {
    const value: unknown = typeof about === "object" && about !== null ? Reflect.get(about, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { version: field("version"), description: field("description") };
}
