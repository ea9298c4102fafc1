/** Copies values that cross a call boundary to plain frozen JSON, bounded in size and depth. */

import type { JsonValue } from "../../../manifests/mod.ts";
import { lostValue } from "../../platform/lost-values.ts";
import { type KnownSize, noteSize, sizeOf } from "./known-size.ts";

/** One thing that is wrong with a value: where (RFC 6901 pointer), what, and which rule or fix where known. */
export interface ValueProblem {
  readonly pointer: string;
  readonly message: string;
  readonly keyword?: string;
  readonly fix?: string;
}

/** How large a value may be. */
export interface JsonBounds {
  /** Approximate bytes of the value's UTF-8 text. */
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** The copy and its size, or the problem. */
export type JsonCopy =
  | { readonly ok: true; readonly value: JsonValue; readonly bytes: number }
  | { readonly ok: false; readonly problem: ValueProblem; readonly reason: "not_json" | "too_large" | "too_deep" };

/**
 * Copies any value to frozen JSON data with the rules of `JSON.stringify`: `toJSON` is called, `undefined` members are left out. A value
 * without JSON form (functions, BigInt, NaN, cycles, maps, bytes) is a problem, not a silent null.
 *
 * Members named `__proto__` are dropped, so that they cannot affect readers of the copy.
 */
export function copyJson(value: unknown, bounds: JsonBounds): JsonCopy {
  const known = sizeOf(value);
  if (known !== undefined) return sameJson(value as JsonValue, known, bounds);
  const walk: Walk = { left: bounds.maxBytes, deepest: 0, bounds, path: [] };
  try {
    const copy = copyAt(value, 0, walk);
    const bytes = bounds.maxBytes - walk.left;
    if (typeof copy === "object" && copy !== null) noteSize(copy, { bytes, depth: walk.deepest });
    return { ok: true, value: copy, bytes };
  } catch (stop) {
    return toProblem(stop, walk);
  }
}

/**
 * Like `copyJson`, in slices, for values above 64 KB. The copy belongs to the caller and is neither frozen nor measured.
 *
 * Listing the names of an object's members is one step of the engine, regardless of their number.
 */
export function* copySlices(value: unknown, bounds: JsonBounds): Generator<void, JsonCopy> {
  const walk: Walk = { left: bounds.maxBytes, deepest: 0, bounds, path: [] };
  try {
    return { ok: true, value: yield* copyContainer(value, 0, { walk, steps: 0 }), bytes: bounds.maxBytes - walk.left };
  } catch (stop) {
    return toProblem(stop, walk);
  }
}

function* copyContainer(value: unknown, depth: number, slice: { readonly walk: Walk; steps: number }): Generator<void, JsonValue> {
  const { walk } = slice;
  if (typeof value !== "object" || value === null) return copyAt(value, depth, walk);
  enter(depth, walk);
  if (hasToJson(value)) return yield* copyContainer(value.toJSON(), depth + 1, slice);
  const list: JsonValue[] = [];
  const object: Record<string, JsonValue> = {};
  const isList = Array.isArray(value);
  const keys = isList ? [] : Object.keys(value);
  if (!isList) refuseLost(value, keys.length);
  for (const name of isList ? value.keys() : keys) {
    if (++slice.steps % SLICE_STEPS === 0) yield;
    const member: unknown = Reflect.get(value, name);
    if (!isList && (name === "__proto__" || member === undefined)) continue;
    spend(walk, isList ? 1 : utf8Bytes(String(name), walk.left) + 4);
    walk.path.push(name);
    const given = member === undefined ? null : member;
    const copy =
      typeof given === "object" && given !== null ? yield* copyContainer(given, depth + 1, slice) : copyAt(given, depth + 1, walk);
    walk.path.pop();
    if (isList) list.push(copy);
    else object[String(name)] = copy;
  }
  return isList ? list : object;
}

/** Members per slice. */
const SLICE_STEPS = 1_000;

function toProblem(stop: unknown, walk: Walk): JsonCopy {
  if (stop instanceof NotJson) return { ok: false, problem: { pointer: pointerOf(walk), message: stop.message }, reason: stop.reason };
  // A getter or `toJSON` of the value threw. Its message is not shown, because it is untrusted.
  return { ok: false, problem: { pointer: "", message: "The value throws while it is read" }, reason: "not_json" };
}

/** Earlier read or copied values are frozen and measured, and need no copy. */
function sameJson(value: JsonValue, { bytes, depth }: KnownSize, { maxBytes, maxDepth }: JsonBounds): JsonCopy {
  const problem = (message: string): ValueProblem => ({ pointer: "", message });
  if (bytes > maxBytes) return { ok: false, problem: problem(`The value is larger than ${maxBytes} bytes`), reason: "too_large" };
  if (depth > maxDepth)
    return { ok: false, problem: problem(`The value is nested deeper than ${maxDepth} levels, or contains itself`), reason: "too_deep" };
  return { ok: true, value, bytes };
}

/** Freezes JSON data deeply. `value` must be acyclic and of bounded depth. */
export function deepFreeze<T extends JsonValue>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}

