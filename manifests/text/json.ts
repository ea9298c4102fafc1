/** JSON as a type. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
/** A JSON object. Keys from outside may be any text. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns true for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` that keeps the type of the items. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns one RFC 6901 reference token, escaped: `a/b` becomes `a~1b`. */
export function pointerToken(key: string | number): string {
  const text = String(key);
  // Fast path: hardly any key needs escapes, and every member of every checked value passes here.
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}
