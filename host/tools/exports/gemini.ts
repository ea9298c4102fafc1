import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import type { GeminiTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { type SchemaRules, toObjectSchema } from "./schema-rules.ts";

/** `parametersJsonSchema` supports a part of JSON Schema; other keywords are rewritten to equivalent ones where possible. */
export const geminiFormat: ToolFormat<GeminiTool> = {
  title: "Gemini",
  maxTools: 512,
  convert({ name, description, listing, lose }) {
    const dropped = (pointer: string, keyword: string): void => lose(`/inputSchema${pointer}`, `Gemini has no "${keyword}"`);
    return { name, description, parametersJsonSchema: toObjectSchema(listing.inputSchema, RULES, dropped) };
  },
};

const RULES: SchemaRules = {
  keywords: new Set(
    "type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required $ref $defs".split(
      " ",
    ),
  ),
  rewrite,
};

/** Normalizes references: Gemini allows no validating keyword beside a reference, and only one name for definitions. */
function withoutAliases(schema: JsonObject): JsonObject {
  const { $ref, definitions, ...rest } = schema;
  const target = typeof $ref === "string" ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1] : undefined;
  const beside =
    target === undefined
      ? rest
      : Object.fromEntries(
          Object.entries(rest).map(([keyword, value]) => [keyword === "$defs" ? keyword : `${keyword} beside $ref`, value]),
        );
  const defs = isJsonObject(definitions) ? { $defs: { ...definitions, ...(isJsonObject(rest["$defs"]) && rest["$defs"]) } } : {};
  return {
    ...beside,
    ...(target !== undefined ? { $ref: `#/$defs/${target}` } : $ref !== undefined && { "$ref elsewhere": $ref }),
    ...defs,
  };
}

/**
 * Rewrites constants as enums with one value, and exclusive integer bounds as inclusive ones; `null` can be combined with one type only.
 */
function rewrite(given: JsonObject): JsonObject {
  const schema = withoutAliases(given);
  const { const: only, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const isInteger = schema["type"] === "integer";
  const rewritten: Record<string, JsonValue> = { ...rest };
  if (only !== undefined) rewritten[isListable(only) && schema["enum"] === undefined ? "enum" : "const"] = listed(only, schema);
  limit(rewritten, "exclusiveMinimum", exclusiveMinimum, isInteger ? 1 : undefined);
  limit(rewritten, "exclusiveMaximum", exclusiveMaximum, isInteger ? -1 : undefined);
  const { enum: values } = rewritten;
  // Kept under a name that is dropped later, so that the loss is reported.
  if (isJsonArray(values) && !values.every(isListable)) {
    delete rewritten["enum"];
    rewritten["enum of other values than texts and numbers"] = values;
  }
  return splitTypes(rewritten);
}

function isListable(value: JsonValue): boolean {
  return typeof value === "string" || typeof value === "number";
}

function listed(only: JsonValue, schema: JsonObject): JsonValue {
  return isListable(only) && schema["enum"] === undefined ? [only] : only;
}

/** Converts an exclusive bound of integers to the inclusive one next to it. */
function limit(
  schema: Record<string, JsonValue>,
  keyword: "exclusiveMinimum" | "exclusiveMaximum",
  bound: JsonValue | undefined,
  step?: number,
): void {
  if (typeof bound !== "number") return;
  const plain = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
  if (step === undefined || !Number.isInteger(bound)) schema[keyword] = bound;
  else schema[plain] = stricter(plain, schema[plain], bound + step);
}

function stricter(keyword: "minimum" | "maximum", before: JsonValue | undefined, bound: number): number {
  if (typeof before !== "number") return bound;
  return keyword === "minimum" ? Math.max(before, bound) : Math.min(before, bound);
}

/** Splits several types into `anyOf`. Each gets all keywords beside it, because other types ignore them. */
function splitTypes(schema: Record<string, JsonValue>): JsonObject {
  const { type, title, description, default: filled, examples, ...rest } = schema;
  if (!isJsonArray(type)) return schema;
  const types = type.filter((one) => one !== "null");
  if (types.length <= 1 && type.length <= 2) return { ...schema, type: type.length === 1 ? (type[0] ?? "null") : type };
  const about = {
    ...defined({ title, description, default: filled, examples }),
  };
  return { ...about, anyOf: type.map((one) => ({ ...rest, type: one })) };
}
