/** Reads the values of constants in the code, without running it. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { Modules } from "./modules.ts";
import { memberOf, nameOf, nodeAt, nodesAt, type SourceFile, type SyntaxNode, textAt } from "./syntax.ts";

const MAX_HOPS = 16;

/** Returns the JSON value of an expression made of literals and of constants of the plugin's own files; undefined for any other. */
export function constantOf(node: SyntaxNode, source: SourceFile, modules: Modules, hops = 0): JsonValue | undefined {
  if (hops > MAX_HOPS) return undefined;
  const read = (inner: SyntaxNode | undefined): JsonValue | undefined =>
    inner === undefined ? undefined : constantOf(inner, source, modules, hops + 1);
  switch (node.type) {
    case "Literal": {
      const value = memberOf(node, "value");
      return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
        ? // Checked above; a regular expression has an object as its value.
          (value as JsonValue)
        : undefined;
    }
    case "TemplateLiteral":
      return nodesAt(node, "expressions").length > 0 ? undefined : cooked(nodesAt(node, "quasis")[0]);
    case "UnaryExpression": {
      const value = read(nodeAt(node, "argument"));
      return textAt(node, "operator") === "-" && typeof value === "number" ? -value : undefined;
    }
    case "ArrayExpression":
      return listOf(nodesAt(node, "elements"), read);
    case "ObjectExpression":
      return objectOf(nodesAt(node, "properties"), read);
    case "Identifier": {
      const found = modules.find(source, nameOf(node) ?? "");
      const [declared] = "kind" in found ? [] : found;
      const init = declared?.node.type === "VariableDeclarator" ? nodeAt(declared.node, "init") : undefined;
      return init === undefined || declared === undefined || !isConst(declared.statement)
        ? undefined
        : constantOf(init, declared.source, modules, hops + 1);
    }
    default: {
      const inner = unwrapped(node);
      return inner === node ? undefined : read(inner);
    }
  }
}

/** Removes `as`, `satisfies`, `!`, parentheses and `Object.freeze( )`. */
export function unwrapped(node: SyntaxNode): SyntaxNode {
  if (/^(?:TSAsExpression|TSSatisfiesExpression|TSNonNullExpression|ParenthesizedExpression|TSTypeAssertion)$/u.test(node.type)) {
    const inner = nodeAt(node, "expression");
    return inner === undefined ? node : unwrapped(inner);
  }
  const callee = node.type === "CallExpression" ? nodeAt(node, "callee") : undefined;
  const isFrozen = callee?.type === "MemberExpression" && nameOf(nodeAt(callee, "property")) === "freeze";
  const [argument] = isFrozen ? nodesAt(node, "arguments") : [];
  return argument === undefined ? node : unwrapped(argument);
}

/** Returns whether an initializer keeps the types of its values: `… as const`. */
export function isAsConst(node: SyntaxNode): boolean {
  if (node.type === "TSSatisfiesExpression") return isAsConst(nodeAt(node, "expression") ?? unwrapped(node));
  const type = node.type === "TSAsExpression" ? nodeAt(node, "typeAnnotation") : undefined;
  return type?.type === "TSTypeReference" && nameOf(nodeAt(type, "typeName")) === "const";
}

/** Returns the keys of an object literal, whatever its values are; undefined if there are computed or spread ones. */
export function keysOf(node: SyntaxNode): readonly string[] | undefined {
  if (node.type !== "ObjectExpression") return undefined;
  const keys = nodesAt(node, "properties").map((property) =>
    property.type === "Property" && memberOf(property, "computed") !== true ? nameOf(nodeAt(property, "key")) : undefined,
  );
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function isConst(statement: SyntaxNode): boolean {
  const declaration = statement.type === "ExportNamedDeclaration" ? nodeAt(statement, "declaration") : statement;
  return textAt(declaration, "kind") === "const";
}

function cooked(quasi: SyntaxNode | undefined): string | undefined {
  const value = quasi === undefined ? undefined : memberOf(quasi, "value");
  const text: unknown = typeof value === "object" && value !== null && "cooked" in value ? value.cooked : undefined;
  return typeof text === "string" ? text : undefined;
}

function listOf(nodes: readonly SyntaxNode[], read: (node: SyntaxNode) => JsonValue | undefined): JsonValue | undefined {
  const values = nodes.map(read);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function objectOf(properties: readonly SyntaxNode[], read: (node: SyntaxNode) => JsonValue | undefined): JsonValue | undefined {
  const entries: [string, JsonValue][] = [];
  for (const property of properties) {
    const key = property.type === "Property" && memberOf(property, "computed") !== true ? nameOf(nodeAt(property, "key")) : undefined;
    const node = nodeAt(property, "value");
    const value = node === undefined ? undefined : read(node);
    if (key === undefined || value === undefined) return undefined;
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}
