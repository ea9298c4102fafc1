/** Fills in defaults: of `properties` and `items`, also behind `$ref` and in `allOf` (SPEC S3). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../text/json.ts";
import type { StepBudget } from "./equal-values.ts";
import { innerSchemas, itemsOf, type JsonSchema, prefixItemsOf, type SubSchema } from "./json-schema.ts";
import { indexOf, type SchemaIndex } from "./schema-index.ts";
import { checkWithin, type ValueError } from "./validator.ts";

const MAX_STEPS = 2_000_000;
const MAX_FILLS = 10_000;
/** Members per slice. */
const SLICE = 512;

/**
 * Returns `value` with each absent property filled in that has a `default` in `schema`, at every existing level.
 *
 * Fills in at most 10,000 properties, so that a small value cannot grow without bound; `checkValue` reports those still missing.
 */
export function applyDefaults(schema: JsonSchema, value: JsonValue): JsonValue {
  const filling = applyDefaultsSlices(schema, value);
  for (let step = filling.next(); ; step = filling.next()) if (step.done === true) return step.value;
}

/** Like `applyDefaults`, in slices, for large values. */
export function* applyDefaultsSlices(schema: JsonSchema, value: JsonValue): Generator<void, JsonValue> {
  if (!hasDefaults(schema)) return value;
  return yield* fill([schema], value, { fills: MAX_FILLS, steps: MAX_STEPS, index: indexOf(schema) });
}

/**
 * Checks a default of a schema after its missing members are filled in; takes its steps from the budget.
 *
 * @param root schema that holds the definitions
 */
export function checkDefault(schema: JsonSchema, value: JsonValue, budget: StepBudget, root: JsonSchema = schema): readonly ValueError[] {
  const left = { fills: MAX_FILLS, steps: budget.steps, index: indexOf(root) };
  const filling = fill([schema], value, left);
  let step = filling.next();
  while (step.done !== true) step = filling.next();
  budget.steps = left.steps;
  return checkWithin(schema, step.value, budget, root);
}

const WITH_DEFAULTS = new WeakMap<JsonSchema, boolean>();

/** Returns whether any member of a whole schema has a default, at any depth. */
function hasDefaults(schema: JsonSchema): boolean {
  const known = WITH_DEFAULTS.get(schema);
  if (known !== undefined) return known;
  const found = innerSchemas(schema).some(
    ({ schema: inner }) => typeof inner === "object" && (Object.hasOwn(inner, "default") || hasDefaults(inner)),
  );
  WITH_DEFAULTS.set(schema, found);
  return found;
}

interface FillBudget {
  fills: number;
  steps: number;
  readonly index: SchemaIndex;
}

/** Returns the value itself if nothing is missing, as in most calls. */
function* fill(schemas: readonly SubSchema[], value: JsonValue, budget: FillBudget): Generator<void, JsonValue> {
  if (budget.steps <= 0 || typeof value !== "object" || value === null) return value;
  const all = withParts(schemas, budget);
  if (isJsonArray(value)) return yield* fillItems(all, value, budget);
  return isJsonObject(value) ? yield* fillMembers(all, value, budget) : value;
}

/** Adds the schemas that describe the same value. References that lead in a circle are refused at load. */
function withParts(schemas: readonly SubSchema[], budget: FillBudget): readonly JsonSchema[] {
  const open = [...schemas];
  const found: JsonSchema[] = [];
  for (let schema = open.shift(); schema !== undefined && --budget.steps > 0; schema = open.shift()) {
    if (typeof schema === "boolean") continue;
    found.push(schema);
    const target = budget.index.refs.get(schema);
    if (target !== undefined) open.push(target.schema);
    if (schema.allOf !== undefined && !(target !== undefined && budget.index.isDraft7)) open.push(...schema.allOf);
  }
  return found;
}

function* fillItems(schemas: readonly JsonSchema[], value: readonly JsonValue[], budget: FillBudget): Generator<void, JsonValue> {
  const described = schemas.map((schema) => ({ first: prefixItemsOf(schema), others: itemsOf(schema) }));
  if (described.every(({ first, others }) => first.length === 0 && others === undefined)) return value;
  let list: JsonValue[] | undefined;
  for (const [index, item] of value.entries()) {
    if (--budget.steps % SLICE === 0) yield;
    const items = described.map(({ first, others }) => first[index] ?? others).filter((one) => one !== undefined);
    const filled = yield* fill(items, item, budget);
    if (filled !== item) (list ??= value.slice())[index] = filled;
  }
  return list ?? value;
}

function* fillMembers(schemas: readonly JsonSchema[], value: JsonObject, budget: FillBudget): Generator<void, JsonValue> {
  let filled: Record<string, JsonValue> | undefined;
  for (const { properties = {} } of schemas) {
    for (const [name, property] of Object.entries(properties)) {
      if (--budget.steps % SLICE === 0) yield;
      const now = filled ?? value;
      const present = Object.hasOwn(now, name) ? now[name] : undefined;
      const preset =
        present === undefined && budget.fills > 0 && typeof property === "object" && Object.hasOwn(property, "default")
          ? property.default
          : undefined;
      if (preset !== undefined) budget.fills--;
      const next = present ?? preset;
      if (next === undefined) continue;
      const member = yield* fill([property], next, budget);
      if (member === present) continue;
      // A null prototype, because keys come from outside.
      filled ??= Object.assign(Object.create(null) as Record<string, JsonValue>, value);
      filled[name] = member;
    }
  }
  return filled ?? value;
}
