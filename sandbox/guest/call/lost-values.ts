/** Finds values that JSON drops: `{}` for a map, a generator or a promise, `{"0":1}` for bytes. They are refused with their place. */

import { classify } from "../inspect/classify.ts";
import {
  arrayIsArray,
  bareList,
  objectKeys,
  objectToString,
  PrimordialTypeError,
  reflectGet,
  replaceText,
  stringIncludes,
  stringSlice,
  typedArrayTag,
} from "../language/primordials.ts";

/** Maximum objects inspected, which bounds the time for large values. */
const MAX_LOOKS = 100_000;
const MAX_POINTER = 200;
const MAX_NAME = 50;

/** @returns whether the text of a value can hide a lost value */
function mayHideLost(text: string): boolean {
  return stringIncludes(text, "{}") || stringIncludes(text, '{"0":');
}

/** @param text the value's JSON. @throws {TypeError} naming the first lost value and its place */
export function refuseLost(value: unknown, text: string, what: string): void {
  const lost = mayHideLost(text) ? lostIn(value, what) : undefined;
  if (lost !== undefined) throw new PrimordialTypeError(lost);
}

interface Place {
  readonly value: unknown;
  readonly pointer: string;
}

/** The value is finite, because JSON was made of it. A list replaces recursion, because the guest's stack is small. */
export function lostIn(value: unknown, what: string): string | undefined {
  const places = bareList<Place>();
  places[0] = { value, pointer: "" };
  for (let looks = 0; places.length > 0 && looks < MAX_LOOKS; looks++) {
    const place = places[places.length - 1];
    places.length--;
    if (place === undefined || !isLooked(place.value)) continue;
    const name = lostName(place.value);
    if (name !== undefined) return lostText(name, place.pointer, what);
    pushMembers(places, place.value, place.pointer);
  }
  return undefined;
}

/** A value with a `toJSON` chooses its own form, like dates and URLs. */
function isLooked(value: unknown): value is object {
  return typeof value === "object" && value !== null && typeof reflectGet(value, "toJSON") !== "function";
}

/**
 * Pushes the last member first, so that they are visited in order. Of a list only as many as may be inspected, because the names
 * of all its members take memory.
 */
function pushMembers(places: Place[], value: object, pointer: string): void {
  const keys = arrayIsArray(value) ? undefined : objectKeys(value);
  const count = keys === undefined ? (value as readonly unknown[]).length : keys.length;
  for (let index = (count < MAX_LOOKS ? count : MAX_LOOKS) - 1; index >= 0; index--) {
    const key = keys === undefined ? `${index}` : (keys[index] ?? "");
    const member = reflectGet(value, key);
    if (typeof member !== "object" || member === null) continue;
    const to = pointer + "/" + replaceText(replaceText(key, "~", "~0"), "/", "~1");
    places[places.length] = { value: member, pointer: stringSlice(to, 0, MAX_POINTER) };
  }
}

function lostName(value: object): string | undefined {
  const kind = classify(value);
  if (kind === "array" || kind === "boolean" || kind === "number" || kind === "string") return undefined;
  if (kind === "typed-array") return typedArrayTag(value);
  if (objectKeys(value).length > 0) return undefined;
  if (kind === "error") return "Error";
  const tag = stringSlice(objectToString(value), "[object ".length, -1);
  return tag === "Object" || tag === "Arguments" ? undefined : stringSlice(tag, 0, MAX_NAME);
}

function lostText(name: string, pointer: string, what: string): string {
  const article = stringIncludes("AEIO", stringSlice(name, 0, 1)) ? "An " : "A ";
  return `Invalid ${what}${pointer === "" ? "" : ` at ${pointer}`}: ${article}${name} has no JSON form (${adviceOn(name)})`;
}

/** A copy of the function in `host/platform/lost-values.ts`, which a guest cannot import. */
function adviceOn(name: string): string {
  switch (name) {
    case "Promise":
      return "await it";
    case "Map":
    case "Headers":
    case "FormData":
    case "URLSearchParams":
      return "Object.fromEntries makes an object of it";
    case "Set":
      return "Array.from makes an array of it";
    case "AsyncGenerator":
      return "Array.fromAsync makes an array of what it yields";
    case "Error":
      return "throw it, or return its message";
    case "Uint8Array":
      return "toBase64() makes a string of it, Array.from an array of numbers";
    default:
      if (stringIncludes(name, "Iterator") || name === "Generator") return "Array.from makes an array of what it yields";
      if (stringIncludes(name, "Array") && name !== "ArrayBuffer") return "Array.from makes an array of it";
      return "return its content as plain values";
  }
}
