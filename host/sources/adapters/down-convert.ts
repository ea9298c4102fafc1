/**
 * A foreign JSON Schema in the words of tool schemas (SPEC S5).
 *
 * What has no such words is left out, and only so that more fits than before: a value that its own program would take is never
 * refused here. What was left out is that program's to check.
 */

import {
  checkDefault,
  checkSchema,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  pointerToken,
  SCHEMA_BOUNDS,
} from "../../../manifests/mod.ts";

/** The schema, and the places where it says less than the foreign one. */
export interface DownConverted {
  readonly schema: JsonSchema;
  /** JSON pointers into the foreign schema; none: the two say the same. */
  readonly lost: readonly string[];
}

const ANNOTATIONS: readonly string[] = ["title", "description", "default", "examples"];
const PLAIN: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ..."type enum const required format minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems".split(" "),
]);
/** They say nothing about values, or nothing that is left once references are written out. */
const SILENT: ReadonlySet<string> = new Set(
  "$schema $id $comment $anchor $defs definitions deprecated readOnly writeOnly contentMediaType contentEncoding".split(" "),
);
/** Where one of these is, `additionalProperties` and `items` mean something else than alone. */
const BESIDE_PROPERTIES = ["patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "$ref"];
const MAX_LOST = 50;
const MAX_NODES = SCHEMA_BOUNDS.nodes / 2;

/** To check the defaults of one schema. */
const STEPS = 200_000;

interface Walk {
  readonly root: JsonObject;
  readonly lost: string[];
  nodes: number;
  readonly budget: { steps: number };
}

/** Below the depth that schemas may have nothing is said any more, and beyond the size nothing at all. */
export function downConvert(foreign: JsonObject): DownConverted {
  const walk: Walk = { root: foreign, lost: [], nodes: 0, budget: { steps: STEPS } };
  const schema = convert(foreign, "", 1, walk);
  if (walk.nodes >= MAX_NODES) return { schema: {}, lost: [""] };
  return { schema, lost: walk.lost };
}

function lose(walk: Walk, pointer: string): void {
  if (walk.lost.length < MAX_LOST) walk.lost.push(pointer);
}

function convert(foreign: JsonValue, pointer: string, depth: number, walk: Walk): JsonObject {
  if (foreign === true) return {};
  if (!isJsonObject(foreign) || depth >= SCHEMA_BOUNDS.depth || ++walk.nodes >= MAX_NODES) {
    lose(walk, pointer);
    return {};
  }
  const schema = simplified(foreign, walk);
  const converted: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${pointer}/${pointerToken(keyword)}`;
    if (SILENT.has(keyword)) continue;
    if (PLAIN.has(keyword)) converted[keyword] = value;
    else if (keyword === "properties" && isJsonObject(value)) converted[keyword] = convertAll(value, place, depth, walk);
    else if (keyword === "items" && !isJsonArray(value) && schema["prefixItems"] === undefined)
      converted[keyword] = convert(value, place, depth + 1, walk);
    else if (keyword === "additionalProperties" && isKept(value, schema)) converted[keyword] = value === false ? false : true;
    else lose(walk, place);
  }
  // Null for "none", mostly: filled in here, it would be refused as if the caller had sent it. Its own program fills it in.
  if (hasWrongDefault(converted, walk)) delete converted["default"];
  return converted;
}

/** What is no schema at all is refused as such later. */
function hasWrongDefault(converted: JsonObject, { budget }: Walk): boolean {
  const { default: preset } = converted;
  if (preset === undefined || checkSchema(converted).length > 0) return false;
  return checkDefault(converted, preset, budget).length > 0;
}

function convertAll(properties: JsonObject, pointer: string, depth: number, walk: Walk): JsonObject {
  const converted: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    const place = `${pointer}/${pointerToken(name)}`;
    if (name === "__proto__") lose(walk, place);
    else converted[name] = convert(value, place, depth + 1, walk);
  }
  return converted;
}

/** `false` closes an object only as long as all that it may have is in `properties`. */
function isKept(value: JsonValue, schema: JsonObject): boolean {
  if (value === true || (isJsonObject(value) && Object.keys(value).length === 0)) return true;
  return value === false && !BESIDE_PROPERTIES.some((keyword) => Object.hasOwn(schema, keyword));
}

/** The same in fewer kinds of words: references written out, `anyOf` of types as a list of types, of constants as an `enum`. */
function simplified(schema: JsonObject, walk: Walk): JsonObject {
  const pointed = pointedAt(schema, walk);
  if (pointed !== undefined) return pointed;
  if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"] };
  const { allOf } = schema;
  if (isJsonArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0]) && isOnlyAbout(schema, "allOf")) {
    const { allOf: _allOf, ...about } = schema;
    return { ...simplified(allOf[0], walk), ...about };
  }
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (!isJsonArray(branches) || !isOnlyAbout(schema, keyword)) continue;
    const { [keyword]: _branches, ...about } = schema;
    const merged = mergeBranches(branches.map((branch) => (isJsonObject(branch) ? (pointedAt(branch, walk) ?? branch) : branch)));
    if (merged !== undefined) return { ...merged, ...about };
  }
  return schema;
}

/** Far more than any schema needs, and few enough for references that lead in circles. */
const MAX_STEPS = 20;

function pointedAt(schema: JsonObject, walk: Walk): JsonObject | undefined {
  let at = schema;
  let about: JsonObject = {};
  for (let step = 0; step < MAX_STEPS; step++) {
    const { $ref, ...rest } = at;
    if (typeof $ref !== "string") return step === 0 ? undefined : { ...at, ...about };
    // Draft 7 ignores what stands beside a reference, later drafts do not: only what checks nothing is kept.
    if (!isOnlyAbout(at, "$ref")) return undefined;
    const [, section, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
    const sections = section === undefined ? undefined : walk.root[section];
    const key = name === undefined ? "" : decoded(name);
    const target = isJsonObject(sections) && Object.hasOwn(sections, key) ? sections[key] : undefined;
    if (!isJsonObject(target)) return undefined;
    about = { ...rest, ...about };
    at = target;
  }
  return undefined;
}

function decoded(token: string): string {
  const unescaped = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch (error) {
    if (error instanceof URIError) return unescaped;
    throw error;
  }
}

function isOnlyAbout(schema: JsonObject, keyword: string): boolean {
  return Object.keys(schema).every((key) => key === keyword || ANNOTATIONS.includes(key) || SILENT.has(key));
}

/** One schema that means the same, if every branch is a constant, or has a type that no other has and only keywords of that type. */
function mergeBranches(branches: readonly JsonValue[]): JsonObject | undefined {
  const schemas = branches.filter(isJsonObject).map(({ title: _title, description: _description, ...rest }) => rest);
  if (schemas.length === 0 || schemas.length < branches.length) return undefined;
  if (schemas.every((schema) => Object.keys(schema).every((key) => key === "const" || key === "type") && Object.hasOwn(schema, "const"))) {
    const values = schemas.map((schema) => schema["const"] ?? null);
    return new Set(values.map((value) => JSON.stringify(value))).size === values.length ? { enum: values } : undefined;
  }
  const merged: Record<string, JsonValue> = {};
  const types: string[] = [];
  for (const { type, ...rest } of schemas) {
    if (typeof type !== "string" || types.includes(type) || !Object.keys(rest).every((key) => OF_TYPE.get(key) === kindOf(type)))
      return undefined;
    if (types.some((other) => kindOf(other) === kindOf(type))) return undefined;
    types.push(type);
    Object.assign(merged, rest);
  }
  return { type: types, ...merged };
}

/** `integer` is a kind of number: the two overlap. */
function kindOf(type: string): string {
  return type === "integer" ? "number" : type;
}

/** Keywords that other types ignore. */
const OF_TYPE: ReadonlyMap<string, string> = new Map([
  ...["minLength", "maxLength", "format"].map((key) => [key, "string"] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((key) => [key, "number"] as const),
  ...["items", "minItems", "maxItems"].map((key) => [key, "array"] as const),
  ...["properties", "required", "additionalProperties"].map((key) => [key, "object"] as const),
]);
