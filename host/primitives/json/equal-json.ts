/** Deep equality of JSON values. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** Compares two values; the order of an object's members does not matter. Their depth must be bounded. */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  if (isJsonArray(a)) return isJsonArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index] ?? null));
  if (!isJsonObject(a)) return Object.is(a, b);
  if (!isJsonObject(b) || isJsonArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] ?? null, b[key] ?? null));
}
