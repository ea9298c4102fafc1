// Copied from plugins/math by scripts/copy-plugin-files.ts: do not edit.
/** Resolves which function a call means; shared by all code that walks an expression's tree. */

import type { Expression } from "./expression.ts";
import { CONSTANTS, FUNCTIONS, type MathFunction } from "./functions.ts";
import type { Node } from "./vendor/jsep.js";

/**
 * Returns the function and its arguments.
 *
 * @param isVariable tells whether a name is a variable
 * @throws {Error} that points at the cause.
 */
export function resolveCall(
  node: Node,
  expression: Expression,
  isVariable: (name: string) => boolean,
): { readonly name: string; readonly called: MathFunction; readonly args: readonly Node[] } {
  const name = node.callee?.type === "Identifier" ? (node.callee.name ?? "") : undefined;
  const called = name === undefined ? undefined : FUNCTIONS.get(name);
  const { start } = expression.spanOf(node);
  if (name === undefined || called === undefined) {
    if (name === undefined || isVariable(name) || CONSTANTS.has(name))
      throw expression.errorAt(start, "a value is not a function (write * to multiply)");
    throw expression.errorAt(start, `unknown function ${quote(name)} (there are ${[...FUNCTIONS.keys()].join(", ")})`);
  }
  const args = node.arguments ?? [];
  if (args.length < called.least || args.length > called.most) {
    const wanted = called.least === called.most ? `${called.least}` : `${called.least} to ${called.most}`;
    throw expression.errorAt(start, `${name}() takes ${wanted} argument${called.most === 1 ? "" : "s"}, not ${args.length}`);
  }
  requireCommas(args, expression);
  return { name, called, args };
}

/** Refuses blanks that the parser takes for commas: an operator is probably missing. */
function requireCommas(args: readonly Node[], expression: Expression): void {
  for (const [index, argument] of args.entries()) {
    const next = args[index + 1];
    if (next === undefined) return;
    const { start } = expression.spanOf(next);
    if (!expression.text.slice(expression.spanOf(argument).end, start).includes(","))
      throw expression.errorAt(start, "a comma or an operator is missing before this");
  }
}

export function requirePart(node: Node | undefined): Node {
  if (node === undefined) throw new TypeError("The parser left out a part of the expression");
  return node;
}

export function quote(text: string): string {
  return JSON.stringify(text);
}
