/** One call: finds the tool, runs it, and makes an outcome of what it returns or throws. */

import { tellOfCall } from "./call-facts.ts";
import { dropPending, hasAsked, leaveLoading, unfinishedEffects } from "./channel.ts";
import { context, resetContext, sendLatestProgress, TOOL_OUTPUT } from "./context.ts";
import { listToJson, quoteJson } from "./json-text.ts";
import { lostIn } from "./lost-values.ts";
import { currentOutcome, finish, resetOutcome } from "./outcome.ts";
import { resetPerformance } from "./performance.ts";
import {
  arrayJoin,
  bareList,
  bareObject,
  jsonParse,
  jsonStringify,
  objectKeys,
  PrimordialPromise,
  PrimordialTypeError,
  reflectGet,
} from "./primordials.ts";
import { resetRejections } from "./rejections.ts";
import { describeThrown } from "./thrown.ts";
import { dropTimers, endLoadTimers, rebaseTimers } from "./timers.ts";

/** By file. */
const namespaces = bareObject<Readonly<Record<string, unknown>>>();

/** An entry module has loaded. */
export function defineModule(file: string, namespace: Readonly<Record<string, unknown>>): void {
  namespaces[file] = namespace;
}

/** Begins the call; the outcome comes when the tool settles. Every microsecond here is one of every call. */
export function invokeTool(module: string, name: string, args: string, told: string): void {
  beginCall(told);
  try {
    const tool = findTool(module, name);
    if (tool === undefined) return;
    const returned = tool(jsonParse(args), context);
    if (isObject(returned) && isAwaitable(returned)) void settleLater(returned);
    else finish(toOutcome(returned));
  } catch (error) {
    // Reading an export can throw too: a variable that its module never initialised.
    finish(`t${describeThrown(error)}`);
  }
}

/** True in an image: no call has begun since `endLoading`, so that the first has nothing to put back. */
let isUntouched = false;

/** The last that runs before the image is made. Nothing that the load measured, drew or was limited by reaches into a call (SPEC B9). */
export function endLoading(): void {
  endLoadTimers();
  resetCall();
  isUntouched = true;
}

function beginCall(told: string): void {
  tellOfCall(told);
  // Where the plugin keeps its state, another call was here before: its data stays, what it was about to do does not.
  if (!isUntouched) resetCall();
  isUntouched = false;
  rebaseTimers();
}

function resetCall(): void {
  leaveLoading();
  dropTimers();
  dropPending();
  resetContext();
  resetOutcome();
  resetRejections();
  resetPerformance();
}

type Tool = (args: unknown, context: object) => unknown;

function findTool(module: string, name: string): Tool | undefined {
  const namespace = namespaces[module];
  const found = namespace?.[name];
  if (typeof found === "function") return found as Tool;
  finish(`x${listOfFunctions(namespace, namespace === undefined ? bareList<string>() : objectKeys(namespace))}`);
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

/** `await` and not `then`: it does not look up what a plugin may have replaced. It costs the call two round trips. */
async function settleLater(returned: object): Promise<void> {
  try {
    finish(toOutcome(await maybePromise(returned)));
  } catch (error) {
    finish(`t${describeThrown(error)}`);
  }
}

/** Promises, also of a plugin that deleted their `then`, and what behaves like one. */
function isAwaitable(value: object): boolean {
  return "then" in value || value instanceof PrimordialPromise;
}

/** `await` takes anything; the type says so. */
function maybePromise(value: object): PromiseLike<unknown> | object {
  return value;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

interface Marked {
  readonly [TOOL_OUTPUT]?: unknown;
}

/** The outcome was made of it; kept for `checkOutput`. */
let lastReturned: unknown;

function toOutcome(value: unknown): string {
  if (hasAsked()) {
    sendLatestProgress();
    const unfinished = unfinishedEffects();
    if (unfinished !== undefined) return `u${listToJson(unfinished)}`;
  }
  lastReturned = value;
  try {
    // Not in templates, which the engine makes by calls of `concat`: they cost this call half a microsecond.
    return "d" + (isObject(value) && (value as Marked)[TOOL_OUTPUT] === true ? toolOutput(value) : '{"o":' + toJson(value) + "}");
  } catch (error) {
    return `n${messageOf(error)}`;
  }
}

/** Looks for values that the output's JSON lost (`protocol.ts`). */
export function checkOutput(): string {
  const value = lastReturned;
  lastReturned = undefined;
  if (currentOutcome() === undefined) return "";
  try {
    const lost = lostIn(value, "output");
    return lost === undefined ? "" : `n${lost}`;
  } catch (error) {
    // A getter or a trap that throws when it is asked a second time.
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
