/** Finds what a plugin's own files declare, import and export. */

import { normalizePath } from "../../../manifests/mod.ts";
import { type CodeProblem, nameOf, nodeAt, nodesAt, parseSource, type SourceFile, type SyntaxNode, textAt } from "./syntax.ts";

/** A declaration in a file: a type, an interface (each of its parts), a function or a constant. */
export interface Declared {
  readonly source: SourceFile;
  /** The declaration itself. */
  readonly node: SyntaxNode;
  /** The statement around it, with `export`; its doc comment is before that. */
  readonly statement: SyntaxNode;
}

/** Why a name has no declaration in the plugin's own files. */
type Missing =
  | { readonly kind: "unknown" }
  /** Imported from a package, or from a file that is not there. */
  | { readonly kind: "elsewhere"; readonly from: string };

/** One name that a module exports. */
export interface Exported extends Declared {
  readonly name: string;
}

/** The plugin's files, parsed when they are needed. */
export interface Modules {
  /** Returns the declarations of a name that a file uses: several if an interface is written in parts or a function is overloaded. */
  find(source: SourceFile, name: string): readonly Declared[] | Missing;
  /** Returns what a file exports, with the exports of own files that it exports again. */
  exportsOf(file: string): readonly Exported[];
  /** Returns whether a file imports the file of this path. */
  imports(file: string, name: string): boolean;
  /** Counts resolved types and their members: a few lines can describe a type with any number. @throws {TooManyNames} */
  spend(count: number): void;
  /** Syntax errors of the files that were read. */
  readonly problems: readonly CodeProblem[];
}

const MAX_HOPS = 32;
/** Maximum number of names looked up for one plugin: types can double with each alias. */
const MAX_LOOKUPS = 100_000;

/** Thrown if the types of a plugin use more names, or resolve to more parts, than they may. */
export class TooManyNames extends Error {}

/** Maximum number of resolved types with their parts and members, of one plugin: a short name can stand for a long list. */
const MAX_RESOLVED = 300_000;

/** @param files texts by path in the plugin's folder */
export function createModules(files: ReadonlyMap<string, string>): Modules {
  const parsed = new Map<string, SourceFile | undefined>();
  const problems: CodeProblem[] = [];
  const byName = new Map<SourceFile, ReadonlyMap<string, readonly Declared[]>>();
  let lookups = 0;
  let resolved = 0;

  function sourceOf(file: string): SourceFile | undefined {
    if (parsed.has(file)) return parsed.get(file);
    const text = files.get(file);
    const outcome = text === undefined ? undefined : parseSource(file, text);
    if (outcome !== undefined && "message" in outcome) problems.push(outcome);
    const source = outcome === undefined || "message" in outcome ? undefined : outcome;
    parsed.set(file, source);
    return source;
  }

  function imported(source: SourceFile, statement: SyntaxNode): SourceFile | undefined {
    const from = specifierOf(statement);
    return /^\.\.?\//u.test(from) ? sourceOf(resolve(source.file, from)) : undefined;
  }

  function find(source: SourceFile, name: string, hops = 0): readonly Declared[] | Missing {
    if (++lookups > MAX_LOOKUPS) throw new TooManyNames();
    const declared = byName.get(source) ?? Map.groupBy(declarations(source), (found) => nameOf(nodeAt(found.node, "id")) ?? "");
    byName.set(source, declared);
    const own = declared.get(name);
    if (own !== undefined) return own;
    for (const statement of source.body) {
      if (statement.type !== "ImportDeclaration") continue;
      const specifier = nodesAt(statement, "specifiers").find((one) => nameOf(nodeAt(one, "local")) === name);
      if (specifier === undefined) continue;
      const target = imported(source, statement);
      if (target === undefined || hops > MAX_HOPS) return { kind: "elsewhere", from: specifierOf(statement) };
      const found = findExport(target, nameOf(nodeAt(specifier, "imported")) ?? "default", hops + 1);
      return found ?? { kind: "elsewhere", from: specifierOf(statement) };
    }
    return { kind: "unknown" };
  }

  function findExport(source: SourceFile, name: string, hops: number): readonly Declared[] | undefined {
    const found = exported(source, hops).filter((one) => one.name === name);
    return found.length === 0 ? undefined : found;
  }

  function exported(source: SourceFile, hops: number): readonly Exported[] {
    if (hops > MAX_HOPS) return [];
    const own: Exported[] = [];
    const again: Exported[] = [];
    for (const statement of source.body) {
      if (statement.type === "ExportAllDeclaration") {
        const target = imported(source, statement);
        if (target !== undefined && nodeAt(statement, "exported") === undefined) again.push(...exported(target, hops + 1));
      }
      if (statement.type !== "ExportNamedDeclaration") continue;
      for (const found of declaredBy(source, statement)) own.push({ ...found, name: nameOf(nodeAt(found.node, "id")) ?? "" });
      const target = nodeAt(statement, "source") === undefined ? source : imported(source, statement);
      if (target === undefined) continue;
      for (const specifier of nodesAt(statement, "specifiers")) {
        const local = nameOf(nodeAt(specifier, "local")) ?? "";
        const found = target === source ? find(source, local, hops + 1) : (findExport(target, local, hops + 1) ?? []);
        const name = nameOf(nodeAt(specifier, "exported")) ?? local;
        if (!("kind" in found)) own.push(...found.map((one) => ({ ...one, name })));
      }
    }
    // As in JavaScript, a file's own export hides one of the same name that it exports from elsewhere.
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...again.filter(({ name }) => !names.has(name))];
  }

  return {
    problems,
    find,
    spend(count) {
      resolved += count;
      if (resolved > MAX_RESOLVED) throw new TooManyNames();
    },
    exportsOf(file) {
      const source = sourceOf(file);
      return source === undefined ? [] : exported(source, 0);
    },
    imports(file, name) {
      const statements = sourceOf(file)?.body ?? [];
      return statements.some((statement) => {
        const from = statement.type === "ImportDeclaration" ? specifierOf(statement) : "";
        return /^\.\.?\//u.test(from) && resolve(file, from) === name;
      });
    },
  };
}

/** Returns everything that a file declares at its top level. */
function declarations(source: SourceFile): readonly Declared[] {
  return source.body.flatMap((statement) => declaredBy(source, statement));
}

function declaredBy(source: SourceFile, statement: SyntaxNode): readonly Declared[] {
  const isExport = statement.type === "ExportNamedDeclaration";
  const node = isExport ? nodeAt(statement, "declaration") : statement;
  if (node === undefined) return [];
  if (node.type !== "VariableDeclaration") return nodeAt(node, "id") === undefined ? [] : [{ source, node, statement }];
  return nodesAt(node, "declarations").map((one) => ({ source, node: one, statement }));
}

function specifierOf(statement: SyntaxNode): string {
  return nameOf(nodeAt(statement, "source")) ?? textAt(nodeAt(statement, "source"), "value") ?? "";
}

function resolve(from: string, specifier: string): string {
  return normalizePath(specifier, `/${from.slice(0, from.lastIndexOf("/") + 1)}`)?.slice(1) ?? "";
}
