/** `JSON` with V8's error messages, because programs show them and tests compare them. */

import { askWorker } from "../call/channel.ts";
import {
  type Callable,
  define,
  jsonParse,
  jsonStringify,
  PrimordialSyntaxError,
  PrimordialTypeError,
  reflectApply,
} from "./primordials.ts";
import { currentStack } from "../inspect/stack.ts";
import { nameFunction } from "../web/webidl.ts";

/** `JSON.parse` of a text. */
export function parseJson(text: string, reviver?: unknown): unknown {
  try {
    return reviver === undefined ? jsonParse(text) : reflectApply(parse, undefined, [text, reviver]);
  } catch (error) {
    throw error instanceof PrimordialSyntaxError ? explain(text, error) : error;
  }
}

// The functions of primordials.ts are the engine's own, with fewer parameters.
const parse = jsonParse as Callable;
const stringify = jsonStringify as Callable;

/** Returns the same error with the host's message. Errors of a reviver or of a text that is too large stay as they are. */
function explain(text: string, error: SyntaxError): SyntaxError {
  let message: unknown;
  try {
    message = askWorker("json.explain", text);
  } catch {
    return error;
  }
  if (typeof message !== "string" || message === "") return error;
  const explained = new PrimordialSyntaxError(message);
  define(explained, "stack", currentStack());
  return explained;
}

/** Translates the engine's messages to V8's. */
function translate(error: TypeError): TypeError {
  const text: unknown = error.message;
  const message =
    text === "circular reference"
      ? "Converting circular structure to JSON"
      : text === "bigint are forbidden in JSON.stringify"
        ? "Do not know how to serialize a BigInt"
        : undefined;
  if (message === undefined) return error;
  const translated = new PrimordialTypeError(message);
  define(translated, "stack", currentStack());
  return translated;
}

export function installJson(): void {
  const members = {
    parse: (text: unknown, reviver?: unknown) => parseJson(`${text as string}`, reviver),
    stringify: (value: unknown, replacer?: unknown, space?: unknown): unknown => {
      try {
        return reflectApply(stringify, undefined, [value, replacer, space]);
      } catch (error) {
        throw error instanceof PrimordialTypeError ? translate(error) : error;
      }
    },
  };
  nameFunction(members.parse, "parse", 2);
  nameFunction(members.stringify, "stringify", 3);
  define(JSON, "parse", members.parse);
  define(JSON, "stringify", members.stringify);
}
