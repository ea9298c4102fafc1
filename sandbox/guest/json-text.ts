/**
 * JSON text of what the prelude sends.
 *
 * `JSON.stringify` of an object runs a plugin's code even where there is no `toJSON`: the engine keeps its own list of
 * open objects in an array, and setters on `Array.prototype` see what is put into it. Of a string it does not.
 */

import { arrayJoin, bareList, isFiniteNumber, jsonStringify, reflectOwnKeys } from "./primordials.ts";

/** What an operation's argument can be; undefined is left out. */
export type FlatValue = string | number | boolean | null | undefined;

/** An object that holds nothing but primitives, under names that need no escapes in JSON: the prelude's own. */
export type FlatObject = Readonly<Record<string, FlatValue>>;

/** A string in quotes, with U+0000 and lone surrogates escaped. */
export function quoteJson(text: string): string {
  return jsonStringify(text) ?? '""';
}

export function objectToJson(fields: FlatObject): string {
  // Names are texts: nothing here has symbols for keys.
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
