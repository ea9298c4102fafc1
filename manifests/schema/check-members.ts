/** Keywords about the members of lists and objects (SPEC S3, AX5). */

import { lower } from "../text/document.ts";
import { isJsonArray, isJsonObject, pointerToken, type JsonObject, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { beginBranch, type Check, type Evaluated, inValue, isSpent, type Scope } from "./check-state.ts";
import { equalityKey } from "./equal-values.ts";
import { itemsOf, type JsonSchema, prefixItemsOf, type SubSchema } from "./json-schema.ts";
import { searchPattern } from "./pattern.ts";

/** Maximum steps of all patterns on the name of a property, which are not sliced: some milliseconds. */
const MAX_NAME_STEPS = 500_000;

function checkItemCount(schema: JsonSchema, value: readonly JsonValue[], fail: (keyword: string, message: string) => void): void {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    fail("minItems", `Has ${value.length} items, fewer than ${schema.minItems}`);
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    fail("maxItems", `Has ${value.length} items, more than ${schema.maxItems}`);
}

/** Opens the checks of a list and its items. */
export function checkItems(schema: JsonSchema, value: readonly JsonValue[], pointer: string, scope: Scope): void {
  const { check } = scope;
  checkItemCount(schema, value, (keyword, message) => void scope.errors.push({ pointer, message, keyword }));
  if (schema.contains !== undefined) checkContains(schema, value, pointer, scope);
  if (schema.uniqueItems === true) checkUnique(value, pointer, scope);
  const first = prefixItemsOf(schema);
  const others = itemsOf(schema);
  if (first.length === 0 && others === undefined) return;
  if (scope.evaluated !== undefined)
    scope.evaluated.items = Math.max(scope.evaluated.items, others === undefined ? first.length : Infinity);
  const inner = inValue(scope);
  let index = 0;
  check.open.push(() => {
    const item = value[index];
    const items = first[index] ?? others;
    if (item === undefined || items === undefined || isSpent(scope)) return false;
    check.node(items, item, `${pointer}/${index++}`, inner);
    return true;
  });
}

function checkUnique(value: readonly JsonValue[], pointer: string, scope: Scope): void {
  const { check } = scope;
  const places = new Map<string, number>();
  let index = 0;
  check.open.push(() => {
    const item = value[index];
    if (item === undefined || isSpent(scope)) return false;
    const key = equalityKey(item, check);
    const before = places.get(key);
    if (before !== undefined && check.steps > 0) {
      scope.errors.push({ pointer: `${pointer}/${index}`, message: `Is equal to item ${before}`, keyword: "uniqueItems" });
      return false;
    }
    places.set(key, index++);
    return true;
  });
}

function checkContains(schema: JsonSchema, value: readonly JsonValue[], pointer: string, scope: Scope): void {
  const { contains = true, minContains = 1, maxContains = Infinity } = schema;
  const { check } = scope;
  let index = 0;
  let count = 0;
  let branch: Scope | undefined;
  check.open.push(() => {
    if (branch?.errors.length === 0) {
      count++;
      // Draft 7 has no keyword that asks for it.
      scope.evaluated?.indices.add(index - 1);
    }
    const item = value[index];
    if (item !== undefined && !isSpent(scope)) {
      branch = beginBranch(contains, item, `${pointer}/${index++}`, inValue(scope));
      return true;
    }
    const found = `Has ${count} item${count === 1 ? "" : "s"} that fit${count === 1 ? "s" : ""} "contains"`;
    if (count < minContains) scope.errors.push({ pointer, message: `${found}, fewer than ${minContains}`, keyword: "contains" });
    if (count > maxContains) scope.errors.push({ pointer, message: `${found}, more than ${maxContains}`, keyword: "maxContains" });
    return false;
  });
}

/** Opens the checks of an object and its properties. */
export function checkObject(schema: JsonSchema, value: JsonObject, pointer: string, scope: Scope): void {
  const names = Object.keys(value);
  const fail = (keyword: string, message: string, name?: string): void =>
    void scope.errors.push({ pointer: name === undefined ? pointer : `${pointer}/${pointerToken(name)}`, message, keyword });
  for (const name of schema.required ?? []) {
    if (isSpent(scope)) return;
    if (!Object.hasOwn(value, name)) fail("required", "Is missing", name);
  }
  for (const [present, needed] of dependentNames(schema, value))
    for (const name of needed) {
      if (isSpent(scope)) return;
      if (!Object.hasOwn(value, name)) fail("dependentRequired", `Is missing, but needed beside "${printable(present)}"`, name);
    }
  const { minProperties = 0, maxProperties = Infinity, propertyNames } = schema;
  if (names.length < minProperties) fail("minProperties", `Has ${names.length} properties, fewer than ${minProperties}`);
  if (names.length > maxProperties) fail("maxProperties", `Has ${names.length} properties, more than ${maxProperties}`);
  if (propertyNames !== undefined) checkNames(propertyNames, names, pointer, scope);
  checkMembers(schema, value, pointer, scope);
}

function dependentNames({ dependentRequired, dependencies }: JsonSchema, value: JsonObject): readonly [string, readonly string[]][] {
  const all = [...Object.entries(dependentRequired ?? {}), ...Object.entries(dependencies ?? {})];
  return all.filter((entry): entry is [string, readonly string[]] => Array.isArray(entry[1]) && Object.hasOwn(value, entry[0]));
}

function checkNames(schema: SubSchema, names: readonly string[], pointer: string, scope: Scope): void {
  const { check } = scope;
  let index = 0;
  let branch: Scope | undefined;
  check.open.push(() => {
    const wrong = branch?.errors[0];
    const place = `${pointer}/${pointerToken(names[index - 1] ?? "")}`;
    if (wrong !== undefined)
      scope.errors.push({ pointer: place, message: `Has a name that ${lower(wrong.message)}`, keyword: "propertyNames" });
    const name = names[index++];
    if (name === undefined || isSpent(scope)) return false;
    branch = beginBranch(schema, name, "", inValue(scope));
    return true;
  });
}

function checkMembers(schema: JsonSchema, value: JsonObject, pointer: string, scope: Scope): void {
  const { check } = scope;
  const names = Object.keys(value);
  const { properties = {}, additionalProperties } = schema;
  const patterns = Object.entries(schema.patternProperties ?? {});
  const inner = inValue(scope);
  let index = 0;
  check.open.push(() => {
    const name = names[index++];
    if (name === undefined || isSpent(scope)) return false;
    const item = value[name];
    if (item === undefined) return true;
    const place = `${pointer}/${pointerToken(name)}`;
    const property = own(properties, name);
    const fitting = fittingPatterns(patterns, name, check);
    const known = property === undefined ? fitting : [property, ...fitting];
    if (known.length > 0 || additionalProperties !== undefined) noteName(scope.evaluated, name);
    if (known.length === 0 && additionalProperties === false)
      scope.errors.push({ pointer: place, message: "Is not expected", keyword: "additionalProperties" });
    else if (known.length === 0 && additionalProperties !== undefined) check.node(additionalProperties, item, place, inner);
    for (const one of known) check.node(one, item, place, inner);
    return true;
  });
}

function noteName(evaluated: Evaluated | undefined, name: string): void {
  if (evaluated !== undefined && evaluated.names !== "all") evaluated.names.add(name);
}

/** Returns the schemas whose pattern a name matches. Names that take too long end the check. */
function fittingPatterns(patterns: readonly (readonly [string, SubSchema])[], name: string, check: Check): readonly SubSchema[] {
  let left = MAX_NAME_STEPS;
  const fitting = patterns.filter(([pattern]) => {
    const search = searchPattern(pattern, name);
    const isFound = left > 0 && search.advance(left);
    left -= search.taken;
    return isFound;
  });
  check.steps -= (MAX_NAME_STEPS - left) >> 1;
  if (left <= 0) check.steps = 0;
  return fitting.map(([, schema]) => schema);
}

/** Checks the members that no other keyword evaluated, once those are done. */
export function checkUnevaluated(schema: JsonSchema, value: JsonValue, pointer: string, scope: Scope): void {
  const { check } = scope;
  const { unevaluatedItems, unevaluatedProperties } = schema;
  const { evaluated } = scope;
  if (evaluated === undefined) return;
  const inner = inValue(scope);
  const take = (one: SubSchema, item: JsonValue, key: string | number, keyword: string): void => {
    const place = `${pointer}/${pointerToken(String(key))}`;
    if (one === false) scope.errors.push({ pointer: place, message: "Is not expected", keyword });
    else check.node(one, item, place, inner);
  };
  if (unevaluatedProperties !== undefined && isJsonObject(value)) {
    const names = Object.keys(value);
    let index = 0;
    check.open.push(() => {
      const name = names[index++];
      if (name === undefined || isSpent(scope)) {
        evaluated.names = "all";
        return false;
      }
      const item = value[name];
      if (item !== undefined && evaluated.names !== "all" && !evaluated.names.has(name))
        take(unevaluatedProperties, item, name, "unevaluatedProperties");
      return true;
    });
  }
  if (unevaluatedItems !== undefined && isJsonArray(value)) {
    let index = 0;
    check.open.push(() => {
      const item = value[index];
      if (item === undefined || isSpent(scope)) {
        evaluated.items = Infinity;
        return false;
      }
      if (index >= evaluated.items && !evaluated.indices.has(index)) take(unevaluatedItems, item, index, "unevaluatedItems");
      index++;
      return true;
    });
  }
}

function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
