/**
 * Validates values against the schema subset with the semantics of JSON Schema Draft 7 (SPEC S4).
 *
 * Interprets the schema and never generates code from it. Lengths count code points, only own properties count, a keyword ignores
 * types that it does not apply to, `const` and `enum` compare deeply, and `integer` accepts 1.0.
 */

import { checkFormat } from "./format.ts";
import type { JsonSchema, SchemaType } from "./json-schema.ts";
import { isJsonArray, isJsonObject, pointerToken, type JsonObject, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";

/** One difference between a value and its schema. */
export interface ValueError {
  /** RFC 6901, `""` for the value itself. For a missing or an unexpected property it names that property. */
  readonly pointer: string;
  readonly message: string;
  /** The schema keyword that failed, or `limit` if the check stopped early. */
  readonly keyword: string;
}

const MAX_ERRORS = 100;
/** Maximum comparisons of one check: some tenths of a second. */
const MAX_STEPS = 2_000_000;
const MAX_FILLS = 10_000;
/** Members checked per slice. */
const SLICE = 512;

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
  const check = beginCheck(schema, value);
  while (checkNext(check));
  return errorsOf(check);
}

/** Like `checkValue`, in slices, for large values. */
export function* checkSlices(schema: JsonSchema, value: JsonValue): Generator<void, readonly ValueError[]> {
  const check = beginCheck(schema, value);
  for (let count = 1; checkNext(check); count++) if (count % SLICE === 0) yield;
  return errorsOf(check);
}

/** Remaining steps for several checks. */
export interface StepBudget {
  steps: number;
}

/** Like `checkValue`, for a default after its missing members are filled in; takes its steps from the budget. */
export function checkDefault(schema: JsonSchema, value: JsonValue, budget: StepBudget): readonly ValueError[] {
  const left = { fills: MAX_FILLS, steps: budget.steps };
  const filling = fill(schema, value, left);
  let step = filling.next();
  while (step.done !== true) step = filling.next();
  const check = beginCheck(schema, step.value, left.steps);
  while (checkNext(check));
  budget.steps = check.steps;
  return errorsOf(check);
}

function beginCheck(schema: JsonSchema, value: JsonValue, steps: number = MAX_STEPS): Check {
  const check: Check = { errors: [], steps, open: [] };
  checkNode(schema, value, "", check);
  return check;
}

function errorsOf({ errors, steps }: Check): readonly ValueError[] {
  if (steps > 0) return errors.slice(0, MAX_ERRORS);
  return [...errors.slice(0, MAX_ERRORS - 1), { pointer: "", message: "Is too large to be checked", keyword: "limit" }];
}

/**
 * Returns `value` with each absent property filled in that has a `default` in `schema`, at every existing level.
 *
 * Fills in at most 10,000 properties, so that a small value cannot grow without bound; `checkValue` reports those still missing.
 */
export function applyDefaults(schema: JsonSchema, value: JsonValue): JsonValue {
  if (!hasDefaults(schema)) return value;
  const filling = fill(schema, value, { fills: MAX_FILLS, steps: MAX_STEPS });
  for (let step = filling.next(); ; step = filling.next()) if (step.done === true) return step.value;
}

/** Like `applyDefaults`, in slices, for large values. */
export function* applyDefaultsSlices(schema: JsonSchema, value: JsonValue): Generator<void, JsonValue> {
  return hasDefaults(schema) ? yield* fill(schema, value, { fills: MAX_FILLS, steps: MAX_STEPS }) : value;
}

const WITH_DEFAULTS = new WeakMap<JsonSchema, boolean>();

/** Returns whether any member has a default, at any depth. */
function hasDefaults(schema: JsonSchema): boolean {
  const known = WITH_DEFAULTS.get(schema);
  if (known !== undefined) return known;
  const found =
    (schema.items !== undefined && hasDefaults(schema.items)) ||
    Object.values(schema.properties ?? {}).some((property) => Object.hasOwn(property, "default") || hasDefaults(property));
  WITH_DEFAULTS.set(schema, found);
  return found;
}

interface FillBudget {
  fills: number;
  steps: number;
}

