/**
 * Parses arithmetic with jsep, which builds a tree and runs nothing.
 *
 * jsep parses JavaScript, so its operators are replaced with those of arithmetic. Powers and factorials are parsed here because
 * jsep binds a sign more tightly than a power, and in mathematics `-2^2` is -4.
 */

import { type HookEnvironment, Jsep, type Node, type SyntaxProblem } from "./vendor/jsep.js";

/** Maximum nesting depth; deeper expressions would use up the stack. */
const MAX_DEPTH = 40;
const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 30;

/** Range in the expression, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A tree with the ranges of its nodes. */
export interface Expression {
  readonly text: string;
  readonly root: Node;
  spanOf(node: Node): Span;
  /** Returns the error to throw for a position of the expression. */
  errorAt(index: number, reason: string): Error;
}

/** Notes of the current parse; jsep's hooks have no other place for them. */
interface Notes {
  readonly spans: Map<Node, Span>;
  readonly starts: number[];
  depth: number;
}

let notes: Notes = { spans: new Map(), starts: [], depth: 0 };

Jsep.removeAllUnaryOps();
Jsep.removeAllBinaryOps();
Jsep.removeAllLiterals();
for (const sign of ["-", "+", "−"]) Jsep.addUnaryOp(sign);
for (const operator of ["+", "-", "−"]) Jsep.addBinaryOp(operator, 1);
for (const operator of ["*", "/", "%", "×", "·", "÷"]) Jsep.addBinaryOp(operator, 2);
Jsep.hooks.add("gobble-token", beginToken);
Jsep.hooks.add("after-token", endToken);

/**
 * Parses an expression.
 *
 * @throws {Error} that quotes the expression with a caret under the error.
 */
export function readExpression(text: string): Expression {
  notes = { spans: new Map(), starts: [], depth: 0 };
  const { spans } = notes;
  const errorAt = (index: number, reason: string): Error => new Error(describe(text, index, reason));
  let root: Node;
  try {
    root = new Jsep(text).parse();
  } catch (error) {
    if (!isSyntaxProblem(error)) throw error;
    // jsep also reads past a backslash at the end.
    throw errorAt(Math.min(error.index, text.length), reasonOf(error, text));
  }
  const spanOf = (node: Node): Span => {
    // Skips binary nodes, whose range comes from their operands. Long sums lean to the left, so this does not recurse there.
    let first = node;
    while (!spans.has(first) && first.left !== undefined) first = first.left;
    let last = node;
    while (!spans.has(last) && last.right !== undefined) last = last.right;
    return { start: spans.get(first)?.start ?? 0, end: spans.get(last)?.end ?? text.length };
  };
  if (root.type === "Compound") throw severalValues(root.body ?? [], { text, root, spanOf, errorAt });
  return { text, root, spanOf, errorAt };
}

function severalValues(parts: readonly Node[], { text, spanOf, errorAt }: Expression): Error {
  const second = parts[1];
  if (second === undefined) return errorAt(0, "nothing to calculate");
  const at = spanOf(second).start;
  return errorAt(at, `an operator is missing before ${quote(text.slice(at, at + 10))} (write * to multiply)`);
}

function beginToken(this: Jsep, environment: HookEnvironment): void {
  notes.starts.push(this.index);
  notes.depth += 1;
  if (notes.depth > MAX_DEPTH) this.throwError(`the expression is nested deeper than ${MAX_DEPTH} here`);
  // Parses numbers here because jsep runs no hook after them.
  const code = this.expr.charCodeAt(this.index);
  if (Jsep.isDecimalDigit(code) || this.char === ".") environment.node = this.gobbleNumericLiteral();
}

function endToken(this: Jsep, environment: HookEnvironment): void {
  const start = notes.starts.pop() ?? 0;
  if (environment.node) environment.node = readPostfix(this, environment.node, start);
  notes.depth -= 1;
}

/** Parses `!` and `^` after a value; the right side of `^` is parsed whole first, so powers group to the right. */
function readPostfix(parser: Jsep, value: Node, start: number): Node {
  let node = value;
  let end = parser.index;
  for (;;) {
    notes.spans.set(node, { start, end });
    parser.gobbleSpaces();
    const rest = parser.expr.slice(parser.index, parser.index + 2);
    if (rest === "!!") parser.throwError('"!!" is ambiguous: write brackets, as in (3!)!');
    if (rest.startsWith("!")) {
      parser.index += 1;
      node = { type: "UnaryExpression", operator: "!", argument: node };
    } else if (rest.startsWith("^") || rest === "**") {
      parser.index += rest === "**" ? 2 : 1;
      const right = parser.gobbleToken();
      if (!right) parser.throwError("Expected expression after ^");
      else node = { type: "BinaryExpression", operator: "^", left: node, right };
    } else return node;
    end = parser.index;
  }
}

/** Translates jsep's messages to the terms of arithmetic. */
function reasonOf({ description, index }: SyntaxProblem, text: string): string {
  const found = index >= text.length ? "the expression ends" : `found ${quote(String.fromCodePoint(text.codePointAt(index) ?? 0))}`;
  const after = /^Expected expression after (.+)$/u.exec(description)?.[1];
  if (after === "%") return `a value is missing after "%", which is the remainder (for percent write /100); ${found}`;
  if (after !== undefined) return `a value is missing after ${quote(after)}; ${found}`;
  if (description.startsWith("missing unaryOp")) return `a value is missing after the sign; ${found}`;
  if (description.startsWith("Unclosed (") || description === "Expected )") return `a ")" is missing; ${found}`;
  if (description.startsWith("Variable names cannot start")) return "an operator is missing after the number (write * to multiply)";
  if (description.startsWith("Unclosed quote")) return "texts cannot be calculated with";
  if (description.startsWith("Expected exponent")) return "the exponent of the number is missing (as in 1e6)";
  if (description.startsWith("Unexpected") || description === "Expected comma") return `a value or operator was expected; ${found}`;
  return description;
}

/** Returns the reason, the part of the expression around an index, and a caret under it. */
function describe(text: string, index: number, reason: string): string {
  const from = Math.max(0, index - SHOWN_BEFORE);
  const before = `${from > 0 ? "…" : ""}${flat(text.slice(from, index))}`;
  const rest = `${flat(text.slice(index, index + SHOWN_AFTER))}${index + SHOWN_AFTER < text.length ? "…" : ""}`;
  return `Cannot calculate at character ${index + 1}: ${reason}\n  ${before}${rest}\n  ${" ".repeat([...before].length)}^`;
}

/** Line ends and tabs would shift the caret. */
function flat(text: string): string {
  return text.replace(/[\r\n\t]/gu, " ");
}

function isSyntaxProblem(error: unknown): error is SyntaxProblem {
  return error instanceof Error && "index" in error && "description" in error;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
