/** The tool context (SPEC D7, C8): what the host told about the call, and what a tool can do with it. */

import { abortSignal, type AbortSignal, createSignal } from "./abort.ts";
import { callFact } from "./call-facts.ts";
import { request } from "./channel.ts";
import { logAll } from "./console.ts";
import { DOMException } from "./dom-exception.ts";
import {
  define,
  jsonStringify,
  objectFreeze,
  PrimordialSymbol,
  PrimordialTypeError,
  promiseThen,
  reflectDefineProperty,
} from "./primordials.ts";
import { refuseLost } from "./lost-values.ts";
import { nameFunction, toDictionary, toDomString } from "./webidl.ts";
import { callTool } from "./tools.ts";
import { createWorkspace } from "./workspace.ts";
import { plainError } from "./stack.ts";

/** Marks what `context.output` made; a plugin may use the symbol itself. */
export const TOOL_OUTPUT: symbol = PrimordialSymbol.for("bascule.toolOutput");

/** Stateless: made once, in the base image. */
const log = objectFreeze(createLog());
const workspace = objectFreeze(createWorkspace());
const tools = objectFreeze({ call: callTool });

let signal: AbortSignal | undefined;
let aborted = false;

/** What the host tells (`protocol.ts`), in the order in which a tool sees it. */
const TOLD = ["sessionId", "turnId", "callId", "agentId", "traceparent", "workspacePath", "settings", "permissions", "deadline"] as const;

/**
 * The frozen second argument of every tool, made once, in the base image: what the call was told, and its signal, are
 * made when a tool looks at them.
 */
export const context: object = createContext();

/** A call begins. */
export function resetContext(): void {
  signal = undefined;
  aborted = false;
  progressOnItsWay = 0;
  latestProgress = undefined;
}

/** Cancels the call: the grace period begins. */
export function abortCall(): void {
  aborted = true;
  if (signal !== undefined) abortSignal(signal, abortReason());
}

function createContext(): object {
  const made = {};
  for (let index = 0; index < TOLD.length; index++) {
    const name = TOLD[index] ?? "";
    defineGetter(made, name, () => callFact(name));
  }
  defineGetter(made, "signal", callSignal);
  define(made, "log", log, true);
  define(made, "workspace", workspace, true);
  define(made, "tools", tools, true);
  define(made, "progress", progress, true);
  define(made, "output", output, true);
  define(made, "error", createError, true);
  return objectFreeze(made);
}

function defineGetter(target: object, name: string, get: () => unknown): void {
  reflectDefineProperty(target, name, { __proto__: null, get, enumerable: true } as PropertyDescriptor);
}

function callSignal(): AbortSignal {
  if (signal === undefined) {
    signal = createSignal();
    if (aborted) abortSignal(signal, abortReason());
  }
  return signal;
}

function abortReason(): DOMException {
  return new DOMException("The call was cancelled", "AbortError");
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
  nameFunction(callTool, "call");
  nameFunction(progress, "progress");
  nameFunction(output, "output");
  nameFunction(createError, "error");
}

/** So many are on their way at once; of more, the latest is what anybody wants to know. */
const MAX_PROGRESS = 16;
let progressOnItsWay = 0;
let latestProgress: string | undefined;

/** Tells how far the call is. Returns at once; the value is JSON. */
function progress(value: unknown): void {
  const text = progressText(value);
  latestProgress = text;
  if (progressOnItsWay < MAX_PROGRESS) sendLatestProgress();
}

/** Progress of which nothing may be left out; who tells waits now and then until it has arrived. */
export function tellProgress(value: unknown): void {
  sendProgress(progressText(value));
}

function progressText(value: unknown): string {
  const text = jsonStringify(value);
  if (text === undefined) throw new PrimordialTypeError("The progress value is not JSON");
  refuseLost(value, text, "progress");
  return text;
}

function sendProgress(text: string): void {
  progressOnItsWay++;
  const answered = request({
    __proto__: null,
    operation: "progress",
    args: { __proto__: null },
    json: `{"value":${text}}`,
    convert: ignore,
  });
  // Whether it was shown is no concern of the tool's.
  promiseThen(answered, progressArrived, progressArrived);
}

function progressArrived(): void {
  progressOnItsWay--;
  sendLatestProgress();
}

/** Before the call ends, too. */
export function sendLatestProgress(): void {
  const text = latestProgress;
  latestProgress = undefined;
  if (text !== undefined) sendProgress(text);
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
  const made = plainError(toDomString(message));
  define(made, "name", "ToolError");
  if (details !== undefined) define(made, "details", details, true);
  return made;
}
