/**
 * Validates values against JSON Schema 2020-12 and draft 7 (SPEC S3, S4, AX5).
 *
 * Interprets the schema and never generates code from it. Lengths count code points, only own properties count, a keyword ignores
 * types that it does not apply to, `const` and `enum` compare deeply, and `integer` accepts 1.0. `format` is checked for
 * `CHECKED_FORMATS`. No value and no schema can use more than a bounded number of steps, or the stack.
 */

import { isJsonArray, isJsonObject, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { checkInPlace } from "./check-branches.ts";
import { checkItems, checkObject, checkUnevaluated } from "./check-members.ts";
import { addEvaluated, type Check, createCheck, isSpent, MAX_ERRORS, type Scope, type ValueError } from "./check-state.ts";
import { isEqual, isMultiple, type StepBudget } from "./equal-values.ts";
import { checkFormat } from "./format.ts";
import type { JsonSchema, SchemaType, SubSchema } from "./json-schema.ts";
import { searchPattern } from "./pattern.ts";

export type { ValueError } from "./check-state.ts";

/** Maximum steps of one check: some tens of milliseconds. */
const MAX_STEPS = 2_000_000;
/** Maximum steps of a check in slices. */
const MAX_SLICED_STEPS = 20_000_000;
/** Steps per slice. */
const SLICE = 2_048;
/** Steps of a pattern at a time. */
const PATTERN_SLICE = 4_096;

/**
 * Returns all differences between `value` and `schema` (at most 100). The schema must be one that `checkSchema` accepted.
 *
 * @example
 * ```ts
 * checkValue({ type: "object", required: ["path"] }, {}); // [{ pointer: "/path", message: "Is missing", keyword:
 * "required" }]
 * ```
 */
export function checkValue(schema: JsonSchema, value: JsonValue): readonly ValueError[] {
  return checkWithin(schema, value, { steps: MAX_STEPS }, schema);
}

/** Like `checkValue`, in slices, for large values. */
export function* checkSlices(schema: JsonSchema, value: JsonValue): Generator<void, readonly ValueError[]> {
  const scope = beginCheck(schema, value, MAX_SLICED_STEPS);
  const { check } = scope;
  let pause = check.steps - SLICE;
  while (checkNext(check)) {
    if (check.steps > pause) continue;
    yield;
    pause = check.steps - SLICE;
  }
  return errorsOf(scope);
}

/** Like `checkValue`, with the steps of a budget for several checks. */
export function checkWithin(schema: JsonSchema, value: JsonValue, budget: StepBudget, root: JsonSchema): readonly ValueError[] {
  const scope = beginCheck(schema, value, budget.steps, root);
  while (checkNext(scope.check));
  budget.steps = scope.check.steps;
  return errorsOf(scope);
}

function beginCheck(schema: JsonSchema, value: JsonValue, steps: number, root: JsonSchema = schema): Scope {
  const scope = createCheck(root, steps, checkNode);
  checkNode(schema, value, "", scope);
  return scope;
}

function errorsOf({ check: { steps }, errors }: Scope): readonly ValueError[] {
  if (steps > 0) return errors.slice(0, MAX_ERRORS);
  return [...errors.slice(0, MAX_ERRORS - 1), { pointer: "", message: "Is too large to be checked", keyword: "limit" }];
}

/** Checks one more member. @returns false when all are checked */
function checkNext(check: Check): boolean {
  const next = check.open.at(-1);
  if (next === undefined) return false;
  const { length } = check.open;
  if (!next()) check.open.length = length - 1;
  return true;
}

function checkNode(schema: SubSchema, value: JsonValue, pointer: string, outer: Scope): void {
  if (isSpent(outer)) return;
  const { check } = outer;
  if (typeof schema === "boolean") {
    if (!schema) outer.errors.push({ pointer, message: "Is not allowed", keyword: "false" });
    return;
  }
  const isReference = check.index.isDraft7 && schema.$ref !== undefined;
  const scope = openScope(schema, outer);
  // Opened containers are checked last in, first out: what was evaluated is known when the members and branches are done.
  if (!isReference) checkUnevaluated(schema, value, pointer, scope);
  checkInPlace(schema, { value, pointer, scope });
  if (isReference) return;
  const fail = (keyword: string, message: string): void => void scope.errors.push({ pointer, message, keyword });

  if (schema.type !== undefined && !toList(schema.type).some((type) => isOfType(value, type)))
    fail("type", `Is ${typeName(value)}, not ${toList(schema.type).join(" or ")}`);
  if (schema.const !== undefined && !isEqual(schema.const, value, check)) fail("const", `Is not ${show(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.some((choice) => isEqual(choice, value, check)))
    fail("enum", `Is not one of ${showAll(schema.enum)}`);
  if (typeof value === "number") checkNumber(schema, value, fail);
  else if (typeof value === "string") checkString(schema, value, fail, check);
  else if (isJsonArray(value)) checkItems(schema, value, pointer, scope);
  else if (isJsonObject(value)) checkObject(schema, value, pointer, scope);
}

/** Begins a new account of evaluated members where a schema has a keyword that asks for it; it is added to the outer one in the end. */
function openScope(schema: JsonSchema, outer: Scope): Scope {
  const { check } = outer;
  const resource = check.index.resources.get(schema);
  const isEntered = resource !== undefined && resource !== outer.dynamic.resource;
  const counts = schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined;
  if (!isEntered && !counts) return outer;
  const scope: Scope = {
    ...outer,
    ...(isEntered && { dynamic: { resource, outer: outer.dynamic } }),
    ...(counts && { evaluated: { names: new Set(), items: 0, indices: new Set() } }),
  };
  const { evaluated } = scope;
  if (counts && outer.evaluated !== undefined && evaluated !== undefined)
    check.open.push(() => {
      addEvaluated(evaluated, outer.evaluated);
      return false;
    });
  return scope;
}

type Fail = (keyword: string, message: string) => void;

function checkNumber(schema: JsonSchema, value: number, fail: Fail): void {
  if (schema.minimum !== undefined && value < schema.minimum) fail("minimum", `Is ${value}, below ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) fail("maximum", `Is ${value}, above ${schema.maximum}`);
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    fail("exclusiveMinimum", `Is ${value}, not above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    fail("exclusiveMaximum", `Is ${value}, not below ${schema.exclusiveMaximum}`);
  if (schema.multipleOf !== undefined && !isMultiple(value, schema.multipleOf))
    fail("multipleOf", `Is ${value}, not a multiple of ${schema.multipleOf}`);
}

function checkString(schema: JsonSchema, value: string, fail: Fail, check: Check): void {
  if (schema.minLength !== undefined || schema.maxLength !== undefined) {
    check.steps -= value.length >> 6;
    const length = codePointCount(value);
    if (schema.minLength !== undefined && length < schema.minLength)
      fail("minLength", `Has ${length} characters, fewer than ${schema.minLength}`);
    if (schema.maxLength !== undefined && length > schema.maxLength)
      fail("maxLength", `Has ${length} characters, more than ${schema.maxLength}`);
  }
  if (schema.format !== undefined && !checkFormat(schema.format, value))
    fail("format", `Is not in the format "${printable(schema.format)}"`);
  const { pattern } = schema;
  if (pattern === undefined) return;
  const search = searchPattern(pattern, value);
  check.open.push(() => {
    const before = search.taken;
    const isFound = search.advance(PATTERN_SLICE);
    check.steps -= (search.taken - before) >> 1;
    if (isFound === undefined) return check.steps > 0;
    if (!isFound) fail("pattern", `Does not match the pattern "${printable(pattern)}"`);
    return false;
  });
}

function isOfType(value: JsonValue, type: SchemaType): boolean {
  return type === typeName(value) || (type === "number" && typeof value === "number") || (type === "integer" && Number.isInteger(value));
}

function typeName(value: JsonValue): SchemaType {
  if (value === null) return "null";
  if (isJsonArray(value)) return "array";
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return typeof value as SchemaType;
    default:
      return "object";
  }
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

function toList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function showAll(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map(show).join(", ");
  return values.length > 10 ? `${shown} and ${values.length - 10} more` : shown;
}

function show(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "the given list" : "the given object";
  return typeof value === "string" ? `"${printable(value)}"` : String(value);
}
