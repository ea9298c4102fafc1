/** Reads the names that declarations declare from their syntax tree. */

import { parseAst } from "vitest/node";

/** Declared names, with members of classes and interfaces. */
export interface Declared {
  /** Values: `declare var`, `function`, `class`, `const`. */
  readonly values: readonly string[];
  /** Names that are only types. */
  readonly types: readonly string[];
  /** Instance members of each class and interface, without computed ones. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly statics: ReadonlyMap<string, readonly string[]>;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** @throws {Error} if the text is not valid TypeScript. @param path namespaces to enter, outermost first. */
export function declaredNames(text: string, ...path: readonly string[]): Declared {
  const values = new Set<string>();
  const types = new Set<string>();
  const members = new Map<string, string[]>();
  const statics = new Map<string, string[]>();
  for (const statement of statementsOf(text, path)) {
    const declaration = statement.type === "ExportNamedDeclaration" ? (statement["declaration"] as Node | null) : statement;
    if (declaration === null) continue;
    for (const [name, isValue] of namesOf(declaration)) (isValue ? values : types).add(name);
    const name = nameOf(declaration["id"]);
    if (name === undefined || (declaration.type !== "ClassDeclaration" && declaration.type !== "TSInterfaceDeclaration")) continue;
    for (const member of (declaration["body"] as { readonly body: readonly Node[] }).body) {
      const key = member["computed"] === true || member["kind"] === "constructor" ? undefined : nameOf(member["key"]);
      if (key === undefined) continue;
      const list = member["static"] === true ? statics : members;
      list.set(name, [...(list.get(name) ?? []), key]);
    }
  }
  return { values: [...values].toSorted(), types: [...types].toSorted(), members: sorted(members), statics: sorted(statics) };
}

function statementsOf(text: string, path: readonly string[]): readonly Node[] {
  // The parser's type does not cover declarations; the results are checked at their use.
  let { body } = parseAst(text, { lang: "dts" }) as unknown as { readonly body: readonly Node[] };
  for (const name of path) {
    const inside = body.find((node) => node.type === "TSModuleDeclaration" && nameOf(node["id"]) === name);
    if (inside === undefined) throw new Error(`Namespace ${name} not found`);
    ({ body } = inside["body"] as { readonly body: readonly Node[] });
  }
  return body;
}

/** Returns each name, and whether it is a value. */
function namesOf(node: Node): readonly (readonly [string, boolean])[] {
  if (node.type === "VariableDeclaration") {
    return (node["declarations"] as readonly Node[]).map((one) => [nameOf(one["id"]) ?? "", true]);
  }
  const name = nameOf(node["id"]);
  if (name === undefined) return [];
  return [[name, node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration"]];
}

function nameOf(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const { name, value } = node as { readonly name?: unknown; readonly value?: unknown };
  return typeof name === "string" ? name : typeof value === "string" ? value : undefined;
}

function sorted(lists: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  return new Map([...lists].map(([name, list]) => [name, [...new Set(list)].toSorted()]));
}
