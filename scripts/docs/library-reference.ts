/** Reference of the library: a page for each group of exports of `host/mod.ts`, from its types and doc comments. */

import { type Declaration, type Doc, type ExportGroup, findDeclaration, type Member, readExportGroups } from "./declarations.ts";
import type { Page, Section } from "./pages.ts";

/** Module whose exports are the library. */
export const LIBRARY = "host/mod.ts";

/** The pages, and the address of each documented type. */
export interface Reference {
  readonly section: Section;
  readonly types: ReadonlyMap<string, string>;
}

interface Chapter extends ExportGroup {
  readonly path: string;
  readonly exported: readonly Declaration[];
  /** Types that the signatures of this chapter mention, and that the module does not export. */
  readonly mentioned: readonly Declaration[];
}

/** @throws {Error} if an export has no declaration in the sources. */
export function readLibraryReference(): Reference {
  const chapters = readChapters();
  const types = new Map<string, string>();
  for (const { path, exported, mentioned } of chapters) {
    for (const { name } of [...exported, ...mentioned]) types.set(name, `${path}#${idOf(name)}`);
  }
  const overview: Page = {
    ...{ source: "docs/api/index.md", path: "api/index.html", label: "Overview", about: "Every export of the package" },
    markdown: overviewText(chapters),
  };
  const pages = chapters.map((chapter): Page => {
    const { title, about, path } = chapter;
    return { source: `docs/${path.replace(/html$/, "md")}`, path, label: title, about, markdown: chapterText(chapter) };
  });
  return { section: { title: "Library reference", pages: [overview, ...pages] }, types };
}

function readChapters(): readonly Chapter[] {
  const groups = readExportGroups(LIBRARY);
  const known = new Set(groups.flatMap(({ names }) => names));
  return groups.map((group) => {
    const exported = group.names.map((name) => withInherited(declarationOf(name), known));
    const mentioned: Declaration[] = [];
    for (const declaration of exported) {
      for (const name of namesIn(declaration)) {
        const found = known.has(name) ? undefined : findDeclaration(declaration.file, name);
        if (found === undefined || found.kind === "value") continue;
        known.add(name);
        mentioned.push(found);
      }
    }
    return { ...group, path: `api/${idOf(group.title)}.html`, exported, mentioned };
  });
}

function declarationOf(name: string): Declaration {
  const found = findDeclaration(LIBRARY, name);
  if (found === undefined) throw new Error(`${LIBRARY} exports "${name}", which has no declaration in the sources`);
  return { ...found, name };
}

/** Adds the members of bases that have no page of their own. */
function withInherited(declaration: Declaration, known: ReadonlySet<string>): Declaration {
  const inherited = declaration.bases.flatMap((base): readonly Member[] => {
    if (known.has(base)) return [];
    const found = findDeclaration(declaration.file, base);
    return found === undefined ? [] : withInherited(found, known).members;
  });
  const own = new Set(declaration.members.map(({ name }) => name));
  return { ...declaration, members: [...declaration.members, ...inherited.filter(({ name }) => !own.has(name))] };
}

/** Returns the names of types in signatures. */
function namesIn({ code, members }: Declaration): readonly string[] {
  const text = [code.replace(/\bextends\b[^{]*$/, ""), ...members.map((member) => member.code)].join("\n");
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\/|"[^"\n]*"|`[^`\n]*`/g, "");
  return [...bare.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name);
}

function overviewText(chapters: readonly Chapter[]): string {
  const rows = chapters.flatMap(({ title, about, path, exported }) => [
    `## ${title}`,
    `${about}.`,
    [
      "| export | |",
      "| --- | --- |",
      ...exported.map((one) => `| [\`${one.name}\`](${fromApi(path, one.name)}) | ${summaryOf(one.doc)} |`),
    ].join("\n"),
  ]);
  const example = ['import { createHost } from "bascule";', "", 'await using host = await createHost({ plugins: ["./plugins"] });'];
  return ["# Library reference", "Everything that the package `bascule` exports.", `\`\`\`ts\n${example.join("\n")}\n\`\`\``, ...rows].join(
    "\n\n",
  );
}

/** Links from one page of the reference to another, as between Markdown files. */
function fromApi(path: string, name: string): string {
  return `${path.replace(/^api\//, "").replace(/html$/, "md")}#${idOf(name)}`;
}

function chapterText({ title, about, exported, mentioned }: Chapter): string {
  const other =
    mentioned.length === 0
      ? []
      : [
          "## Other types",
          "Types that the signatures above mention. The package does not export them by name.",
          ...mentioned.map((one) => declarationText(one, 3)),
        ];
  return [`# ${title}`, `${about}.`, ...exported.map((one) => declarationText(one, 2)), ...other].join("\n\n");
}

/** @param depth of the heading */
export function declarationText({ name, kind, code, doc, members }: Declaration, depth: number): string {
  const shown = kind === "function" ? `${name}()` : name;
  return [
    `${"#".repeat(depth)} ${shown}`,
    docText(doc),
    code === `interface ${name}` ? "" : `\`\`\`ts\n${code}\n\`\`\``,
    tagsText(doc),
    ...members.map((member) => memberText(name, member)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** @param note added to its first line, such as the permission that it needs */
export function memberText(owner: string, { name, code, doc }: Member, note = ""): string {
  const about = [docText(doc), note].filter((part) => part !== "").join(" ");
  return [`\`\`\`ts #${owner}.${name}\n${code}\n\`\`\``, about, tagsText(doc)].filter((part) => part !== "").join("\n\n");
}

function docText({ text }: Doc): string {
  return text.replaceAll(/\{@link (\w+)\}/g, "`$1`");
}

function tagsText({ tags }: Doc): string {
  const lines = tags.flatMap(({ name, text }) => {
    const line = text.replaceAll(/\s*\n\s*/g, " ");
    const [, type = "", rest = ""] = /^\{(\w+)\} ?(.*)$/.exec(line) ?? [];
    const [, param = "", about = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    if (name === "param") return [`- \`${param}\`: ${about}`];
    if (name === "returns") return [`- Returns ${line}`];
    if (name === "throws") return [type === "" ? `- Throws ${line}` : `- Throws \`${type}\` ${rest}`];
    return name === "deprecated" ? [`- Deprecated. ${line}`] : [];
  });
  const examples = tags.filter(({ name }) => name === "example").map(({ text }) => text);
  return [lines.join("\n"), ...examples].filter((part) => part !== "").join("\n\n");
}

function summaryOf({ text }: Doc): string {
  const [first = ""] = text.replaceAll(/\s+/g, " ").split(/(?<=[.]) (?=[A-Z])/);
  return first.replaceAll("|", "\\|");
}

/** Anchor of a heading with this text. */
function idOf(text: string): string {
  return text.toLowerCase().replaceAll(" ", "-");
}
