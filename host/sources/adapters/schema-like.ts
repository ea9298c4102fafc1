/** Schemas as other libraries make them, read by what they can do and not by who made them (SPEC K1, K2). */

import { type DownConverted, downConvert } from "./down-convert.ts";
import { isJsonObject, type JsonObject } from "../../../manifests/mod.ts";
import { copyJson } from "../../json/json.ts";

/**
 * A JSON Schema (TypeBox's are), or an object that can tell one: Standard Schema with `jsonSchema` (zod 4.2, ArkType, …), zod 4's own
 * `toJSONSchema()`, the AI SDK's `jsonSchema`.
 */
export type SchemaLike = object;

const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 128 } as const;

/** In our words, and as the library has it. @throws {TypeError} if no JSON Schema can be had of it; `what` says whose it is. */
export function readSchema(schema: SchemaLike, what: string): DownConverted & { readonly own: JsonObject } {
  const own = toJsonSchema(schema, what);
  return { ...downConvert(own), own };
}

/** Whether it is not itself the JSON Schema. */
export function isTelling(schema: SchemaLike): boolean {
  return ["~standard", "toJSONSchema", "jsonSchema", "_def"].some((name) => member(schema, name) !== undefined);
}

function toJsonSchema(schema: SchemaLike, what: string): JsonObject {
  const told = tell(schema);
  if (told instanceof Promise) throw new TypeError(`The schema of ${what} is made asynchronously (await it, and give what it is)`);
  const copy = copyJson(told, BOUNDS);
  if (!copy.ok) throw new TypeError(`The schema of ${what} is no JSON Schema: ${copy.problem.message}`);
  if (isJsonObject(copy.value)) return copy.value;
  throw new TypeError(`The schema of ${what} is no JSON Schema`);
}

function tell(schema: SchemaLike): unknown {
  const standard = member(member(schema, "~standard"), "jsonSchema");
  const input = member(standard, "input");
  if (typeof input === "function") return Reflect.apply(input, standard, [{ target: "draft-07" }]);
  const own = member(schema, "toJSONSchema");
  if (typeof own === "function") return Reflect.apply(own, schema, [{ target: "draft-7", io: "input" }]);
  const told = member(schema, "jsonSchema");
  if (told !== undefined) return told;
  if (member(schema, "~standard") !== undefined || member(schema, "_def") !== undefined)
    throw new TypeError("The schema cannot tell its JSON Schema (use zod 4.2 or later, or give a JSON Schema)");
  return schema;
}

function member(value: unknown, name: string): unknown {
  return (typeof value === "object" || typeof value === "function") && value !== null ? Reflect.get(value, name) : undefined;
}
