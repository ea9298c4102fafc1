/**
 * Converts a foreign JSON Schema to the subset of tool schemas (SPEC S5).
 *
 * Keywords outside of the subset are dropped, but only if that makes the schema more permissive: a value that the foreign program accepts
 * is never refused here. The foreign program checks what was dropped.
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

/** The converted schema, and the places where it is more permissive than the foreign one. */
interface DownConverted {
  readonly schema: JsonSchema;
  /** JSON pointers into the foreign schema. Empty if both are equivalent. */
  readonly lost: readonly string[];
}

const ANNOTATIONS: readonly string[] = ["title", "description", "default", "examples"];
const PLAIN: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ..."type enum const required format minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems".split(" "),
]);
/** Keywords that do not constrain values, or no longer do once references are inlined. */
const SILENT: ReadonlySet<string> = new Set(
  "$schema $id $comment $anchor $defs definitions deprecated readOnly writeOnly contentMediaType contentEncoding".split(" "),
);
/** Beside one of these, `additionalProperties` and `items` have another meaning. */
const BESIDE_PROPERTIES = ["patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "$ref"];
const MAX_LOST = 50;
const MAX_NODES = SCHEMA_BOUNDS.nodes / 2;

/** Budget for checking the defaults of one schema. */
const STEPS = 200_000;

interface Walk {
  readonly root: JsonObject;
  readonly lost: string[];
  nodes: number;
  readonly budget: { steps: number };
}

/** Converts a schema. Levels below the maximum depth become `{}`; so does a schema above the maximum size. */
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
  // A wrong default, often null for "none", would be refused as if the caller had sent it. It is dropped; the foreign program fills it in.
  if (hasWrongDefault(converted, walk)) delete converted["default"];
  return converted;
}

/** An invalid schema is refused later. */
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

/** Keeps `additionalProperties: false` only if `properties` lists all allowed names. */
function isKept(value: JsonValue, schema: JsonObject): boolean {
  if (value === true || (isJsonObject(value) && Object.keys(value).length === 0)) return true;
  return value === false && !BESIDE_PROPERTIES.some((keyword) => Object.hasOwn(schema, keyword));
}

/**
 * Rewrites a schema with fewer keywords: references are inlined, `anyOf` of types becomes a list of types, `anyOf` of constants an `enum`.
 */
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

/** Far more than a schema needs; stops circular references. */
const MAX_STEPS = 20;

function pointedAt(schema: JsonObject, walk: Walk): JsonObject | undefined {
  let at = schema;
  let about: JsonObject = {};
  for (let step = 0; step < MAX_STEPS; step++) {
    const { $ref, ...rest } = at;
    if (typeof $ref !== "string") return step === 0 ? undefined : { ...at, ...about };
    // Draft 7 ignores keywords beside a reference, later drafts do not. So only annotations are kept.
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

/**
 * Merges branches into one equivalent schema. Possible if every branch is a constant, or has its own type and only keywords of that type.
 */
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

/** `integer` overlaps with `number`. */
function kindOf(type: string): string {
  return type === "integer" ? "number" : type;
}

/** Keywords that apply to one type only. */
const OF_TYPE: ReadonlyMap<string, string> = new Map([
  ...["minLength", "maxLength", "format"].map((key) => [key, "string"] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((key) => [key, "number"] as const),
  ...["items", "minItems", "maxItems"].map((key) => [key, "array"] as const),
  ...["properties", "required", "additionalProperties"].map((key) => [key, "object"] as const),
]);
