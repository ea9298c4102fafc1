/** Describes a thrown value as text that is safe to send: bounded, and read so that hostile errors do no harm. */

import { classify } from "./classify.ts";
import { isDomException } from "../web/dom-exception.ts";
import { inspect } from "./inspect.ts";
import { readText } from "./inspect-error.ts";
import { objectToJson, quoteJson } from "../language/json-text.ts";
import { DEFAULT_INSPECT } from "./inspection.ts";
import { jsonStringify, reflectGet, stringSlice } from "../language/primordials.ts";
import { cleanStack } from "./stack.ts";

const MAX_NAME = 200;
const MAX_MESSAGE = 4 * 1024;
const MAX_STACK = 8 * 1024;
const MAX_DETAILS = 64 * 1024;

/** Returns JSON `{ name, message, stack, toolError? }`. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    return describe(thrown);
  } catch {
    // Too little stack or memory is left to inspect the value.
    return '{"name":"Error","message":"An error that cannot be shown","stack":""}';
  }
}

function describe(thrown: unknown): string {
  const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
  if (!isObject || !isErrorLike(thrown)) return encode("Error", `Uncaught ${inspectSafely(thrown)}`, "");
  const name = cut(readText(thrown, "name") ?? "Error", MAX_NAME);
  const message = cut(readText(thrown, "message") ?? "", MAX_MESSAGE);
  const stack = cut(cleanStack(readText(thrown, "stack") ?? ""), MAX_STACK);
  return encode(name, message, stack, name === "ToolError" ? thrown : undefined);
}

function isErrorLike(thrown: object): boolean {
  try {
    return classify(thrown) === "error" || isDomException(thrown) || typeof reflectGet(thrown, "message") === "string";
  } catch {
    // A proxy whose traps throw is shown as a plain value.
    return false;
  }
}

/** Uses objects without prototype, so that no `toJSON` of the plugin runs. */
function encode(name: string, message: string, stack: string, toolError?: object): string {
  const fields = objectToJson({ __proto__: null, name, message, stack });
  if (toolError === undefined) return fields;
  const details = detailsOf(toolError);
  const shown = `{"message":${quoteJson(message)}${details === undefined ? "" : `,"details":${details}`}}`;
  return `${stringSlice(fields, 0, -1)},"toolError":${shown}}`;
}

/** Returns the JSON of a tool error's details; details without a JSON form or above the limit are left out. */
function detailsOf(error: object): string | undefined {
  try {
    const text = jsonStringify(reflectGet(error, "details"));
    return text === undefined || text.length > MAX_DETAILS ? undefined : text;
  } catch {
    // A cycle or a throwing `toJSON`: the message is sent without details.
    return undefined;
  }
}

function inspectSafely(value: unknown): string {
  try {
    return cut(inspect(value, DEFAULT_INSPECT), MAX_MESSAGE);
  } catch {
    // The value's own inspection or a proxy trap threw.
    return `a thrown ${typeof value} that cannot be shown`;
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${stringSlice(text, 0, length)}… (${text.length - length} more characters)`;
}
