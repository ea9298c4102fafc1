/** Checks an operation's arguments, so that its handler gets the declared shape. */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer, Room } from "../../sandbox/mod.ts";
import { FileError } from "../platform/platform.ts";
import { failure } from "./answer.ts";
import type { BridgeContext, OperationHandler } from "./bridge.ts";

interface FieldTypes {
  string: string;
  boolean: boolean;
  /** Integer from 0 to 2^53 - 1. */
  count: number;
  /** Integer from -2^53 + 1 to 2^53 - 1. */
  integer: number;
  texts: readonly string[];
  /** Any JSON; size and depth were checked when it arrived. */
  json: JsonValue;
}
type FieldName = keyof FieldTypes;

/** Argument names and types; `?` marks arguments that may be absent or null. */
type Shape = Readonly<Record<string, FieldName | `${FieldName}?`>>;

type Field<F> = F extends `${infer Name extends FieldName}?` ? FieldTypes[Name] | undefined : F extends FieldName ? FieldTypes[F] : never;

/** The arguments of a shape. Unknown ones are left out. */
type ArgumentsOf<S extends Shape> = { readonly [K in keyof S]: Field<S[K]> };

/**
 * Waits until there is room for an answer of that many bytes.
 * @throws {FileError} `interrupted` if the call ends before
 */
type MakeRoom = (bytes: number) => Promise<void>;

function makeRoomOf({ signal }: BridgeContext, room: Room | undefined): MakeRoom {
  return async (bytes) => {
    if (room !== undefined && bytes >= LEAST_COUNTED_BYTES && !(await room(bytes, signal)))
      throw new FileError("interrupted", "The call has ended");
  };
}

/** Smaller answers do not wait. */
const LEAST_COUNTED_BYTES = 64 * 1024;

/** Wraps a handler: arguments of another shape fail with a `TypeError`, operations of a cancelled call with an `AbortError`. */
export function operation<const S extends Shape>(
  shape: S,
  run: (args: ArgumentsOf<S>, context: BridgeContext, bytes: Uint8Array | undefined, makeRoom: MakeRoom) => Promise<HostAnswer>,
): OperationHandler {
  return async (args, bytes, context, room) => {
    if (context.signal.aborted) return failure("AbortError", "The call was cancelled");
    const checked = readArguments(shape, args);
    return checked.ok ? await run(checked.value, context, bytes, makeRoomOf(context, room)) : failure("TypeError", checked.message);
  };
}

type Read<S extends Shape> = { readonly ok: true; readonly value: ArgumentsOf<S> } | { readonly ok: false; readonly message: string };

function readArguments<S extends Shape>(shape: S, args: JsonValue): Read<S> {
  if (!isJsonObject(args)) return { ok: false, message: "An operation takes an object of arguments" };
  const value: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(shape)) {
    // Own properties only: `args` came from a guest and may name inherited ones.
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    const isOptional = type.endsWith("?");
    if (isOptional && (given === undefined || given === null)) continue;
    if (!isOfType(given, isOptional ? type.slice(0, -1) : type))
      return { ok: false, message: `Argument "${name}" must be of type ${type.replace("?", "")}` };
    value[name] = given;
  }
  // Every field was checked to be of its type, or is optional and absent.
  return { ok: true, value: value as ArgumentsOf<S> };
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "json") return true;
  if (type === "count") return Number.isSafeInteger(value) && Number(value) >= 0;
  if (type === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === type;
}
