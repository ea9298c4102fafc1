/**
 * JSON text of the prelude's messages.
 *
 * `JSON.stringify` of an object can run a plugin's code even without a `toJSON`: the engine keeps its list of open objects in an
 * array, and setters on `Array.prototype` see what is stored there. For a string it keeps no list.
 */

import { arrayJoin, bareList, isFiniteNumber, jsonStringify, reflectOwnKeys } from "./primordials.ts";

/** Type of an operation's argument; undefined is left out. */
type FlatValue = string | number | boolean | null | undefined;

/** An object of primitives under names that need no escapes in JSON, made by the prelude. */
export type FlatObject = Readonly<Record<string, FlatValue>>;

/** Quotes a string, with U+0000 and lone surrogates escaped. */
export function quoteJson(text: string): string {
  return jsonStringify(text) ?? '""';
}

export function objectToJson(fields: FlatObject): string {
  // The keys are strings, because the prelude uses no symbols here.
  const keys = reflectOwnKeys(fields) as string[];
  let text = "";
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    const value = fields[key];
    if (value !== undefined) text += `${text === "" ? '{"' : ',"'}${key}":${valueToJson(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

function valueToJson(value: string | number | boolean | null): string {
  if (typeof value === "string") return quoteJson(value);
  return typeof value === "number" && !isFiniteNumber(value) ? "null" : `${value}`;
}

export function listToJson(texts: readonly string[]): string {
  const quoted = bareList<string>();
  for (let index = 0; index < texts.length; index++) quoted[index] = quoteJson(texts[index] ?? "");
  return `[${arrayJoin(quoted, ",")}]`;
}
