/** Checks that a schema can be checked with: JSON Schema 2020-12 or draft 7, within bounds, with references inside itself (SPEC S1, S2, AX5). */

import { findHiddenText } from "../text/hidden-text.ts";
import { isDraft7, type JsonSchema, SCHEMA_KEYWORDS, SCHEMA_TYPES } from "./json-schema.ts";
import { parsePattern } from "./pattern-parse.ts";
import { indexOf } from "./schema-index.ts";
import { isJsonObject, pointerToken } from "../text/json.ts";
import { printable } from "../text/names.ts";
import type { Problem } from "../text/problem.ts";
import { nearest } from "../text/suggest.ts";

/** Refused keywords of JSON Schema, with their alternatives. Keywords outside JSON Schema are refused as unknown. */
export const REFUSED_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["$recursiveRef", 'write "$ref" or "$dynamicRef"'],
  ["$recursiveAnchor", 'write "$anchor" or "$dynamicAnchor"'],
  ["$vocabulary", "leave it out"],
]);

/** Keywords of one draft only, refused where `$schema` names the other one, with the spelling there. */
const OTHER_DRAFT: ReadonlyMap<string, { readonly isDraft7: boolean; readonly fix: string }> = new Map<
  string,
  { readonly isDraft7: boolean; readonly fix: string }
>([
  ["additionalItems", { isDraft7: true, fix: 'write "prefixItems" for the first items and "items" for the others' }],
  ...[
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "contentSchema",
  ].map((keyword) => [keyword, { isDraft7: false, fix: 'write "$schema": "https://json-schema.org/draft/2020-12/schema"' }] as const),
]);

const DRAFT = /^https?:\/\/json-schema\.org\/(?:draft-0[4-7]|draft\/20(?:19-09|20-12))\/schema#?$/;

/** Maximum nesting depth, number of schemas and number of listed values. */
export const SCHEMA_BOUNDS: { readonly depth: number; readonly nodes: number; readonly values: number } = Object.freeze({
  depth: 32,
  nodes: 2_000,
  values: 10_000,
});

const KNOWN_KEYWORDS = [
  ...Object.values(SCHEMA_KEYWORDS).flat(),
  ..."type enum const title description default examples deprecated readOnly writeOnly format pattern required".split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems".split(" "),
  ..."minContains maxContains minProperties maxProperties dependentRequired contentEncoding contentMediaType".split(" "),
  ..."$ref $dynamicRef $anchor $dynamicAnchor $schema $id $comment".split(" "),
];
const SHAPES = new Map(Object.entries(SCHEMA_KEYWORDS).flatMap(([shape, keywords]) => keywords.map((keyword) => [keyword, shape])));
const MAX_PROBLEMS = 100;

/**
 * Returns every problem that keeps `schema` from being a `JsonSchema`; pointers begin with `pointer`.
 *
 * Texts that a model reads (titles, descriptions, names, values) may not contain hidden characters.
 *
 * @example
 * ```ts
 * checkSchema({ type: "string", pattern: "(?=a)" }, "/inputSchema"); // [{ pointer: "/inputSchema/pattern", … }]
 * ```
 */
export function checkSchema(schema: unknown, pointer: string = ""): readonly Problem[] {
  const check: Check = { problems: [], nodes: 0, values: 0, isDraft7: isJsonObject(schema) && isDraft7(schema) };
  checkNode(schema, pointer, 1, check);
  if (check.problems.length > 0) return check.problems.slice(0, MAX_PROBLEMS);
  // Every keyword has its shape, so that references can be resolved.
  return indexOf(schema as JsonSchema)
    .problems.slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, pointer: pointer + problem.pointer }));
}

interface Check {
  readonly problems: Problem[];
  nodes: number;
  values: number;
  readonly isDraft7: boolean;
}