/** Returns the value itself if nothing is missing, as in most calls. */
function* fill(schema: JsonSchema, value: JsonValue, budget: FillBudget): Generator<void, JsonValue> {
  if (budget.steps <= 0) return value;
  if (isJsonArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasDefaults(items)) return value;
    let list: JsonValue[] | undefined;
    for (const [index, item] of value.entries()) {
      const filled = yield* fill(items, item, budget);
      if (filled !== item) (list ??= value.slice())[index] = filled;
    }
    return list ?? value;
  }
  if (!isJsonObject(value)) return value;
  let filled: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (--budget.steps % SLICE === 0) yield;
    const present = own(value, name);
    const preset = present === undefined && budget.fills > 0 ? own(property, "default") : undefined;
    if (preset !== undefined) budget.fills--;
    const next = present ?? preset;
    if (next === undefined) continue;
    const member = yield* fill(property, next, budget);
    if (member === present) continue;
    // A null prototype, because keys come from outside.
    filled ??= Object.assign(Object.create(null) as Record<string, JsonValue>, value);
    filled[name] = member;
  }
  return filled ?? value;
}

interface Check {
  readonly errors: ValueError[];
  /** Remaining steps. */
  steps: number;
  /** Open containers, innermost last. Each function checks the next member and returns whether there was one. */
  readonly open: (() => boolean)[];
}

/** Checks one more member. @returns false when all are checked */
function checkNext(check: Check): boolean {
  const next = check.open.at(-1);
  if (next === undefined) return false;
  const { length } = check.open;
  if (!next()) check.open.length = length - 1;
  return true;
}

function checkNode(schema: JsonSchema, value: JsonValue, pointer: string, check: Check): void {
  if (isSpent(check)) return;
  const fail = (keyword: string, message: string): void => void check.errors.push({ pointer, message, keyword });

  if (schema.type !== undefined && !toList(schema.type).some((type) => isOfType(value, type)))
    fail("type", `Is ${typeName(value)}, not ${toList(schema.type).join(" or ")}`);
  if (schema.const !== undefined && !isEqual(schema.const, value, check)) fail("const", `Is not ${show(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.some((choice) => isEqual(choice, value, check)))
    fail("enum", `Is not one of ${showAll(schema.enum)}`);
  if (typeof value === "number") checkNumber(schema, value, fail);
  else if (typeof value === "string") checkString(schema, value, fail, check);
  else if (isJsonArray(value)) {
    checkItemCount(schema, value, fail);
    checkItems(schema, value, pointer, check);
  } else if (isJsonObject(value)) checkObject(schema, value, pointer, check);
}

type Fail = (keyword: string, message: string) => void;

function checkNumber(schema: JsonSchema, value: number, fail: Fail): void {
  if (schema.minimum !== undefined && value < schema.minimum) fail("minimum", `Is ${value}, below ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) fail("maximum", `Is ${value}, above ${schema.maximum}`);
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    fail("exclusiveMinimum", `Is ${value}, not above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    fail("exclusiveMaximum", `Is ${value}, not below ${schema.exclusiveMaximum}`);
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
}

function checkItemCount(schema: JsonSchema, value: readonly JsonValue[], fail: Fail): void {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    fail("minItems", `Has ${value.length} items, fewer than ${schema.minItems}`);
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    fail("maxItems", `Has ${value.length} items, more than ${schema.maxItems}`);
}

function checkItems({ items }: JsonSchema, value: readonly JsonValue[], pointer: string, check: Check): void {
  if (items === undefined) return;
  let index = 0;
  check.open.push(() => {
    const item = value[index];
    if (item === undefined || isSpent(check)) return false;
    checkNode(items, item, `${pointer}/${index++}`, check);
    return true;
  });
}

function checkObject(schema: JsonSchema, value: JsonObject, pointer: string, check: Check): void {
  for (const name of schema.required ?? []) {
    if (isSpent(check)) return;
    if (!Object.hasOwn(value, name))
      check.errors.push({ pointer: `${pointer}/${pointerToken(name)}`, message: "Is missing", keyword: "required" });
  }
  const { properties = {} } = schema;
  const names = Object.keys(value);
  let index = 0;
  check.open.push(() => {
    const name = names[index++];
    if (name === undefined || isSpent(check)) return false;
    const place = `${pointer}/${pointerToken(name)}`;
    const property = own(properties, name);
    const item = value[name];
    if (property !== undefined && item !== undefined) checkNode(property, item, place, check);
    else if (property === undefined && schema.additionalProperties === false)
      check.errors.push({ pointer: place, message: "Is not expected", keyword: "additionalProperties" });
    return true;
  });
}

/** Counts one step; returns true if the check must stop. */
function isSpent(check: Check): boolean {
  check.steps--;
  return check.steps <= 0 || check.errors.length >= MAX_ERRORS;
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

function isEqual(a: JsonValue, b: JsonValue, check: Check): boolean {
  // Counted first, because comparing equal parts takes time too.
  if (--check.steps <= 0) return false;
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonArray(a)) return isJsonArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, check));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null, check))
  );
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined;
function own<T extends object, K extends keyof T>(object: T, key: K): T[K] | undefined;
function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
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
