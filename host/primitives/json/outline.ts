/** Outlines of values that are too large to be shown whole. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { sizeOf } from "./known-size.ts";

/** Maximum number of values in an outline, and maximum lengths of its names and texts in characters. */
const MOST_VALUES = 256;
const MOST_NAME = 128;
const MOST_TEXT = 1_024;

/**
 * Returns the value itself, or the first 256 values of one above 64 KB. A longer text is replaced by its length, because a part of it could
 * contain a part of a secret.
 */
export function outlineOf(value: JsonValue): JsonValue {
  return sizeOf(value) === undefined ? value : outlineOfLarge(value);
}

/** Returns the outline of a value of any size. */
export function outlineOfLarge(value: JsonValue): JsonValue {
  return outline(value, { left: MOST_VALUES });
}

function outline(value: JsonValue, budget: { left: number }): JsonValue {
  budget.left--;
  if (typeof value === "string") return value.length > MOST_TEXT ? `[${value.length} characters]` : value;
  if (isJsonArray(value)) {
    const list: JsonValue[] = [];
    for (let index = 0; index < value.length && budget.left > 0; index++) list.push(outline(value[index] ?? null, budget));
    return list;
  }
  if (!isJsonObject(value)) return value;
  const entries: [string, JsonValue][] = [];
  for (const name of Object.keys(value)) {
    if (budget.left <= 0) break;
    if (name.length <= MOST_NAME) entries.push([name, outline(value[name] ?? null, budget)]);
  }
  return Object.fromEntries(entries);
}
