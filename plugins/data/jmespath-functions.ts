/**
 * JMESPath functions that the package implements incorrectly, as the specification defines them.
 *
 * The package sorts numbers as text, compares text by the machine's locale, lets `max_by` fail on texts, passes arrays as
 * arguments (which fails at some 10,000 elements), and groups `constructor` under what every object inherits.
 */

import { registerFunction, TreeInterpreter } from "./vendor/jmespath.js";

// The package's type numbers, of which it exports only some.
const ANY = 1;
const STRING = 2;
const ARRAY = 3;
const EXPRESSION = 6;
const NUMBERS = 8;
const STRINGS = 9;

/** Name of the function that reads one field. The space in it keeps expressions from calling it. */
export const OWN_FIELD = "own field";

type Key = string | number;

/** Registers the functions; registering again replaces them. */
export function registerFunctions(): void {
  const scalars = [{ types: [STRINGS, NUMBERS] }];
  const keyed = [{ types: [ARRAY] }, { types: [EXPRESSION] }];
  const register = (name: string, run: (args: unknown[]) => unknown, signature: Parameters<typeof registerFunction>[2]): void =>
    registerFunction(name, run, signature, { override: true });

  register("sort", ([values]) => toKeys(values).toSorted(compare), scalars);
  register("max", ([values]) => extreme(toKeys(values), (value) => value, 1), scalars);
  register("min", ([values]) => extreme(toKeys(values), (value) => value, -1), scalars);
  register("max_by", ([items, expression]) => extreme(toArray(items), keyReader("max_by", expression), 1), keyed);
  register("min_by", ([items, expression]) => extreme(toArray(items), keyReader("min_by", expression), -1), keyed);
  register("group_by", ([items, expression]) => groupBy(toArray(items), expression), keyed);
  register("to_number", ([value]) => toNumber(value), [{ types: [ANY] }]);
  register(OWN_FIELD, ([value, name]) => ownField(value, String(name)), [{ types: [ANY] }, { types: [STRING] }]);
}

/** Compares texts by code point and numbers by size. */
function compare(left: Key, right: Key): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [a, b] = [[...String(left)], [...String(right)]];
  for (let index = 0; index < a.length && index < b.length; index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Returns the first of the greatest (`sign` 1) or least (-1) elements; null for an empty array. */
function extreme<Item>(items: readonly Item[], keyOf: (item: Item) => Key, sign: 1 | -1): Item | null {
  let best: { item: Item; key: Key } | undefined;
  for (const item of items) {
    const key = keyOf(item);
    if (best !== undefined && typeof key !== typeof best.key)
      throw new Error(`Invalid type: the keys are partly ${typeof best.key}s, partly ${typeof key}s`);
    if (best === undefined || compare(key, best.key) * sign > 0) best = { item, key };
  }
  return best === undefined ? null : best.item;
}

function keyReader(name: string, expression: unknown): (item: unknown) => Key {
  return (item) => {
    const key = TreeInterpreter.visit(expression, item);
    if (typeof key === "string" || typeof key === "number") return key;
    throw new Error(`Invalid type: ${name}() expected a string or a number for every element, received ${typeName(key)}`);
  };
}

function groupBy(items: readonly unknown[], expression: unknown): unknown {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const key = TreeInterpreter.visit(expression, item);
    if (typeof key !== "string") throw new Error(`Invalid type: group_by() expected a string for every element, received ${typeName(key)}`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return Object.fromEntries(groups);
}

/** Converts a text to a number if it is a JSON number. */
function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return null;
  return Reflect.get(value, name);
}

// The signature already checked this; the cast is for the compiler.
function toKeys(value: unknown): Key[] {
  return toArray(value).filter((item) => typeof item === "string" || typeof item === "number");
}

function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
