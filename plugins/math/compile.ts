/**
 * Compiles an expression to a function, for tools that need its value at thousands of points: the tree is walked once.
 *
 * A value that is not a real number is NaN, an unbounded one is infinite: searching and sampling meet such points and continue.
 */

import { quote, requirePart, resolveCall } from "./calls.ts";
import { type Expression, readExpression } from "./expression.ts";
import { CONSTANTS, factorial, FUNCTIONS, power } from "./functions.ts";
import type { Node } from "./vendor/jsep.js";

/** Returns the value for the variables' values, in their order. */
export type Compiled = (values: readonly number[]) => number;

type Operator = (left: number, right: number) => number;

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["+", (left, right) => left + right],
  ["-", (left, right) => left - right],
  ["−", (left, right) => left - right],
  ["*", (left, right) => left * right],
  ["×", (left, right) => left * right],
  ["·", (left, right) => left * right],
  ["/", (left, right) => left / right],
  ["÷", (left, right) => left / right],
  ["%", (left, right) => left % right],
  ["^", power],
]);

/**
 * @param names variables, which take precedence over constants of the same name
 * @throws {Error} that points at the cause.
 */
export function compileExpression(text: string, names: readonly string[]): Compiled {
  const expression = readExpression(text);
  return build(expression.root, { expression, places: new Map(names.map((name, index) => [name, index])) });
}

interface Building {
  readonly expression: Expression;
  readonly places: ReadonlyMap<string, number>;
}

function build(node: Node, building: Building): Compiled {
  // A long sum is a left-leaning tree: a loop keeps its length off the stack.
  const spine: Node[] = [];
  let first = node;
  while (first.type === "BinaryExpression" && first.left !== undefined) {
    spine.push(first);
    first = first.left;
  }
  const begin = buildOne(first, building);
  const steps = spine.reverse().map((operation) => ({
    operator: operatorOf(operation, building),
    right: build(requirePart(operation.right), building),
  }));
  const [only] = steps;
  if (only === undefined) return begin;
  const { operator, right } = only;
  if (steps.length === 1) return (values) => operator(begin(values), right(values));
  return (values) => steps.reduce((value, step) => step.operator(value, step.right(values)), begin(values));
}

function operatorOf(node: Node, { expression }: Building): Operator {
  const operator = OPERATORS.get(node.operator ?? "");
  if (operator === undefined) throw expression.errorAt(expression.spanOf(node).start, `unknown operator ${quote(node.operator ?? "")}`);
  return operator;
}

function buildOne(node: Node, building: Building): Compiled {
  const { expression, places } = building;
  switch (node.type) {
    case "Literal": {
      const { value } = node;
      if (typeof value === "number") return () => value;
      break;
    }
    case "Identifier":
      return buildName(node, building);
    case "UnaryExpression": {
      const value = build(requirePart(node.argument), building);
      if (node.operator === "!") return (values) => factorial(value(values));
      return node.operator === "+" ? value : (values) => -value(values);
    }
    case "CallExpression": {
      const { called, args } = resolveCall(node, expression, (name) => places.has(name));
      const parts = args.map((argument) => build(argument, building));
      return (values) => called.run(...parts.map((part) => part(values)));
    }
  }
  throw expression.errorAt(expression.spanOf(node).start, "only numbers, names, operators, brackets and functions can be calculated with");
}

function buildName(node: Node, { expression, places }: Building): Compiled {
  const name = node.name ?? "";
  const place = places.get(name);
  if (place !== undefined) return (values) => values[place] ?? Number.NaN;
  const constant = CONSTANTS.get(name);
  if (constant !== undefined) return () => constant;
  const { start } = expression.spanOf(node);
  if (FUNCTIONS.has(name)) throw expression.errorAt(start, `${quote(name)} is a function (write ${name}(…))`);
  throw expression.errorAt(start, `unknown name ${quote(name)} (there are ${[...places.keys(), ...CONSTANTS.keys()].join(", ")})`);
}
