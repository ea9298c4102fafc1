/** The tool context (SPEC D7, C8): facts that the host sent about the call, and functions that a tool can use. */

import { abortSignal, type AbortSignal, createSignal } from "../web/abort.ts";
import { callFact } from "./call-facts.ts";
import { createData } from "./data.ts";
import { request } from "./channel.ts";
import { logAll } from "../inspect/console.ts";
import { DOMException } from "../web/dom-exception.ts";
import {
  define,
  jsonStringify,
  objectFreeze,
  PrimordialSymbol,
  PrimordialTypeError,
  promiseThen,
  reflectDefineProperty,
} from "../language/primordials.ts";
import { refuseLost } from "./lost-values.ts";
import { nameFunction, toDictionary, toDomString } from "../web/webidl.ts";
import { callTool } from "./tools.ts";
import { createWorkspace } from "./workspace.ts";
import { plainError } from "../inspect/stack.ts";

/** Marks results of `context.output`; a plugin may use the symbol itself. */
export const TOOL_OUTPUT: symbol = PrimordialSymbol.for("bascule.toolOutput");

/** Stateless, so it is created once, in the base image. */
const log = objectFreeze(createLog());
const workspace = objectFreeze(createWorkspace());
const data = createData();
const tools = objectFreeze({ call: callTool });

let signal: AbortSignal | undefined;
let aborted = false;

/** Facts from the host (`protocol.ts`), in the order in which a tool sees them. */
const TOLD = [
  "sessionId",
  "turnId",
  "callId",
  "idempotencyKey",
  "agentId",
  "traceparent",
  "workspacePath",
  "settings",
  "permissions",
  "deadline",
] as const;

/**
 * The frozen second argument of every tool, created once, in the base image. The facts of the call and its signal are created
 * when a tool reads them.
 */
export const context: object = createContext();

/** Resets the context when a call begins. */
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
  define(made, "data", data, true);
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
        throw new PrimordialTypeError(`Unknown log level "${toDomString(level)}" (use debug, info, warn or error)`);
      }
      logAll(level, values);
    },
  };
}

/** Names the functions that every context shares. Called once at boot. */
export function nameContextFunctions(): void {
  nameFunction(callTool, "call");
  nameFunction(progress, "progress");
  nameFunction(output, "output");
  nameFunction(createError, "error");
}

/** Maximum progress messages in flight; beyond that only the latest is kept. */
const MAX_PROGRESS = 16;
let progressOnItsWay = 0;
let latestProgress: string | undefined;

/** Reports the progress of the call without waiting; the value is JSON. */
function progress(value: unknown): void {
  const text = progressText(value);
  latestProgress = text;
  if (progressOnItsWay < MAX_PROGRESS) sendLatestProgress();
}

/** Sends progress without dropping any; the caller waits for `heard` now and then. */
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
  // A tool does not learn whether the message was shown.
  promiseThen(answered, progressArrived, progressArrived);
}

function progressArrived(): void {
  progressOnItsWay--;
  sendLatestProgress();
}

/** Sends the latest progress value; also called before the call ends. */
export function sendLatestProgress(): void {
  const text = latestProgress;
  latestProgress = undefined;
  if (text !== undefined) sendProgress(text);
}

/** @returns JSON of a value that the tool yielded. @throws {TypeError} if it has none */
export function yieldedText(value: unknown, index: number): string {
  const what = `value ${index + 1} that the tool yielded`;
  const text = jsonStringify(value);
  if (text === undefined)
    throw new PrimordialTypeError(`Invalid ${what}: ${value === undefined ? "undefined" : `a ${typeof value}`} has no JSON form`);
  refuseLost(value, text, what);
  return text;
}

/** Sends what `yieldedText` returned. Resolves when the caller has it. */
export function sendYielded(text: string): Promise<undefined> {
  // Progress from before the yield comes first.
  sendLatestProgress();
  return request({ __proto__: null, operation: "yield", args: { __proto__: null }, json: `{"value":${text}}`, convert: ignore });
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

/** Marks a result that is more than a plain value: content blocks, or a failure. */
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

/** Creates an error whose message reaches the caller unchanged (SPEC X4): `throw context.error("No such note")`. */
function createError(message: unknown, details?: unknown): Error {
  const made = plainError(toDomString(message));
  define(made, "name", "ToolError");
  if (details !== undefined) define(made, "details", details, true);
  return made;
}
