/** Calculates the value of an expression. This file alone evaluates the tree: names are looked up in its maps, and nothing else exists. */

import { quote, requirePart, resolveCall } from "./calls.ts";
import { readExpression, type Expression } from "./expression.ts";
import { CONSTANTS, factorial, FUNCTIONS, power } from "./functions.ts";
import type { Node } from "./vendor/jsep.js";

/** The value, and a note on what a double cannot represent. */
export interface Calculated {
  result: number;
  /** Formatted with at most 15 significant digits: `0.1 + 0.2` is 0.3. */
  text: string;
  note?: string;
}

/**
 * Calculates an expression with numbers as doubles (IEEE 754).
 *
 * @throws {Error} that points at the cause: syntax, an unknown name, or a result that is not a real, finite number.
 */
export function calculate(text: string, variables: ReadonlyMap<string, number>): Calculated {
  const expression = readExpression(text);
  const run: Run = { expression, variables, isRounded: false };
  const value = evaluate(expression.root, run);
  // Convert -0 to 0: users do not expect a sign, and JSON would lose it.
  const result = value === 0 ? 0 : value;
  const calculated = { result, text: toText(result) };
  if (!run.isRounded) return calculated;
  return { ...calculated, note: `Whole numbers beyond ${Number.MAX_SAFE_INTEGER} are rounded to about 16 digits` };
}

/** Formats only digits that are certain; an exponent shows that further digits are unknown. */
function toText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (Math.abs(value) < Number.MAX_SAFE_INTEGER) return String(Number(value.toPrecision(15)));
  return value.toExponential(14).replace(/\.?0+e/u, "e");
}

interface Run {
  readonly expression: Expression;
  readonly variables: ReadonlyMap<string, number>;
  isRounded: boolean;
}

function evaluate(node: Node, run: Run): number {
  // A long sum is a left-leaning tree: a loop keeps its length off the stack.
  const spine: Node[] = [];
  let first = node;
  while (first.type === "BinaryExpression" && first.left !== undefined) {
    spine.push(first);
    first = first.left;
  }
  let value = check(evaluateOne(first, run), first, run);
  for (const operation of spine.reverse()) value = check(operate(operation, value, run), operation, run);
  return value;
}

function evaluateOne(node: Node, run: Run): number {
  switch (node.type) {
    case "Literal":
      if (typeof node.value === "number") return node.value;
      throw errorAt(node, run, "texts cannot be calculated with");
    case "Identifier":
      return lookUp(node, run);
    case "UnaryExpression":
      return applySign(node, run);
    case "CallExpression":
      return call(node, run);
    default:
      throw errorAt(node, run, "only numbers, names, operators, brackets and functions can be calculated with");
  }
}

function lookUp(node: Node, run: Run): number {
  const name = node.name ?? "";
  const value = run.variables.get(name) ?? CONSTANTS.get(name);
  if (value !== undefined) return value;
  if (FUNCTIONS.has(name)) throw errorAt(node, run, `${quote(name)} is a function (write ${name}(…))`);
  const given = [...run.variables.keys(), ...CONSTANTS.keys()].join(", ");
  throw errorAt(node, run, `unknown name ${quote(name)} (there are ${given}; give others as variables)`);
}

function applySign(node: Node, run: Run): number {
  const value = evaluate(requirePart(node.argument), run);
  if (node.operator === "!") {
    const result = factorial(value);
    if (Number.isNaN(result)) throw errorAt(node, run, `only whole numbers from 0 on have a factorial, not ${value}`);
    return result;
  }
  return node.operator === "+" ? value : -value;
}

function call(node: Node, run: Run): number {
  const { called, args } = resolveCall(node, run.expression, (name) => run.variables.has(name));
  return called.run(...args.map((argument) => evaluate(argument, run)));
}

function operate(node: Node, left: number, run: Run): number {
  const right = evaluate(requirePart(node.right), run);
  switch (node.operator) {
    case "+":
      return left + right;
    case "-":
    case "−":
      return left - right;
    case "*":
    case "×":
    case "·":
      return left * right;
    case "/":
    case "÷":
      if (right === 0) throw operatorError(node, run, "division by zero");
      return left / right;
    case "%":
      if (/^[-+−]/u.test(expressionAfter(node, run)))
        throw operatorError(node, run, '"%" is the remainder; for percent write /100, for a signed divisor write brackets, as in 7 % (-3)');
      if (right === 0) throw operatorError(node, run, "division by zero");
      return left % right;
    case "^":
      if (left === 0 && right < 0) throw operatorError(node, run, "division by zero (0 to a negative power)");
      return power(left, right);
    default:
      throw operatorError(node, run, `unknown operator ${quote(node.operator ?? "")}`);
  }
}

/** JSON has neither NaN nor infinity, and continuing would hide the cause. */
function check(value: number, node: Node, run: Run): number {
  if (Number.isNaN(value)) throw errorAt(node, run, `${shown(node, run)} is not a real number`);
  if (!Number.isFinite(value)) throw errorAt(node, run, `${shown(node, run)} is beyond the largest double, about 1.8e308`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isInteger(value)) run.isRounded ||= !isPlainlyLarge(node);
  return value;
}

/** `1e20` states its precision by itself. */
function isPlainlyLarge(node: Node): boolean {
  return node.type === "Literal" && String(node.value).includes("e");
}

function shown(node: Node, { expression }: Run): string {
  const { start, end } = expression.spanOf(node);
  const text = expression.text.slice(start, end);
  return quote(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function errorAt(node: Node, { expression }: Run, reason: string): Error {
  return expression.errorAt(expression.spanOf(node).start, reason);
}

/** Points at the operator, the first token after the left side. */
function operatorError(node: Node, { expression }: Run, reason: string): Error {
  const end = expression.spanOf(requirePart(node.left)).end;
  const blanks = /^\s*/u.exec(expression.text.slice(end))?.[0].length ?? 0;
  return expression.errorAt(end + blanks, reason);
}

function expressionAfter(node: Node, { expression }: Run): string {
  return expression.text.slice(expression.spanOf(requirePart(node.right)).start);
}
