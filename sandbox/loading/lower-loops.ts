/**
 * Rewrites two kinds of `for … of` that the engine handles wrongly. Every line keeps its number.
 * - `yield` in the head makes the engine's compiler fail ("stack underflow"). The iterated value is evaluated before the loop, and the
 *   item is bound inside it.
 * - `for await` does not wait for the promise of `return()`, also calls it after the end, and swallows its errors. It becomes a loop that
 *   awaits, around a `for … of` with one item (`sandbox/guest/language/async-loop.ts`).
 */

import type { AnyNode, ForOfStatement, Program } from "acorn";
import { afterSpace, childrenOf, type Lowering, unusedName } from "./lower-using.ts";
import type { Edit, Insertion } from "./positions.ts";

/** The prelude's module for `for await`. */
export const LOOP_MODULE = "bascule:prelude/async-loop.ts";

/** True if the code may contain such a loop. Cheap, and may be true without reason. */
export function mayLowerLoops(code: string): boolean {
  if (/\bfor\s*(?:await\b|\/[/*])/.test(code)) return true;
  return /\byield\b/.test(code) && [...code.matchAll(/\bfor\s*\(/g)].some(({ index, 0: { length } }) => mayYield(code, index + length));
}

/** Scans a loop's head, starting after its parenthesis. Heads with comments, templates and regular expressions are left to the parser. */
function mayYield(code: string, start: number): boolean {
  const tokens = /"[^"\\\n]*"|'[^'\\\n]*'|["'`/]|[([{]|[)\]}]|;|\byield\b/g;
  tokens.lastIndex = start;
  let depth = 1;
  for (let count = 0; count < LONGEST_HEAD; count++) {
    const token = tokens.exec(code)?.[0];
    if (token === undefined) return false;
    if (token === "yield" || /^["'`/]$/.test(token)) return true;
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
    // Ends at the first semicolon: counting loops are not affected.
    if (depth === 0 || (depth === 1 && token === ";")) return false;
  }
  return true;
}

/** Maximum tokens to scan in a head. Bounds the time for a file of open parentheses. */
const LONGEST_HEAD = 200;

/** @param program must contain the author's parentheses as nodes */
export function lowerLoops(program: Program, code: string): Lowering {
  const edits: Edit[] = [];
  const replacements: Insertion[] = [];
  const prefix = unusedName(code, "$loop");
  let count = 0;
  let awaits = false;
  visit(program, undefined);
  if (awaits) edits.unshift({ at: 0, text: `import{AsyncLoop as ${prefix}}from"${LOOP_MODULE}";` });
  return { edits, replacements };

  /** @param start start of the labels before a statement, which stay with its loop */
  function visit(node: AnyNode, start: number | undefined): void {
    const close = node.type === "ForOfStatement" ? begin(node, start ?? node.start) : undefined;
    const labelled = node.type === "LabeledStatement" ? (start ?? node.start) : undefined;
    for (const child of childrenOf(node)) visit(child, labelled);
    close?.();
  }

  function begin(loop: ForOfStatement, start: number): (() => void) | undefined {
    const { left, right, end } = loop;
    const isSplit = yields(left) || yields(right);
    if (!loop.await && !isSplit) return undefined;
    const name = `${prefix}${String(count++)}`;
    edits.push({ at: start, text: loop.await ? `{const ${name}=new ${prefix};try{` : "{" });
    if (isSplit) {
      edits.push({ at: start, text: loop.await ? `${name}.open(` : `const ${name}=(` }, { at: start, from: right.start, to: right.end });
      edits.push({ at: start, text: ");" });
      split(loop, name);
    }
    if (loop.await) {
      awaits = true;
      blank(loop.start + "for".length, "await");
      edits.push({ at: start, text: `for(;${name}.goesOn&&(!${name}.isOpen||${name}.take(await ${name}.next()));)` });
      if (!isSplit) inPlace(loop, name);
    }
    return () => void edits.push({ at: end, text: (isSplit ? "}}" : "") + (loop.await ? afterAwait(name) : "}") });
  }

  /** Keeps `of` and its operands in place. */
  function inPlace({ left, right }: ForOfStatement, name: string): void {
    // `for (async of …)` is a syntax error, but `for await (async of …)` is valid.
    if (left.type === "Identifier") edits.push({ at: left.start, text: "(" }, { at: left.end, text: ")" });
    edits.push({ at: right.start, text: `${name}.isOpen?${name}:${name}.open(` }, { at: right.end, text: ")" });
  }

  /** Binds the item inside the loop's body. */
  function split({ left, right }: ForOfStatement, name: string): void {
    const [before, after] = left.type === "VariableDeclaration" ? ["", ";"] : ["(", ");"];
    edits.push({ at: left.start, text: `const ${name}v of ${name}){${before}` }, { at: left.end, text: `=${name}v${after}{` });
    blank(left.end, "of");
    blank(right.end, ")");
  }

  /** @param from position before the word, with at most comments in between */
  function blank(from: number, word: string): void {
    replacements.push({ at: afterSpace(code, from), text: " ".repeat(word.length) });
  }
}

/** An error of the body takes precedence over an error of closing. */
function afterAwait(name: string): string {
  return (
    `}catch(e){${name}.threw=true;throw e}` +
    `finally{if(${name}.closes())try{${name}.closed(await ${name}.closing)}catch(e){if(!${name}.threw)throw e}}}`
  );
}

/** True if the node itself yields, not a function inside it. */
function yields(node: AnyNode): boolean {
  if (node.type === "YieldExpression") return true;
  if (/Function|^StaticBlock$/.test(node.type)) return false;
  // Names of members are evaluated at the class, values elsewhere.
  if (node.type === "MethodDefinition" || node.type === "PropertyDefinition") return node.computed && yields(node.key);
  return childrenOf(node).some(yields);
}
