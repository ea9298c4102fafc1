/** Recognises built-in objects by their internal slots, not by their properties. */

import {
  answers,
  arrayBufferByteLength,
  arrayIsArray,
  bigIntValueOf,
  booleanValueOf,
  dataViewByteLength,
  dateGetTime,
  errorIsError,
  mapSize,
  numberValueOf,
  objectIsPrototypeOf,
  PrimordialObject,
  PrimordialPromise,
  reflectGetPrototypeOf,
  regExpSource,
  setSize,
  sharedArrayBufferByteLength,
  stringValueOf,
  symbolValueOf,
  typedArrayTag,
  weakMapHas,
  weakRefDeref,
  weakSetHas,
} from "../language/primordials.ts";

export type ObjectKind =
  | "array"
  | "object"
  | "function"
  | "error"
  | "date"
  | "regexp"
  | "map"
  | "set"
  | "typed-array"
  | "data-view"
  | "array-buffer"
  | "shared-array-buffer"
  | "boolean"
  | "number"
  | "string"
  | "bigint"
  | "symbol"
  | "promise"
  | "weak-map"
  | "weak-set"
  | "weak-ref";

const objectPrototype: object = PrimordialObject.prototype;
const promisePrototype: object = PrimordialPromise.prototype;
const regExpPrototype: object = RegExp.prototype;
const probe = {};

/** Ordered by frequency; a plain object returns at once. */
const SLOTS: readonly (readonly [ObjectKind, (value: unknown) => unknown])[] = [
  ["map", mapSize],
  ["set", setSize],
  ["date", dateGetTime],
  ["array-buffer", arrayBufferByteLength],
  ["data-view", dataViewByteLength],
  ["number", numberValueOf],
  ["string", stringValueOf],
  ["boolean", booleanValueOf],
  ["bigint", bigIntValueOf],
  ["symbol", symbolValueOf],
  ["weak-map", (value) => weakMapHas(value, probe)],
  ["weak-set", (value) => weakSetHas(value, probe)],
  ["weak-ref", weakRefDeref],
  ["shared-array-buffer", sharedArrayBufferByteLength],
];

/**
 * Returns the kind of an object. A proxy of an array counts as an array, every other proxy counts as its prototype suggests,
 * because a program cannot recognise proxies.
 */
export function classify(value: object): ObjectKind {
  if (typeof value === "function") return "function";
  if (arrayIsArray(value)) return "array";
  if (errorIsError(value)) return "error";
  const prototype = reflectGetPrototypeOf(value);
  if (prototype === null || prototype === objectPrototype) return "object";
  if (typedArrayTag(value) !== undefined) return "typed-array";
  for (let index = 0; index < SLOTS.length; index++) {
    const slot = SLOTS[index];
    if (slot !== undefined && answers(slot[1], value)) return slot[0];
  }
  // The prototype of regular expressions passes the test too, without being one.
  if (value !== regExpPrototype && answers(regExpSource, value)) return "regexp";
  // A promise's slot cannot be tested without side effects.
  return objectIsPrototypeOf(promisePrototype, value) ? "promise" : "object";
}
