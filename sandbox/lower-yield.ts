/**
 * Takes `yield` out of the head of `for … of`, which the engine's compiler trips over ("stack underflow"): what is gone
 * through is evaluated on a line of its own before the loop. Moves no line.
 */

import type { AnyNode, ForOfStatement, Program } from "acorn";
import { childrenOf, type Lowering, unusedName } from "./lower-using.ts";
import type { Insertion } from "./positions.ts";

/** True if the code may hold such a loop; cheap, and sometimes true for nothing. */
export function mayYieldInHead(code: string): boolean {
  return /\bof\b[^\n;{}]{0,400}\byield\b/.test(code);
}

/** Loops whose expression spans lines stay as they are. */
export function lowerYield(program: Program, code: string): Lowering {
  const insertions: Insertion[] = [];
  const replacements: Insertion[] = [];
  const prefix = unusedName(code, "$of");
  let count = 0;
  visit(program, undefined);
  return { insertions, replacements };

  /** @param start of the labels before a statement, which stay with it. */
  function visit(node: AnyNode, start: number | undefined): void {
    const close = node.type === "ForOfStatement" ? hoist(node, start ?? node.start) : undefined;
    const labelled = node.type === "LabeledStatement" ? (start ?? node.start) : undefined;
    for (const child of childrenOf(node)) visit(child, labelled);
    close?.();
  }

  function hoist({ right, end }: ForOfStatement, start: number): (() => void) | undefined {
    const text = code.slice(right.start, right.end);
    if (text.includes("\n") || !yields(right)) return undefined;
    const name = `${prefix}${String(count++)}`;
    insertions.push({ at: start, text: `{const ${name}=(${text});` }, { at: right.start, text: ` ${name}` });
    replacements.push({ at: right.start, text: " ".repeat(text.length) });
    return () => void insertions.push({ at: end, text: "}" });
  }
}

/** Itself, and not a function in it. */
function yields(node: AnyNode): boolean {
  if (node.type === "YieldExpression") return true;
  return !/Function|^Class/.test(node.type) && childrenOf(node).some(yields);
}
