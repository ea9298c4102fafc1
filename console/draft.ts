/** What a person has entered so far for a schema, and the value that it makes. Pure: the fields are in `schema-form.tsx`. */

import type { Json, JsonObject, Schema } from "./types.ts";

/** One field's entry. Names are the plugin's own, so members are a map. */
export type Draft =
  /** Nothing: the member is left out. */
  | { readonly kind: "none" }
  | { readonly kind: "value"; readonly value: Json }
  /** A number as far as it is written: `1.` becomes `1.5`. */
  | { readonly kind: "number"; readonly text: string }
  /** JSON that is still being written. */
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Draft[] }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Draft> };

/** How a schema's value is entered. */
export type FieldKind = "text" | "number" | "flag" | "choice" | "list" | "object" | "json";

export const NONE: Draft = { kind: "none" };
/** Deeper, a value is written as JSON. */
const MAX_DEPTH = 6;

/** `null` is entered beside the field, so it does not count here. */
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

/** What a field begins with: the default; else what has to be there, empty. */
export function firstDraft(schema: Schema, isRequired: boolean, depth = 0): Draft {
  if (schema.default !== undefined) return draftOf(schema, schema.default, depth);
  return isRequired ? emptyDraft(schema, depth) : NONE;
}

/** As much of a value as cannot be left out. */
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

/** A value as the fields of its schema show it. */
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

/** @returns undefined where there is nothing. @throws {Error} if what was written as JSON is none; `what` says where. */
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
      // What is left empty in a list is nothing that could be left out.
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

/** Of a name that may be `constructor`. */
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
    throw new Error(`${what} is not JSON: write texts in quotes`);
  }
}
