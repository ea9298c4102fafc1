/** One call: finds the tool, runs it, and makes an outcome of what it returns or throws. */

import { leaveLoading, unfinishedEffects } from "./channel.ts";
import { createContext, TOOL_OUTPUT } from "./context.ts";
import { setCwd } from "./deno-paths.ts";
import { listToJson, quoteJson } from "./json-text.ts";
import { finish, resetOutcome } from "./outcome.ts";
import { resetPerformance } from "./performance.ts";
import {
  arrayJoin,
  bareList,
  bareObject,
  type Callable,
  jsonParse,
  jsonStringify,
  objectKeys,
  PrimordialPromise,
  PrimordialTypeError,
  reflectApply,
  reflectGet,
  reflectHas,
} from "./primordials.ts";
import { describeThrown } from "./thrown.ts";
import { readTimerLimit, rebaseTimers } from "./timers.ts";

interface InvokeRequest {
  readonly module: string;
  readonly export: string;
  readonly args: unknown;
  readonly context: Readonly<Record<string, unknown>>;
}

/** By file. */
const namespaces = bareObject<object>();

/** An entry module has loaded. */
export function defineModule(file: string, namespace: object): void {
  namespaces[file] = namespace;
}

/** Begins the call; the outcome comes when the tool settles. */
export function invokeTool(text: string): void {
  // The engine sends what protocol.ts says.
  const request = jsonParse(text) as InvokeRequest;
  beginCall(request.context);
  try {
    const tool = findTool(request);
    if (tool !== undefined) void run(tool, request.args, createContext(request.context));
  } catch (error) {
    // Reading an export can throw: a variable that its module never initialised.
    finish(`t${describeThrown(error)}`);
  }
}

/** Nothing that the load measured, drew or was limited by reaches into the call (SPEC B9). */
function beginCall(context: InvokeRequest["context"]): void {
  leaveLoading();
  resetOutcome();
  resetPerformance();
  rebaseTimers();
  const { cwd, workspacePath, limits } = context;
  setCwd(typeof cwd === "string" ? cwd : typeof workspacePath === "string" ? workspacePath : "/");
  readTimerLimit(typeof limits === "object" && limits !== null ? (limits as { readonly timers?: unknown }).timers : undefined);
}

function findTool(request: InvokeRequest): Callable | undefined {
  const namespace = namespaces[request.module];
  const names = namespace === undefined ? bareList<string>() : objectKeys(namespace);
  for (let index = 0; namespace !== undefined && index < names.length; index++) {
    if (names[index] !== request.export) continue;
    const found = reflectGet(namespace, request.export);
    if (typeof found === "function") return found as Callable;
  }
  finish(`x${listOfFunctions(namespace, names)}`);
  return undefined;
}

const MAX_NAMES = 100;

/** JSON of the exports that could be called. */
function listOfFunctions(namespace: object | undefined, names: string[]): string {
  const quoted = bareList<string>();
  for (let index = 0; namespace !== undefined && index < names.length && quoted.length < MAX_NAMES; index++) {
    const name = names[index] ?? "";
    if (typeof reflectGet(namespace, name) === "function") quoted[quoted.length] = quoteJson(name);
  }
  return `[${arrayJoin(quoted, ",")}]`;
}

/** `await` and not `then`: it does not look up what a plugin may have replaced. */
async function run(tool: Callable, args: unknown, context: object): Promise<void> {
  try {
    const returned = reflectApply(tool, undefined, [args, context]);
    finish(toOutcome(isObject(returned) && isAwaitable(returned) ? await maybePromise(returned) : returned));
  } catch (error) {
    finish(`t${describeThrown(error)}`);
  }
}

/** Promises, also of a plugin that deleted their `then`, and what behaves like one. An `await` costs the call two round trips. */
function isAwaitable(value: object): boolean {
  return value instanceof PrimordialPromise || reflectHas(value, "then");
}

/** `await` takes anything; the type says so. */
function maybePromise(value: object): PromiseLike<unknown> | object {
  return value;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function toOutcome(value: unknown): string {
  const unfinished = unfinishedEffects();
  if (unfinished.length > 0) return `u${listToJson(unfinished)}`;
  try {
    return `d${isObject(value) && reflectGet(value, TOOL_OUTPUT) === true ? toolOutput(value) : `{"o":${toJson(value)}}`}`;
  } catch (error) {
    return `n${messageOf(error)}`;
  }
}

/** JSON of a value; what JSON leaves out is refused, except undefined, which is null. */
function toJson(value: unknown): string {
  if (value === undefined) return "null";
  const text = jsonStringify(value);
  if (text !== undefined) return text;
  throw new PrimordialTypeError(
    `The tool returned ${typeof value === "object" ? "an object whose toJSON answers nothing" : `a ${typeof value}`}`,
  );
}

const OUTPUT_KEYS = ["output", "content", "success", "metadata", "filesModified", "commandExecuted"];

function toolOutput(value: object): string {
  const fields = bareList<string>();
  for (let index = 0; index < OUTPUT_KEYS.length; index++) {
    const key = OUTPUT_KEYS[index] ?? "";
    const field = reflectGet(value, key);
    if (field !== undefined) fields[fields.length] = `"${key}":${toJson(field)}`;
  }
  return `{"t":{${arrayJoin(fields, ",")}}}`;
}

/** What a throwing `toJSON` or a getter threw is the plugin's own text. */
function messageOf(error: unknown): string {
  // `describeThrown` bounds it; this reads its own answer.
  const { name, message } = jsonParse(describeThrown(error)) as { readonly name: string; readonly message: string };
  return message === "" ? name : message;
}
