/** Exported declarations of a module, with their doc comments, read from the sources. */

import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { REPOSITORY } from "../run-command.ts";

/** A doc comment: its text, and its tags in order. */
export interface Doc {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

/** A member of an interface or a class. */
export interface Member {
  readonly name: string;
  readonly code: string;
  readonly doc: Doc;
}

export interface Declaration {
  readonly name: string;
  /** File that declares it, relative to the repository. */
  readonly file: string;
  readonly kind: "function" | "class" | "interface" | "type" | "value";
  /** The declaration without bodies; of a class or an interface, only its first line. */
  readonly code: string;
  readonly doc: Doc;
  /** Members of a class or an interface. */
  readonly members: readonly Member[];
  /** Names in the first line after `extends`. */
  readonly bases: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
}

const sources = new Map<string, Source>();

/** Names that a file exports, in groups: a line `// Title: about` begins one. */
export interface ExportGroup {
  readonly title: string;
  readonly about: string;
  readonly names: readonly string[];
}

/** @throws {Error} if an export stands before the first group. */
export function readExportGroups(file: string): readonly ExportGroup[] {
  const { text, body } = open(file);
  const starts = [...text.matchAll(/^\/\/ ([A-Z][^:\n]*): (.+)$/gm)];
  return starts.map((start, index) => {
    const end = starts[index + 1]?.index ?? text.length;
    const within = body.filter((node) => node.start > start.index && node.start < end);
    return { title: start[1] ?? "", about: start[2] ?? "", names: within.flatMap(exportedNames) };
  });
}

/** Returns every name that a file exports. */
export function readExports(file: string): readonly string[] {
  return open(file).body.flatMap(exportedNames);
}

/** Finds a declaration by the name that a file gives it, through its imports and re-exports. Undefined if a package or the language declares it. */
export function findDeclaration(file: string, name: string): Declaration | undefined {
  const source = open(file);
  for (const node of source.body) {
    const all = node.type === "ExportAllDeclaration" ? relativeSource(file, node) : undefined;
    const found = all === undefined ? undefined : findDeclaration(all, name);
    if (found !== undefined) return found;
    const declared = nodeIn(node, "declaration") ?? node;
    if (nameOf(declared) === name) return declarationOf(source, { name, outer: node, node: declared });
    for (const specifier of nodesIn(node, "specifiers")) {
      const [here, there] = node.type === "ImportDeclaration" ? ["local", "imported"] : ["exported", "local"];
      const from = relativeSource(file, node);
      if (nameIn(specifier, here) === name && from !== undefined) return findDeclaration(from, nameIn(specifier, there) ?? name);
    }
  }
  return undefined;
}

/** Returns the file that an import or export names, relative to the repository; undefined for a package. */
function relativeSource(file: string, node: Node): string | undefined {
  const from = nodeIn(node, "source")?.["value"];
  return typeof from === "string" && from.startsWith(".") ? posix.join(posix.dirname(file), from) : undefined;
}

function open(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(REPOSITORY + file, "utf8");
  const source = sourceOf(file, text);
  sources.set(file, source);
  return source;
}

function sourceOf(file: string, text: string): Source {
  const tree: unknown = parseAst(text, { lang: "ts" });
  if (!isNode(tree)) throw new Error(`The parser returned no syntax tree of "${file}"`);
  return { file, text, body: nodesIn(tree, "body") };
}

/** Reads the declarations of a text, such as a generated `.d.ts`, in order. */
export function declarationsIn(file: string, text: string): readonly Declaration[] {
  const source = sourceOf(file, text);
  return source.body.flatMap((outer) => {
    const node = nodeIn(outer, "declaration") ?? outer;
    const name = nameOf(node);
    return name === undefined ? [] : [declarationOf(source, { name, outer, node })];
  });
}

function declarationOf(
  source: Source,
  { name, outer, node }: { readonly name: string; readonly outer: Node; readonly node: Node },
): Declaration {
  const { text, file } = source;
  const body = nodeIn(node, "body");
  const slice = (end: number): string => text.slice(node.start, end).trim();
  const common = { name, file, doc: docBefore(text, outer.start), members: [], bases: [] };
  if (node.type === "TSInterfaceDeclaration" || node.type === "ClassDeclaration") {
    const code = slice(body?.start ?? node.end);
    const bases = [...(code.split(/\bextends\b/)[1] ?? "").matchAll(/\b[A-Z]\w*/g)].map(([base]) => base);
    const members = nodesIn(body, "body").flatMap((member) => memberOf(text, member));
    return { ...common, kind: node.type === "ClassDeclaration" ? "class" : "interface", code, members, bases };
  }
  if (/Function/.test(node.type)) return { ...common, kind: "function", code: slice(body?.start ?? node.end) };
  return { ...common, kind: node.type === "TSTypeAliasDeclaration" ? "type" : "value", code: slice(node.end) };
}

/** Private members are left out, and so are bodies. */
function memberOf(text: string, node: Node): readonly Member[] {
  const key = nodeIn(node, "key");
  if (key?.type === "PrivateIdentifier" || node["accessibility"] === "private") return [];
  const body = nodeIn(nodeIn(node, "value") ?? node, "body");
  const code = text
    .slice(node.start, body?.start ?? node.end)
    .replace(/[;,]$/, "")
    .trim();
  const isBare = key === undefined || key.type === "Identifier" || key.type === "Literal";
  const name = key === undefined ? code.replace(/[<(:].*$/s, "") : text.slice(key.start, key.end);
  return [{ name: isBare ? name : `[${name}]`, code, doc: docBefore(text, node.start) }];
}

/** Reads the comment that ends where a declaration begins. */
function docBefore(text: string, start: number): Doc {
  const before = text.slice(0, start).trimEnd();
  if (!before.endsWith("*/")) return { text: "", tags: [] };
  const comment = before.slice(before.lastIndexOf("/**") + 3, -2);
  const [first = "", ...tags] = comment.replaceAll(/^[ \t]*\* ?/gm, "").split(/^@(?=\w)/m);
  return {
    text: plain(first),
    tags: tags.map((tag) => {
      const [, name = "", rest = ""] = /^(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
      return { name, text: plain(rest) };
    }),
  };
}

/** Rows of the specification are for people who work on bascule. */
function plain(text: string): string {
  return text.replaceAll(/ \((?:SPEC )[A-Z]{1,2}\d+[^)]*\)/g, "").trim();
}

function exportedNames(node: Node): readonly string[] {
  if (node.type !== "ExportNamedDeclaration") return [];
  const declared = nodeIn(node, "declaration");
  const own = declared === undefined ? undefined : nameOf(declared);
  return [...(own === undefined ? [] : [own]), ...nodesIn(node, "specifiers").flatMap((specifier) => nameIn(specifier, "exported") ?? [])];
}

function nameOf(node: Node): string | undefined {
  return nameIn(node, "id") ?? nodesIn(node, "declarations").flatMap((one) => nameIn(one, "id") ?? [])[0];
}

function nameIn(node: Node, key: string): string | undefined {
  const name = nodeIn(node, key)?.["name"];
  return typeof name === "string" ? name : undefined;
}

function nodeIn(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

function nodesIn(node: Node | undefined, key: string): readonly Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}