/** Remaining budget and position of a copy. */
interface Walk {
  left: number;
  /** Depth of containers below the outermost. */
  deepest: number;
  readonly bounds: JsonBounds;
  /** Names and indexes of the current member; after a problem, of the invalid member. */
  readonly path: (string | number)[];
}

class NotJson extends Error {
  readonly reason: "not_json" | "too_large" | "too_deep";
  constructor(reason: "not_json" | "too_large" | "too_deep", message: string) {
    super(message);
    this.reason = reason;
  }
}

function copyAt(value: unknown, depth: number, walk: Walk): JsonValue {
  switch (typeof value) {
    case "string":
      spend(walk, utf8Bytes(value, walk.left) + 2);
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson("not_json", `The number ${value} has no JSON form`);
      spend(walk, 1);
      return value;
    case "boolean":
      spend(walk, 4);
      return value;
    case "object":
      if (value === null) {
        spend(walk, 4);
        return null;
      }
      return copyObject(value, depth, walk);
    default:
      throw new NotJson("not_json", `A value of type "${typeof value}" has no JSON form`);
  }
}

function enter(depth: number, walk: Walk): void {
  if (depth >= walk.bounds.maxDepth)
    throw new NotJson("too_deep", `The value is nested deeper than ${walk.bounds.maxDepth} levels, or contains itself`);
  if (depth > walk.deepest) walk.deepest = depth;
  spend(walk, 2);
}

function copyObject(value: object, depth: number, walk: Walk): JsonValue {
  enter(depth, walk);
  if (hasToJson(value)) return copyAt(value.toJSON(), depth + 1, walk);
  if (Array.isArray(value)) {
    const copy: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      spend(walk, 1);
      const member: unknown = value[index];
      copy.push(copyMember(index, member === undefined ? null : member, depth, walk));
    }
    return Object.freeze(copy);
  }
  const members = Object.entries(value);
  refuseLost(value, members.length);
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of members) {
    if (key === "__proto__" || member === undefined) continue;
    spend(walk, utf8Bytes(key, walk.left) + 4);
    copy[key] = copyMember(key, member, depth, walk);
  }
  return Object.freeze(copy);
}

function refuseLost(value: object, members: number): void {
  const lost = lostValue(value, members);
  if (lost !== undefined) throw new NotJson("not_json", lost);
}

/** Restores the path afterwards, unless there is a problem: then the path shows its place. */
function copyMember(name: string | number, member: unknown, depth: number, walk: Walk): JsonValue {
  walk.path.push(name);
  const copy = copyAt(member, depth + 1, walk);
  walk.path.pop();
  return copy;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

function spend(walk: Walk, bytes: number): void {
  walk.left -= bytes;
  if (walk.left < 0) throw new NotJson("too_large", `The value is larger than ${walk.bounds.maxBytes} bytes`);
}

const POINTER_LENGTH = 200;

function pointerOf({ path }: Walk): string {
  let pointer = "";
  for (const name of path) {
    pointer += `/${escapePointer(String(name))}`;
    if (pointer.length > POINTER_LENGTH) return pointer.slice(0, POINTER_LENGTH);
  }
  return pointer;
}

/** Returns the exact number up to `enough`; beyond it, any larger number. */
export function utf8Bytes(text: string, enough: number): number {
  let bytes = text.length;
  if (bytes > enough) return bytes;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
