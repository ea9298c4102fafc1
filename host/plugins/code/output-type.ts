/** Finds the type of what a tool's function returns. */

import { nameOf, nodeAt, nodesAt, type SourceFile, type SyntaxNode } from "./syntax.ts";
import type { TypeUse } from "./type-shapes.ts";

/** Types whose argument is the output: a promise of it, or a result that has more than plain JSON. */
const WRAPPERS: ReadonlySet<string> = new Set(["Promise", "PromiseLike", "ToolOutput"]);
/** Types without an output schema: nothing, or a value that the author leaves undescribed. */
const UNDESCRIBED: ReadonlySet<string> = new Set(["TSVoidKeyword", "TSUndefinedKeyword", "TSUnknownKeyword", "TSNeverKeyword"]);

/** Returns the declared type of the output; undefined if there is none, or the author leaves it open with `void` or `unknown`. */
export function outputType(node: SyntaxNode, source: SourceFile): TypeUse | undefined {
  let type = nodeAt(nodeAt(node, "returnType") ?? node, "typeAnnotation");
  while (type?.type === "TSTypeReference" && WRAPPERS.has(nameOf(nodeAt(type, "typeName")) ?? "")) {
    // `ToolOutput` alone has no output.
    [type] = nodesAt(nodeAt(type, "typeArguments"), "params");
  }
  return type === undefined || UNDESCRIBED.has(type.type) ? undefined : { node: type, source, params: new Map() };
}
