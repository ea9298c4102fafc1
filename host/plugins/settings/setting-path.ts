/** Resolves a key to a member of a settings file, and a text to its value (SPEC G1). Pure. */

import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Manifest,
  schemaObject,
  type SchemaType,
} from "../../../manifests/mod.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { nearestName } from "../../tools/nearest.ts";

/** A member of the file, and the schema of its value. */
interface SettingPath {
  /** Names from the document's root. */
  readonly path: readonly string[];
  /** Undefined if the plugin's schema does not cover it. */
  readonly schema: JsonSchema | undefined;
}

/** The path or value; or what is wrong, with the closest valid key. */
export type Meant<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly suggestion?: string };

const FLAG: JsonSchema = { type: "boolean" };

/**
 * Accepts `enabled`, `tools.<tool>.enabled` (or `toolOverrides.…`), or one of the plugin's own settings, with members of objects after a
 * dot. `config.<name>` is always a setting of the plugin, for names that the host uses itself.
 */
export function findSetting(key: string, { name: plugin, tools, skills, settingsSchema }: Manifest): Meant<SettingPath> {
  if (key === "enabled") return { ok: true, value: { path: ["enabled"], schema: FLAG } };
  const tool = /^(?:tools|toolOverrides)\.([^.]+)\.enabled$/.exec(key)?.[1];
  if (tool !== undefined) {
    const names = [...tools, ...skills].map(({ name }) => name);
    if (names.includes(tool)) return { ok: true, value: { path: ["toolOverrides", tool, "enabled"], schema: FLAG } };
    const near = nearestName(tool, names);
    const suggestion = near === undefined ? {} : { suggestion: `tools.${near}.enabled` };
    return { ok: false, message: `Plugin "${plugin}" has no tool "${tool}"`, ...suggestion };
  }
  const found = findMember(key.startsWith("config.") ? key.slice("config.".length) : key, settingsSchema ?? {}, []);
  if (found !== undefined) return { ok: true, value: { path: ["config", ...found.path], schema: found.schema } };
  if (settingsSchema === undefined)
    return { ok: false, message: `Plugin "${plugin}" has no setting "${key}": its manifest declares no settings` };
  const names = ["enabled", ...Object.keys(settingsSchema.properties ?? {}), ...tools.map(({ name }) => `tools.${name}.enabled`)];
  const near = nearestName(key, names);
  return { ok: false, message: `Plugin "${plugin}" has no setting "${key}"`, ...(near !== undefined && { suggestion: near }) };
}

/** A name that contains dots itself wins over a path of members. */
function findMember(key: string, schema: JsonSchema, above: readonly string[]): SettingPath | undefined {
  const properties = schema.properties ?? {};
  if (Object.hasOwn(properties, key)) return { path: [...above, key], schema: schemaObject(properties[key] ?? true) };
  for (let dot = key.indexOf("."); dot !== -1; dot = key.indexOf(".", dot + 1)) {
    const name = key.slice(0, dot);
    const below = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const found = below === undefined ? undefined : findMember(key.slice(dot + 1), schemaObject(below), [...above, name]);
    if (found !== undefined) return found;
  }
  // __proto__ is never a valid member.
  const isFree = schema.additionalProperties !== false && schema.properties === undefined && above.length > 0;
  return isFree && key !== "" && key !== "__proto__" ? { path: [...above, key], schema: undefined } : undefined;
}

/** Parses text as a value of the schema's type: `8080` becomes a number if the schema wants a number. */
export function readSettingText(key: string, text: string, schema: JsonSchema | undefined): Meant<JsonValue> {
  const types = schema?.type === undefined ? [] : [schema.type].flat();
  if (types.length === 1 && types[0] === "string") return { ok: true, value: text };
  const value = tryJson(text);
  if (value !== undefined && (types.length === 0 || types.some((type) => isOfType(value, type)))) return { ok: true, value };
  if (types.length === 0 || types.includes("string")) return { ok: true, value: text };
  const wanted = types.map((type) => TYPE_WORDS[type]).join(" or ");
  return { ok: false, message: `Setting "${key}" must be ${wanted}, not ${JSON.stringify(text.slice(0, 100))}` };
}

const TYPE_WORDS: Readonly<Record<SchemaType, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  object: "a JSON object",
  array: "a JSON list",
};

function isOfType(value: JsonValue, type: SchemaType): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

/** Returns a copy of the document with the member set or removed. Creates parent objects, and removes them when they become empty. */
export function withMember(document: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name, ...below] = path;
  if (name === undefined) return document;
  const before = Object.hasOwn(document, name) ? document[name] : undefined;
  const after = below.length === 0 ? value : withMember(isJsonObject(before) ? before : {}, below, value);
  const isEmpty = after === undefined || (value === undefined && isJsonObject(after) && Object.keys(after).length === 0);
  const others = Object.entries(document).filter(([key]) => key !== name);
  if (isEmpty) return Object.fromEntries(others);
  // Keeps the order of the user's file.
  const entries = Object.entries(document).map(([key, old]): [string, JsonValue] => [key, key === name ? after : old]);
  return Object.fromEntries(Object.hasOwn(document, name) ? entries : [...entries, [name, after]]);
}

/** Returns the value at a path; undefined if there is none. */
export function memberAt(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = document;
  for (const name of path) at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}
