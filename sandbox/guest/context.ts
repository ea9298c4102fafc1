/** The tool context (SPEC D7, C8): what the host told about the call, and what a tool can do with it. */

import { abortSignal, type AbortSignal, createSignal } from "./abort.ts";
import { request } from "./channel.ts";
import { logAll } from "./console.ts";
import { DOMException } from "./dom-exception.ts";
import {
  define,
  jsonStringify,
  objectFreeze,
  PrimordialError,
  PrimordialSymbol,
  PrimordialTypeError,
  promiseThen,
  reflectOwnKeys,
} from "./primordials.ts";
import { nameFunction, toDictionary, toDomString } from "./webidl.ts";
import { createWorkspace } from "./workspace.ts";

/** Marks what `context.output` made; a plugin may use the symbol itself. */
export const TOOL_OUTPUT: symbol = PrimordialSymbol.for("bascule.toolOutput");

let signal: AbortSignal | undefined;
/** Stateless: made once, in the base image. */
const log = objectFreeze(createLog());
const workspace = objectFreeze(createWorkspace());

/** Cancels the call: the grace period begins. */
export function abortCall(): void {
  if (signal !== undefined) abortSignal(signal, new DOMException("The call was cancelled", "AbortError"));
}

/** @param given the host's JSON; it is frozen through and through. */
export function createContext(given: object): object {
  signal = createSignal();
  freezeMembers(given);
  return objectFreeze({ ...given, signal, log, workspace, progress, output, error: createError });
}

/** The depth is bounded where the text was parsed. */
function freezeMembers(value: object): void {
  const keys = reflectOwnKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const member: unknown = (value as Readonly<Record<PropertyKey, unknown>>)[keys[index] ?? ""];
    if (typeof member !== "object" || member === null) continue;
    freezeMembers(member);
    objectFreeze(member);
  }
}

function createLog(): object {
  return {
    debug: (...values: unknown[]) => logAll("debug", values),
    info: (...values: unknown[]) => logAll("info", values),
    warn: (...values: unknown[]) => logAll("warn", values),
    error: (...values: unknown[]) => logAll("error", values),
    write: (level: unknown, ...values: unknown[]) => {
      if (level !== "debug" && level !== "info" && level !== "warn" && level !== "error") {
        throw new PrimordialTypeError(`There is no log level "${toDomString(level)}" (use debug, info, warn or error)`);
      }
      logAll(level, values);
    },
  };
}

/** Called once at boot: the functions that every context shares have their own names. */
export function nameContextFunctions(): void {
  nameFunction(progress, "progress");
  nameFunction(output, "output");
  nameFunction(createError, "error");
}

/** Tells how far the call is. Returns at once; the value is JSON. */
function progress(value: unknown): void {
  const text = jsonStringify(value);
  if (text === undefined) throw new PrimordialTypeError("The progress value is not JSON");
  const answered = request({ operation: "progress", args: { __proto__: null }, json: `{"value":${text}}`, convert: ignore });
  // Whether it was shown is no concern of the tool's.
  promiseThen(answered, ignore, ignore);
}

function ignore(): undefined {
  return undefined;
}

interface ToolOutput {
  readonly output?: unknown;
  readonly content?: unknown;
  readonly success?: unknown;
  readonly metadata?: unknown;
  readonly filesModified?: unknown;
  readonly commandExecuted?: unknown;
}

const OUTPUT_KEYS = ["output", "content", "success", "metadata", "filesModified", "commandExecuted"] as const;

/** More than a plain value: what a tool returns with content blocks, or as a failure. */
function output(given: unknown): object {
  const fields = toDictionary(given, "Cannot make the tool output") as ToolOutput;
  const made = {};
  for (let index = 0; index < OUTPUT_KEYS.length; index++) {
    const key = OUTPUT_KEYS[index];
    if (key !== undefined && fields[key] !== undefined) define(made, key, fields[key], true);
  }
  define(made, TOOL_OUTPUT, true);
  return made;
}

/** An error whose message is shown to the caller as it is (SPEC X4): `throw context.error("No such note")`. */
function createError(message: unknown, details?: unknown): Error {
  const made = new PrimordialError(toDomString(message));
  define(made, "name", "ToolError");
  if (details !== undefined) define(made, "details", details, true);
  return made;
}
