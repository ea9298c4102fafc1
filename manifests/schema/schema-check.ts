/** Checks that a schema uses only the subset of JSON Schema for tools (SPEC S1, S2). */

import { findHiddenText } from "../text/hidden-text.ts";
import { SCHEMA_TYPES } from "./json-schema.ts";
import { isJsonObject, pointerToken } from "../text/json.ts";
import { printable } from "../text/names.ts";
import type { Problem } from "../text/problem.ts";
import { nearest } from "../text/suggest.ts";

/** Refused keywords of JSON Schema, with their alternatives. Other keywords outside S1 are refused as unknown. */
export const REFUSED_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["$ref", "write the schema out where it is used"],
  ["$defs", "write the schema out where it is used"],
  ["definitions", "write the schema out where it is used"],
  ["oneOf", 'list the types in "type", or the values in "enum"'],
  ["anyOf", 'list the types in "type", or the values in "enum"'],
  ["allOf", "merge the schemas into one"],
  ["not", "describe what is allowed, and check the rest in the tool"],
  ["if", "check it in the tool"],
  ["then", "check it in the tool"],
  ["else", "check it in the tool"],
  ["patternProperties", 'name the properties in "properties"'],
  ["propertyNames", 'name the properties in "properties"'],
  ["dependencies", "check it in the tool"],
  ["dependentRequired", "check it in the tool"],
  ["dependentSchemas", "check it in the tool"],
  ["pattern", 'use "format", "enum" or a length, and check the rest in the tool'],
  ["contains", "check it in the tool"],
  ["additionalItems", 'describe every item in "items"'],
  ["prefixItems", 'describe every item in "items"'],
  ["uniqueItems", "check it in the tool"],
  ["multipleOf", 'use "integer", and check the rest in the tool'],
  ["minProperties", 'use "required"'],
  ["maxProperties", "check it in the tool"],
]);

/** Maximum nesting depth, number of schemas and number of listed values. */
export const SCHEMA_BOUNDS: { readonly depth: number; readonly nodes: number; readonly values: number } = Object.freeze({
  depth: 32,
  nodes: 2_000,
  values: 10_000,
});

const KNOWN_KEYWORDS = [
  "type",
  "enum",
  "const",
  "required",
  "properties",
  "items",
  "title",
  "description",
  "default",
  "examples",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "additionalProperties",
  "$schema",
  "$id",
];
const MAX_PROBLEMS = 100;

/**
 * Returns every problem that keeps `schema` from being a `JsonSchema`; pointers begin with `pointer`.
 *
 * Texts that a model reads (titles, descriptions, names, values) may not contain hidden characters.
 *
 * @example
 * ```ts
 * checkSchema({ type: "string", pattern: "a+" }, "/inputSchema"); // [{ pointer: "/inputSchema/pattern", … }]
 * ```
 */
export function checkSchema(schema: unknown, pointer: string = ""): readonly Problem[] {
  const check: Check = { problems: [], nodes: 0, values: 0 };
  checkNode(schema, pointer, 1, check);
  return check.problems.slice(0, MAX_PROBLEMS);
}

interface Check {
  readonly problems: Problem[];
  nodes: number;
  values: number;
}

function checkNode(schema: unknown, pointer: string, depth: number, check: Check): void {
  if (check.problems.length >= MAX_PROBLEMS || check.nodes > SCHEMA_BOUNDS.nodes) return;
  if (!isJsonObject(schema)) return report(check, pointer, "Schema is not an object", 'write an object such as { "type": "string" }');
  if (depth > SCHEMA_BOUNDS.depth)
    return report(check, pointer, `Schema is nested deeper than ${SCHEMA_BOUNDS.depth} levels`, "make it flatter");
  if (++check.nodes > SCHEMA_BOUNDS.nodes)
    return report(check, pointer, `Schema has more than ${SCHEMA_BOUNDS.nodes} parts`, "make it smaller");

  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${pointer}/${pointerToken(keyword)}`;
    const advice = REFUSED_KEYWORDS.get(keyword);
    if (advice !== undefined) report(check, place, `Keyword "${keyword}" is not supported in tool schemas`, advice);
    else if (keyword === "properties") checkProperties(value, place, depth, check);
    else if (keyword === "items") checkItems(value, place, depth, check);
    else checkKeyword(keyword, value, place, check);
  }
}

function checkProperties(value: unknown, pointer: string, depth: number, check: Check): void {
  if (!isJsonObject(value)) return report(check, pointer, '"properties" is not an object', 'write { "name": { "type": … } }');
  for (const [name, schema] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(name)}`;
    if (name === "__proto__") report(check, place, 'Property "__proto__" is not allowed', "rename it");
    else {
      checkText(name, place, "Property name", check);
      checkNode(schema, place, depth + 1, check);
    }
  }
}

