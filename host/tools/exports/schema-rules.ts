/** Rewrites a tool's schema for a target that supports fewer keywords, and reports what it drops. */

import {
  isDraft7,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  pointerToken,
  SCHEMA_KEYWORDS,
  schemaIndexOf,
} from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import type { ObjectSchema, PlainJson } from "./exported.ts";

/** Keywords that a target supports. */
export interface SchemaRules {
  /** Supported keywords; others are dropped. Absent: all are supported. */
  readonly keywords?: ReadonlySet<string>;
  /** Keywords that the target refuses at the top of a schema; they are dropped there. */
  readonly notAtTop?: ReadonlySet<string>;
  /** Whether the schema is the source's own: all keywords that the target supports are passed on. */
  readonly isWhole?: boolean;
  /** Rewrites a schema to equivalent keywords of the target, before unsupported ones are dropped. */
  readonly rewrite?: (schema: JsonObject) => JsonObject;
}

/** Called for each keyword that is dropped. */
type OnDropped = (pointer: string, keyword: string) => void;

/** Rules of a target that supports all keywords. */
export function wholeRules({
  checks,
  inputSchema,
  outputSchema,
}: Pick<ToolListing, "checks" | "inputSchema" | "outputSchema">): SchemaRules {
  return { isWhole: checks !== undefined || [inputSchema, outputSchema ?? {}].some(needsIdentity) };
}

/** Returns whether `$schema` and `$id` matter: in draft 7, and where a reference names an `$id`. */
function needsIdentity(schema: JsonSchema): boolean {
  return isDraft7(schema) || schemaIndexOf(schema).resources.size > 1;
}

/** Keywords that do not affect validation. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id"]);

/** Converts the schema of an object: every target requires an object at the top. */
export function toObjectSchema(schema: JsonSchema, rules: SchemaRules, dropped: OnDropped): ObjectSchema {
  // A schema is JSON; its interface only lacks an index signature.
  const converted = convert(schema as JsonObject, "", rules, dropped);
  return { ...converted, type: "object" };
}

/** Returns whether only objects match, so that the target's `type: "object"` changes nothing. */
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

/** Keywords by the place of the schemas in their values. */
const OF_ONE: ReadonlySet<string> = new Set(SCHEMA_KEYWORDS.one);
const OF_LIST: ReadonlySet<string> = new Set([...SCHEMA_KEYWORDS.list, "items"]);
const OF_MEMBERS: ReadonlySet<string> = new Set(SCHEMA_KEYWORDS.members);

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

/** Clones the value, because ours are frozen and the receiver may change its copy. */
function cloned(value: JsonValue): PlainJson {
  return structuredClone(value) as PlainJson;
}
