// Copied from plugins/math by scripts/copy-plugin-files.ts: do not edit.
/**
 * Reads arithmetic with jsep, which makes a tree and runs nothing.
 *
 * jsep reads JavaScript, so its operators are taken out and those of arithmetic put in. Powers and factorials are read here,
 * as jsep lets a sign bind more tightly than a power, and in mathematics `-2^2` is -4.
 */

import { type HookEnvironment, Jsep, type Node, type SyntaxProblem } from "./vendor/jsep.js";

/** Deeper than this an expression would use up the stack. */
const MAX_DEPTH = 40;
const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 30;

/** Where something is in the expression, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A tree, and where its parts were written. */
export interface Expression {
  readonly text: string;
  readonly root: Node;
  spanOf(node: Node): Span;
  /** The error to throw for a place of the expression. */
  errorAt(index: number, reason: string): Error;
}

/** What one reading notes; jsep's hooks know no other place for it. */
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
 * Reads an expression.
 *
 * @throws {Error} that quotes the expression with a caret under what is wrong.
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
    // jsep looks behind a backslash at the end, too.
    throw errorAt(Math.min(error.index, text.length), reasonOf(error, text));
  }
  const spanOf = (node: Node): Span => {
    // Only operators between two operands are no token of their own; long sums lean to the left, so no recursion here.
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
  if (second === undefined) return errorAt(0, "there is nothing to calculate");
  const at = spanOf(second).start;
  return errorAt(at, `an operator is missing before ${quote(text.slice(at, at + 10))} (write * to multiply)`);
}

function beginToken(this: Jsep, environment: HookEnvironment): void {
  notes.starts.push(this.index);
  notes.depth += 1;
  if (notes.depth > MAX_DEPTH) this.throwError(`the expression is nested deeper than ${MAX_DEPTH} here`);
  // Numbers are read here because jsep runs no hook after them.
  const code = this.expr.charCodeAt(this.index);
  if (Jsep.isDecimalDigit(code) || this.char === ".") environment.node = this.gobbleNumericLiteral();
}

function endToken(this: Jsep, environment: HookEnvironment): void {
  const start = notes.starts.pop() ?? 0;
  if (environment.node) environment.node = readPostfix(this, environment.node, start);
  notes.depth -= 1;
}

/** `!` and `^` behind a value; the right side of `^` is read whole first, so powers group to the right. */
function readPostfix(parser: Jsep, value: Node, start: number): Node {
  let node = value;
  let end = parser.index;
  for (;;) {
    notes.spans.set(node, { start, end });
    parser.gobbleSpaces();
    const rest = parser.expr.slice(parser.index, parser.index + 2);
    if (rest === "!!") parser.throwError('"!!" means different things to different people: write brackets, as in (3!)!');
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

/** jsep's messages in the words of arithmetic. */
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

/** The reason, the piece of the expression around an index, and a caret under it. */
function describe(text: string, index: number, reason: string): string {
  const from = Math.max(0, index - SHOWN_BEFORE);
  const before = `${from > 0 ? "…" : ""}${flat(text.slice(from, index))}`;
  const rest = `${flat(text.slice(index, index + SHOWN_AFTER))}${index + SHOWN_AFTER < text.length ? "…" : ""}`;
  return `Cannot calculate at character ${index + 1}: ${reason}\n  ${before}${rest}\n  ${" ".repeat([...before].length)}^`;
}

/** Line ends and tabs would move the caret away from what it points at. */
function flat(text: string): string {
  return text.replace(/[\r\n\t]/gu, " ");
}

function isSyntaxProblem(error: unknown): error is SyntaxProblem {
  return error instanceof Error && "index" in error && "description" in error;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
