/** The user's entries for a schema, and their conversion to a value. Pure; the fields are in `schema-form.tsx`. */

import type { Json, JsonObject, Schema } from "../data/types.ts";

/** Entry of a field. Members are a map, because their names come from the plugin. */
export type Draft =
  /** No entry: the member is omitted. */
  | { readonly kind: "none" }
  | { readonly kind: "value"; readonly value: Json }
  /** Text of a number, possibly incomplete, such as `1.`. */
  | { readonly kind: "number"; readonly text: string }
  /** JSON text, possibly incomplete. */
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Draft[] }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Draft> };

/** Kind of input for a schema. */
export type FieldKind = "text" | "number" | "flag" | "choice" | "list" | "object" | "json";

export const NONE: Draft = { kind: "none" };
/** Maximum depth of fields; deeper values are entered as JSON. */
const MAX_DEPTH = 6;

/** Returns the kind of input, ignoring `null`, which has its own checkbox. */
export function kindOf({ type, enum: values, const: only, items, properties }: Schema, depth: number): FieldKind {
  if (values !== undefined || only !== undefined) return "choice";
  const types = [type ?? []].flat().filter((one) => one !== "null");
  if (types.length !== 1) return "json";
  switch (types[0]) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "array":
      return items === undefined || depth >= MAX_DEPTH ? "json" : "list";
    case "object":
      return properties === undefined || Object.keys(properties).length === 0 || depth >= MAX_DEPTH ? "json" : "object";
    default:
      return "json";
  }
}

export function isNullable({ type, enum: values }: Schema): boolean {
  return values === undefined && Array.isArray(type) && type.length > 1 && type.includes("null");
}

/** Returns the initial entry of a field: the default, or an empty value if required. */
export function firstDraft(schema: Schema, isRequired: boolean, depth = 0): Draft {
  if (schema.default !== undefined) return draftOf(schema, schema.default, depth);
  return isRequired ? emptyDraft(schema, depth) : NONE;
}

/** Returns an entry with only the required parts. */
export function emptyDraft(schema: Schema, depth = 0): Draft {
  switch (kindOf(schema, depth)) {
    case "text":
      return { kind: "value", value: "" };
    case "flag":
      return { kind: "value", value: false };
    case "list":
      return {
        kind: "list",
        items: Array.from({ length: Math.min(schema.minItems ?? 0, 20) }, () => emptyDraft(schema.items ?? {}, depth + 1)),
      };
    case "object":
      return { kind: "object", members: membersOf(schema, depth) };
    case "choice": {
      const [first] = choicesOf(schema);
      return first === undefined ? NONE : { kind: "value", value: first };
    }
    default:
      return NONE;
  }
}

/** Converts a value to entries of the schema's fields. */
export function draftOf(schema: Schema, value: Json, depth = 0): Draft {
  const kind = kindOf(schema, depth);
  if (value === null) return kind === "json" ? { kind: "json", text: "null" } : { kind: "value", value };
  if (kind === "list" && isList(value)) return { kind: "list", items: value.map((item) => draftOf(schema.items ?? {}, item, depth + 1)) };
  if (kind === "object" && isObject(value)) {
    const members = new Map(membersOf(schema, depth));
    for (const [name, member] of Object.entries(value)) members.set(name, draftOf(memberSchema(schema, name), member, depth + 1));
    return { kind: "object", members };
  }
  if (kind === "number" && typeof value === "number") return { kind, text: String(value) };
  const fits = kind === "choice" || (kind === "text" && typeof value === "string") || (kind === "flag" && typeof value === "boolean");
  return fits ? { kind: "value", value } : { kind: "json", text: JSON.stringify(value, null, 2) };
}

/**
 * Converts an entry to a value; undefined if there is none.
 *
 * @param what names the field in errors
 * @throws {Error} if a text is not valid JSON or not a number
 */
export function readDraft(draft: Draft, what: string): Json | undefined {
  switch (draft.kind) {
    case "none":
      return undefined;
    case "value":
      return draft.value;
    case "number":
      if (!Number.isFinite(Number(draft.text))) throw new Error(`${what} is not a number`);
      return Number(draft.text);
    case "json":
      return draft.text.trim() === "" ? undefined : parse(what, draft.text);
    case "list":
      // List items cannot be omitted: an empty one becomes null.
      return draft.items.map((item, index) => readDraft(item, `${what} ${index + 1}`) ?? null);
    case "object": {
      const members = Array.from(draft.members, ([name, member]) => [name, readDraft(member, `"${name}"`)] as const);
      return Object.fromEntries(members.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
    }
  }
}

export function choicesOf({ enum: values, const: only }: Schema): readonly Json[] {
  return values ?? (only === undefined ? [] : [only]);
}

/** Returns the schema of a member. The name is untrusted and may be `constructor`. */
export function memberSchema({ properties = {} }: Schema, name: string): Schema {
  return (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
}

function membersOf({ properties = {}, required = [] }: Schema, depth: number): ReadonlyMap<string, Draft> {
  return new Map(Object.entries(properties).map(([name, schema]) => [name, firstDraft(schema, required.includes(name), depth + 1)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(what: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`${what} is not JSON (strings need quotes)`);
  }
}