function checkNode(schema: unknown, pointer: string, depth: number, check: Check): void {
  if (check.problems.length >= MAX_PROBLEMS || check.nodes > SCHEMA_BOUNDS.nodes) return;
  if (typeof schema === "boolean" && depth > 1) return void check.nodes++;
  if (!isJsonObject(schema)) return report(check, pointer, "Schema is not an object", 'write an object such as { "type": "string" }');
  if (depth > SCHEMA_BOUNDS.depth)
    return report(check, pointer, `Schema is nested deeper than ${SCHEMA_BOUNDS.depth} levels`, "make it flatter");
  if (++check.nodes > SCHEMA_BOUNDS.nodes)
    return report(check, pointer, `Schema has more than ${SCHEMA_BOUNDS.nodes} parts`, "make it smaller");

  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${pointer}/${pointerToken(keyword)}`;
    const advice = REFUSED_KEYWORDS.get(keyword);
    const other = OTHER_DRAFT.get(keyword);
    const shape = SHAPES.get(keyword);
    if (advice !== undefined) report(check, place, `Keyword "${keyword}" is not supported in tool schemas`, advice);
    else if (other !== undefined && other.isDraft7 !== check.isDraft7)
      report(check, place, `Keyword "${keyword}" is not part of ${check.isDraft7 ? "draft 7" : "draft 2020-12"}`, other.fix);
    else if (keyword === "items" && Array.isArray(value)) checkTuple(value, place, depth, check);
    else if (shape === "one") checkNode(value, place, depth + 1, check);
    else if (shape === "list") checkList(value, place, depth, check);
    else if (shape === "members") checkMembers(value, place, depth, check);
    else checkKeyword(keyword, value, place, check);
  }
}

function checkTuple(value: readonly unknown[], pointer: string, depth: number, check: Check): void {
  if (check.isDraft7) return checkList(value, pointer, depth, check);
  report(check, pointer, '"items" must not be a list of schemas', 'write "prefixItems", or one schema for every item');
}

function checkList(value: unknown, pointer: string, depth: number, check: Check): void {
  if (!Array.isArray(value) || value.length === 0)
    return report(check, pointer, `"${keywordOf(pointer)}" is not a list of schemas`, "write a list with at least one schema");
  value.forEach((schema, index) => checkNode(schema, `${pointer}/${index}`, depth + 1, check));
}

function keywordOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}

function checkMembers(value: unknown, pointer: string, depth: number, check: Check): void {
  const keyword = keywordOf(pointer);
  if (!isJsonObject(value)) return report(check, pointer, `"${keyword}" is not an object`, 'write { "name": { "type": … } }');
  for (const [name, schema] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(name)}`;
    if (name === "__proto__") {
      report(check, place, 'Property "__proto__" is not allowed', "rename it");
      continue;
    }
    checkText(name, place, keyword === "patternProperties" ? "Pattern" : "Property name", check);
    if (keyword === "patternProperties") checkPattern(name, place, check);
    if (keyword === "dependencies" && Array.isArray(schema)) checkNames(keyword, schema, place, check);
    else checkNode(schema, place, depth + 1, check);
  }
}

function checkPattern(value: unknown, pointer: string, check: Check): void {
  if (typeof value !== "string") return report(check, pointer, '"pattern" is not a string', "write a regular expression");
  if (check.problems.length >= MAX_PROBLEMS) return;
  const program = parsePattern(value);
  if ("message" in program) report(check, pointer, program.message, program.fix);
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
      return checkNames(keyword, value, pointer, check);
    case "dependentRequired":
      if (!isJsonObject(value)) return report(check, pointer, `"${keyword}" is not an object`, 'write { "name": ["other name"] }');
      for (const [name, names] of Object.entries(value)) {
        checkText(name, `${pointer}/${pointerToken(name)}`, "Property name", check);
        checkNames(keyword, names, `${pointer}/${pointerToken(name)}`, check);
      }
      return undefined;
    case "pattern":
      return checkPattern(value, pointer, check);
    case "deprecated":
    case "readOnly":
    case "writeOnly":
    case "uniqueItems":
      return typeof value === "boolean" ? undefined : report(check, pointer, `"${keyword}" is not true or false`, "write true or false");
    case "$schema":
      // A part of another draft would need the other draft's rules.
      if (typeof value === "string" && DRAFT.test(value) && isDraft7({ $schema: value }) === check.isDraft7) return undefined;
      return report(
        check,
        pointer,
        `"$schema" names no supported draft: ${typeof value === "string" ? `"${printable(value)}"` : "not a string"}`,
        'write "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#", or leave it out',
      );
    case "title":
    case "description":
    case "format":
    case "contentEncoding":
    case "contentMediaType":
    case "$ref":
    case "$dynamicRef":
    case "$anchor":
    case "$dynamicAnchor":
    case "$comment":
    case "$id":
      if (typeof value !== "string") return report(check, pointer, `"${keyword}" is not a string`, "write a string");
      return checkText(value, pointer, `"${keyword}"`, check);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return Number.isFinite(value) ? undefined : report(check, pointer, `"${keyword}" is not a number`, "write a number");
    case "multipleOf":
      return Number.isFinite(value) && Number(value) > 0
        ? undefined
        : report(check, pointer, '"multipleOf" is not a number above 0', "write a number");
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
    case "minContains":
    case "maxContains":
    case "minProperties":
    case "maxProperties":
      return Number.isSafeInteger(value) && Number(value) >= 0
        ? undefined
        : report(check, pointer, `"${keyword}" is not a whole number of at least 0`, "write a whole number");
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

function checkNames(keyword: string, value: unknown, pointer: string, check: Check): void {
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string") || new Set(value).size !== value.length) {
    return report(check, pointer, `"${keyword}" is not a list of different property names`, "list the names of the required properties");
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
