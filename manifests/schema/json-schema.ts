/** JSON Schema of tools and settings: draft 2020-12, and draft 7 where `$schema` names it (SPEC S1, AX5). */

import type { JsonValue } from "../text/json.ts";

export const SCHEMA_TYPES = ["string", "number", "integer", "boolean", "null", "object", "array"] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** A schema inside another: `true` accepts every value, `false` none. */
export type SubSchema = JsonSchema | boolean;
type SubSchemas = Readonly<Record<string, SubSchema>>;

/**
 * A schema of arguments, results or settings: the keywords of JSON Schema 2020-12 that the host checks, and annotations, such as `title`, for
 * people and models. `docs/schemas.md` describes them.
 */
export interface JsonSchema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  /** Matched in linear time: no lookaround and no back-references. */
  readonly pattern?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: SubSchema;

  readonly required?: readonly string[];
  readonly properties?: SubSchemas;
  readonly patternProperties?: SubSchemas;
  readonly additionalProperties?: SubSchema;
  readonly unevaluatedProperties?: SubSchema;
  readonly propertyNames?: SubSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: SubSchemas;
  /** Draft 7. */
  readonly dependencies?: Readonly<Record<string, SubSchema | readonly string[]>>;

  /** A list is of draft 7, which calls `prefixItems` so. */
  readonly items?: SubSchema | readonly SubSchema[];
  readonly prefixItems?: readonly SubSchema[];
  /** Draft 7. */
  readonly additionalItems?: SubSchema;
  readonly unevaluatedItems?: SubSchema;
  readonly contains?: SubSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly allOf?: readonly SubSchema[];
  readonly anyOf?: readonly SubSchema[];
  readonly oneOf?: readonly SubSchema[];
  readonly not?: SubSchema;
  readonly if?: SubSchema;
  readonly then?: SubSchema;
  readonly else?: SubSchema;

  readonly $ref?: string;
  readonly $dynamicRef?: string;
  readonly $anchor?: string;
  readonly $dynamicAnchor?: string;
  readonly $defs?: SubSchemas;
  /** Draft 7. */
  readonly definitions?: SubSchemas;
  readonly $schema?: string;
  readonly $id?: string;
  readonly $comment?: string;
}

const NONE: JsonSchema = Object.freeze({ not: Object.freeze({}) });
const ANY: JsonSchema = Object.freeze({});

/** Returns the object form of a schema: `{}` for true, `{ "not": {} }` for false. */
export function schemaObject(schema: SubSchema): JsonSchema {
  return typeof schema === "object" ? schema : schema ? ANY : NONE;
}

/** Returns the schema of the items behind `prefixItems`, in the terms of draft 2020-12. */
export function itemsOf({ items, additionalItems }: JsonSchema): SubSchema | undefined {
  return isSchemaList(items) ? additionalItems : items;
}

/** Returns the schemas of the first items, in the terms of draft 2020-12. */
export function prefixItemsOf({ items, prefixItems }: JsonSchema): readonly SubSchema[] {
  return isSchemaList(items) ? items : (prefixItems ?? []);
}

function isSchemaList(items: JsonSchema["items"]): items is readonly SubSchema[] {
  return Array.isArray(items);
}

/** Returns whether `$schema` names draft 7 or one of the older drafts, which are read like it. */
export function isDraft7({ $schema }: JsonSchema): boolean {
  return $schema !== undefined && /^https?:\/\/json-schema\.org\/draft-0[4-7]\/schema#?$/.test($schema);
}

/** Keywords by the shape of their value. */
export const SCHEMA_KEYWORDS: {
  readonly one: readonly string[];
  readonly list: readonly string[];
  readonly members: readonly string[];
} = Object.freeze({
  one: [
    ..."additionalProperties unevaluatedProperties propertyNames items additionalItems unevaluatedItems".split(" "),
    ..."contains not if then else contentSchema".split(" "),
  ],
  list: ["prefixItems", "allOf", "anyOf", "oneOf"],
  members: ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"],
});

/** Keywords whose schemas describe the value itself, not a part of it. */
const IN_PLACE: ReadonlySet<string> = new Set("allOf anyOf oneOf not if then else dependentSchemas dependencies".split(" "));

/** A schema directly inside another. */
interface InnerSchema {
  /** JSON pointer from the outer schema's keyword: `["properties", "a"]`. */
  readonly path: readonly string[];
  readonly schema: SubSchema;
  /** Whether it describes the same value as the outer schema. */
  readonly isInPlace: boolean;
}

/** Lists the schemas directly inside a schema that `checkSchema` accepted. */
export function innerSchemas(schema: JsonSchema): readonly InnerSchema[] {
  const found: InnerSchema[] = [];
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const isInPlace = IN_PLACE.has(keyword);
    const add = (path: readonly string[], inner: unknown): void => {
      // Lists in `dependencies` are names. Every other value is a schema, as `checkSchema` found.
      if (!Array.isArray(inner)) found.push({ path, schema: inner as SubSchema, isInPlace });
    };
    if (Array.isArray(value) && (SCHEMA_KEYWORDS.list.includes(keyword) || keyword === "items"))
      value.forEach((inner, index) => add([keyword, String(index)], inner));
    else if (SCHEMA_KEYWORDS.one.includes(keyword)) add([keyword], value);
    else if (SCHEMA_KEYWORDS.members.includes(keyword))
      for (const [name, inner] of Object.entries(value as object)) add([keyword, name], inner);
  }
  return found;
}
