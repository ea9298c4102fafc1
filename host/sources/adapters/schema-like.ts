/** Reads schemas of other libraries by their interface, not by library (SPEC K1, K2). */

import { downConvert } from "./down-convert.ts";
import { checkDefaults, checkSchema, isJsonObject, type JsonObject, type JsonSchema, REFUSED_KEYWORDS } from "../../../manifests/mod.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { copyJson } from "../../primitives/json/json.ts";

/**
 * A JSON Schema (as TypeBox's), or an object that can supply one: Standard Schema with `jsonSchema` (zod 4.2, ArkType, …), zod 4's own
 * `toJSONSchema()`, the AI SDK's `jsonSchema`.
 */
export type SchemaLike = object;

/** Keywords of JSON Schema that are refused, always or for some values. */
const STANDARD: ReadonlySet<string> = new Set([
  ...REFUSED_KEYWORDS.keys(),
  ..."pattern $ref $dynamicRef $anchor $dynamicAnchor $id $schema items".split(" "),
]);

/** Somewhat less than a definition may have. */
const PUBLISHED_BOUNDS = { maxBytes: 128 * 1024, maxDepth: 60 } as const;
const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 128 } as const;

/** Tag of tools whose own program checks a part of their arguments, because the host cannot. */
export const OPAQUE_TAG = "schema:opaque";

/** A tool's declared schema, converted from a foreign one. */
export interface DeclaredSchema {
  /** The schema that the host checks. */
  readonly schema: JsonSchema;
  readonly tags: readonly string[];
  /** The foreign schema, if it differs from the converted one. */
  readonly published?: JsonObject;
}

/**
 * @param what names the owner, for messages
 * @throws {TypeError} if the schema has no JSON Schema form
 */
export function declareSchema(foreign: SchemaLike, what: string): DeclaredSchema {
  const own = toJsonSchema(foreign, what);
  if (checkSchema(own).length === 0 && checkDefaults(own, "").length === 0) return { schema: own, tags: [] };
  const { schema, lost } = downConvert(own);
  const { $schema: _draft, type = "object", ...rest } = own;
  const { type: _type, ...ours } = schema;
  // The subset is JSON; its interface only lacks an index signature. A schema larger than a definition may be is not published.
  const isOurs = equalJson(rest, ours as JsonObject);
  const isPublished = !isOurs && type === "object" && copyJson(own, PUBLISHED_BOUNDS).ok;
  return { schema, tags: lost.length > 0 ? [OPAQUE_TAG] : [], ...(isPublished && { published: { ...own, type } }) };
}

/** Returns whether a JSON Schema is valid but uses what the host cannot check. Schemas that are valid as neither are refused later. */
export function isBeyondOurs(schema: SchemaLike): boolean {
  const problems = checkSchema(schema);
  return problems.length > 0 && problems.every(({ pointer }) => isOfStandard(schema, pointer));
}

function isOfStandard(schema: SchemaLike, pointer: string): boolean {
  const path = pointer.split("/").slice(1);
  const keyword = path.at(-1) ?? "";
  const value = path.reduce<unknown>((at, token) => member(at, token.replaceAll("~1", "/").replaceAll("~0", "~")), schema);
  // A schema may be true or false; keywords with "x-" belong to other programs.
  return STANDARD.has(keyword) || path.at(-2) === "patternProperties" || keyword.startsWith("x-") || typeof value === "boolean";
}

/** Returns whether the object supplies a JSON Schema, instead of being one. */
export function isTelling(schema: SchemaLike): boolean {
  return ["~standard", "toJSONSchema", "jsonSchema", "_def"].some((name) => member(schema, name) !== undefined);
}

function toJsonSchema(schema: SchemaLike, what: string): JsonObject {
  const told = tell(schema);
  if (told instanceof Promise) throw new TypeError(`The schema of ${what} is created asynchronously (await it, and pass the result)`);
  const copy = copyJson(told, BOUNDS);
  if (!copy.ok) throw new TypeError(`The schema of ${what} is not a valid JSON Schema: ${copy.problem.message}`);
  if (isJsonObject(copy.value)) return copy.value;
  throw new TypeError(`The schema of ${what} is not a valid JSON Schema`);
}

function tell(schema: SchemaLike): unknown {
  const standard = member(member(schema, "~standard"), "jsonSchema");
  const input = member(standard, "input");
  if (typeof input === "function") return Reflect.apply(input, standard, [{ target: "draft-07" }]);
  const own = member(schema, "toJSONSchema");
  if (typeof own === "function") return Reflect.apply(own, schema, [{ target: "draft-7", io: "input" }]);
  const told = member(schema, "jsonSchema");
  if (told !== undefined) return told;
  if (member(schema, "~standard") !== undefined || member(schema, "_def") !== undefined)
    throw new TypeError("The schema cannot be converted to JSON Schema (use zod 4.2 or later, or pass a JSON Schema)");
  return schema;
}

function member(value: unknown, name: string): unknown {
  return (typeof value === "object" || typeof value === "function") && value !== null ? Reflect.get(value, name) : undefined;
}
