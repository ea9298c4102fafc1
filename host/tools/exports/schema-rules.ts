/** Rewrites a tool's schema for a target that knows fewer keywords; says what it drops. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonSchema, type JsonValue, pointerToken } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import type { ObjectSchema, PlainJson } from "./exported.ts";

/** What a target knows. */
export interface SchemaRules {
  /** Keywords that it understands; others are dropped. Absent: all. */
  readonly keywords?: ReadonlySet<string>;
  /** Keywords that it refuses at the top of a schema; they are dropped there. */
  readonly notAtTop?: ReadonlySet<string>;
  /** The schema is its source's own, and every word of it that the target knows is handed on. */
  readonly isWhole?: boolean;
  /** Says the same in the target's words, before keywords are dropped. */
  readonly rewrite?: (schema: JsonObject) => JsonObject;
}

/** Called for each keyword that is dropped. */
export type OnDropped = (pointer: string, keyword: string) => void;

/** For a target that knows all keywords. */
export function wholeRules({ checks }: Pick<ToolListing, "checks">): SchemaRules {
  return { isWhole: checks !== undefined };
}

/** Keywords that tell readers something and check nothing. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id"]);

/** Only schemas of objects: every target wants one at the top. */
export function toObjectSchema(schema: JsonSchema, rules: SchemaRules, dropped: OnDropped): ObjectSchema {
  // A schema is JSON; its interface just has no index signature.
  const converted = convert(schema as JsonObject, "", rules, dropped);
  return { ...converted, type: "object" };
}

/** Whether nothing but objects fits, so that the target's own wish for an object changes nothing. */
export function isObjectSchema({ type }: JsonSchema): boolean {
  return type === "object" || (Array.isArray(type) && type.length === 1 && type[0] === "object");
}

type PlainSchema = Record<string, PlainJson>;

function convert(schema: JsonObject, pointer: string, rules: SchemaRules, dropped: OnDropped): PlainSchema {
  const converted: PlainSchema = {};
  for (const [keyword, value] of Object.entries(rules.rewrite?.(schema) ?? schema)) {
    if (SILENT.has(keyword) && rules.isWhole !== true) continue;
    if (rules.keywords?.has(keyword) === false || (pointer === "" && rules.notAtTop?.has(keyword) === true))
      dropped(`${pointer}/${keyword}`, keyword);
    else converted[keyword] = convertValue(keyword, value, `${pointer}/${keyword}`, (at, inner) => convert(inner, at, rules, dropped));
  }
  return converted;
}

/** Keywords by what holds schemas in them. */
const OF_ONE: ReadonlySet<string> = new Set(["items", "additionalProperties"]);
const OF_LIST: ReadonlySet<string> = new Set(["anyOf", "oneOf", "prefixItems"]);
const OF_MEMBERS: ReadonlySet<string> = new Set(["properties", "$defs"]);

function convertValue(
  keyword: string,
  value: JsonValue,
  pointer: string,
  convertAt: (pointer: string, schema: JsonObject) => PlainSchema,
): PlainJson {
  if (OF_ONE.has(keyword) && isJsonObject(value)) return convertAt(pointer, value);
  if (OF_LIST.has(keyword) && isJsonArray(value)) return value.map((one) => (isJsonObject(one) ? convertAt(pointer, one) : cloned(one)));
  if (!OF_MEMBERS.has(keyword) || !isJsonObject(value)) return cloned(value);
  const converted = Object.entries(value).map(([name, one]): [string, PlainJson] => [
    name,
    isJsonObject(one) ? convertAt(`${pointer}/${pointerToken(name)}`, one) : cloned(one),
  ]);
  return Object.fromEntries(converted);
}

/** Ours are frozen; who gets it may change it. */
function cloned(value: JsonValue): PlainJson {
  return structuredClone(value) as PlainJson;
}
