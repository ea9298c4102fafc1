/** Reads the arguments of a cryptography operation: JSON with bytes beside it. */

import type { CallKeys } from "./call-keys.ts";
import { type Fields, readJson, Refusal } from "./local-answer.ts";
import { nestsWithin } from "../../wire/marshal.ts";
import { checkParameters } from "./subtle-cost.ts";

/** An argument as the runtime expects it. */
export type SubtleArgument = unknown;

const MAX_TEXT = 256 * 1024;
const MAX_DEPTH = 8;
const MAX_NAME = 100;

/**
 * Returns the arguments, in order. Each is a boolean, a number, null, a string, a list of strings, or an object with one key: `b` `[at,
 * length]` of the bytes, `k` a key's handle, `a` an algorithm's parameters, `j` a JSON Web Key.
 *
 * @throws {Refusal} for anything else
 * @throws {SyntaxError} if the text is not JSON
 */
export function readArguments(text: string, bytes: Uint8Array, keys: CallKeys): readonly SubtleArgument[] {
  if (!nestsWithin(text, MAX_DEPTH)) throw notUnderstood();
  const given = readJson(text, MAX_TEXT);
  if (!Array.isArray(given)) throw notUnderstood();
  return given.map((value: unknown) => readArgument(value, bytes, keys));
}

function readArgument(value: unknown, bytes: Uint8Array, keys: CallKeys): SubtleArgument {
  if (value === null || typeof value === "boolean" || typeof value === "number" || isName(value)) return value;
  if (Array.isArray(value)) return value.map(readName);
  const fields = fieldsOf(value);
  if (fields.has("b")) return readBytes(fields.get("b"), bytes);
  if (fields.has("k")) return keys.find(fields.get("k"));
  if (fields.has("a")) return readAlgorithm(fields.get("a"), bytes, keys);
  if (fields.has("j")) return readWebKey(fields.get("j"));
  throw notUnderstood();
}

/** Returns an object, because the runtime reads members by name. */
function readAlgorithm(value: unknown, bytes: Uint8Array, keys: CallKeys): SubtleArgument {
  const parameters = new Map<string, unknown>();
  for (const [name, parameter] of fieldsOf(value)) parameters.set(name, readArgument(parameter, bytes, keys));
  checkParameters(parameters);
  return withoutPrototype(parameters);
}

/** Reads a JSON Web Key: strings, `ext`, and the list `key_ops`. */
function readWebKey(value: unknown): SubtleArgument {
  const members = new Map<string, unknown>();
  for (const [name, member] of fieldsOf(value)) {
    if (typeof member === "string" || typeof member === "boolean") members.set(name, member);
    else if (Array.isArray(member)) members.set(name, member.map(readName));
    else throw notUnderstood();
  }
  return withoutPrototype(members);
}

function readBytes(value: unknown, bytes: Uint8Array): Uint8Array {
  const [at, length] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof at !== "number" || typeof length !== "number" || !(at >= 0 && length >= 0 && at + length <= bytes.length))
    throw notUnderstood();
  return bytes.subarray(at, at + length);
}

function readName(value: unknown): string {
  if (isName(value)) return value;
  throw notUnderstood();
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_NAME;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notUnderstood();
  return new Map(Object.entries(value));
}

function withoutPrototype(fields: Fields): object {
  return Object.assign(Object.create(null) as object, Object.fromEntries(fields));
}

function notUnderstood(): Refusal {
  return new Refusal("TypeError", "Cannot read the arguments of the cryptographic operation");
}