function checkItems(value: unknown, pointer: string, depth: number, check: Check): void {
  if (Array.isArray(value)) report(check, pointer, '"items" must not be a list of schemas', "write one schema for every item");
  else checkNode(value, pointer, depth + 1, check);
}

function checkKeyword(keyword: string, value: unknown, pointer: string, check: Check): void {
  switch (keyword) {
    case "type":
      return checkType(value, pointer, check);
    case "enum":
    case "examples":
      if (!Array.isArray(value) || (keyword === "enum" && value.length === 0))
        return report(check, pointer, `"${keyword}" is not a list of values`, "write a list with at least one value");
      return checkJson(value, pointer, 1, check);
    case "const":
    case "default":
      return checkJson(value, pointer, 1, check);
    case "required":
      return checkRequired(value, pointer, check);
    case "title":
    case "description":
    case "format":
    case "$schema":
    case "$id":
      if (typeof value !== "string") return report(check, pointer, `"${keyword}" is not a string`, "write a string");
      return checkText(value, pointer, `"${keyword}"`, check);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return Number.isFinite(value) ? undefined : report(check, pointer, `"${keyword}" is not a number`, "write a number");
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return Number.isSafeInteger(value) && Number(value) >= 0
        ? undefined
        : report(check, pointer, `"${keyword}" is not a whole number of at least 0`, "write a whole number");
    case "additionalProperties":
      return typeof value === "boolean"
        ? undefined
        : report(check, pointer, '"additionalProperties" is not true or false', 'write false, and name the properties in "properties"');
    default:
      return report(check, pointer, `Keyword "${printable(keyword)}" is unknown`, nearest(keyword, KNOWN_KEYWORDS));
  }
}

function checkType(value: unknown, pointer: string, check: Check): void {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isKnown = types.every((type) => SCHEMA_TYPES.some((known) => known === type));
  if (types.length === 0 || !isKnown || new Set(types).size !== types.length) {
    report(check, pointer, '"type" is neither a type nor a list of different types', `write one of ${SCHEMA_TYPES.join(", ")}`);
  }
}

function checkRequired(value: unknown, pointer: string, check: Check): void {
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string") || new Set(value).size !== value.length) {
    return report(check, pointer, '"required" is not a list of different property names', "list the names of the required properties");
  }
  for (const [index, name] of value.entries()) checkText(name, `${pointer}/${index}`, "Property name", check);
}

/** Checks values in a schema: JSON, bounded, and without hidden text, because models read them too. */
function checkJson(value: unknown, pointer: string, depth: number, check: Check): void {
  if (++check.values > SCHEMA_BOUNDS.values) {
    if (check.values === SCHEMA_BOUNDS.values + 1)
      report(check, pointer, `Schema lists more than ${SCHEMA_BOUNDS.values} values`, "list fewer");
    return;
  }
  if (depth > SCHEMA_BOUNDS.depth)
    return report(check, pointer, `Value is nested deeper than ${SCHEMA_BOUNDS.depth} levels`, "make it flatter");
  if (typeof value === "string") return checkText(value, pointer, "Value", check);
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return;
  if (Array.isArray(value)) return value.forEach((item, index) => checkJson(item, `${pointer}/${index}`, depth + 1, check));
  if (!isJsonObject(value)) return report(check, pointer, "Value is not JSON", "write a JSON value");
  for (const [key, item] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(key)}`;
    if (key === "__proto__") report(check, place, 'Key "__proto__" is not allowed', "rename it");
    checkText(key, place, "Key", check);
    checkJson(item, place, depth + 1, check);
  }
}

function checkText(text: string, pointer: string, what: string, check: Check): void {
  const hidden = findHiddenText(text);
  if (hidden !== undefined) report(check, pointer, `${what} contains ${hidden.description} at index ${hidden.index}`, "remove it");
}

function report(check: Check, pointer: string, message: string, fix: string): void {
  check.problems.push({ severity: "error", pointer, message, fix });
}
