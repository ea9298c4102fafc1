/** Runs one call: finds the tool, runs it, and makes an outcome of its return value or its error. */

import { tellOfCall } from "./call-facts.ts";
import { dropPending, hasAsked, leaveLoading, unfinishedEffects } from "./channel.ts";
import { context, resetContext, sendLatestProgress, TOOL_OUTPUT } from "./context.ts";
import { listToJson, quoteJson } from "../language/json-text.ts";
import { endLoadRandom } from "../language/load-random.ts";
import { lostIn } from "./lost-values.ts";
import { currentOutcome, finish, resetOutcome } from "./outcome.ts";
import { dropExchanges } from "../web/fetch-exchange.ts";
import { resetPerformance } from "../web/performance.ts";
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
} from "../language/primordials.ts";
import { encodedContent, partsOf } from "./result-forms.ts";
import { resetRejections } from "./rejections.ts";
import { describeThrown } from "../inspect/thrown.ts";
import { iterationOf, resetYields, runYields } from "./yields.ts";
import { dropTimers, endLoadTimers, rebaseTimers } from "../web/timers.ts";

/** Module namespaces by file. */
const namespaces = bareObject<Readonly<Record<string, unknown>>>();

/** Stores the namespace of an entry module that has loaded. */
export function defineModule(file: string, namespace: Readonly<Record<string, unknown>>): void {
  namespaces[file] = namespace;
}

/** Begins the call; the outcome is set when the tool settles. This path is hot: every call takes it. */
export function invokeTool(module: string, name: string, args: string, told: string): void {
  beginCall(told);
  try {
    const tool = findTool(module, name);
    if (tool === undefined) return;
    const returned = tool(jsonParse(args), context);
    if (isObject(returned) && (isAwaitable(returned) || iterationOf(returned) !== undefined)) void settleLater(returned);
    else finish(toOutcome(returned));
  } catch (error) {
    // Reading an export can throw too, if its module never initialised the variable.
    finish(`t${describeThrown(error)}`);
  }
}

/** True in an image: no call has begun since `endLoading`, so the first call has no state to reset. */
let isUntouched = false;

/** Runs last before the image is made. Measurements, random values and limits of the load do not reach a call (SPEC B9). */
export function endLoading(): void {
  endLoadTimers();
  endLoadRandom();
  resetCall();
  isUntouched = true;
}

function beginCall(told: string): void {
  tellOfCall(told);
  // A stateful plugin served another call before: its data stays, its pending work is dropped.
  if (!isUntouched) resetCall();
  isUntouched = false;
  rebaseTimers();
}

function resetCall(): void {
  leaveLoading();
  dropTimers();
  dropPending();
  dropExchanges();
  resetContext();
  resetYields();
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

/** Returns JSON of the exports that can be called. */
function listOfFunctions(namespace: object | undefined, names: string[]): string {
  const quoted = bareList<string>();
  for (let index = 0; namespace !== undefined && index < names.length && quoted.length < MAX_NAMES; index++) {
    const name = names[index] ?? "";
    if (typeof reflectGet(namespace, name) === "function") quoted[quoted.length] = quoteJson(name);
  }
  return `[${arrayJoin(quoted, ",")}]`;
}

/** `await` does not look up `then`, which a plugin may have replaced. It costs the call two round trips. */
async function settleLater(returned: object): Promise<void> {
  try {
    const settled = isAwaitable(returned) ? await maybePromise(returned) : returned;
    const begin = isObject(settled) ? iterationOf(settled) : undefined;
    finish(toOutcome(isObject(settled) && begin !== undefined ? await runYields(settled, begin) : settled));
  } catch (error) {
    finish(`t${describeThrown(error)}`);
  }
}

/** Recognises promises, even of a plugin that deleted `then`, and other thenables. */
function isAwaitable(value: object): boolean {
  return "then" in value || value instanceof PrimordialPromise;
}

/** Tells the type checker that the object may be a thenable. */
function maybePromise(value: object): PromiseLike<unknown> | object {
  return value;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

interface Marked {
  readonly [TOOL_OUTPUT]?: unknown;
}

/** The value that the outcome was made of, kept for `checkOutput`. */
let lastReturned: unknown;

function toOutcome(value: unknown): string {
  if (hasAsked()) {
    sendLatestProgress();
    const unfinished = unfinishedEffects();
    if (unfinished !== undefined) return `u${listToJson(unfinished)}`;
  }
  lastReturned = value;
  try {
    // Concatenated without a template, because the engine calls `concat` for templates, which costs half a microsecond per call.
    if (!isObject(value)) return 'd{"o":' + toJson(value) + "}";
    const parts = (value as Marked)[TOOL_OUTPUT] === true ? outputParts(value) : partsOf(value);
    if (parts === undefined) return 'd{"o":' + toJson(value) + "}";
    lastReturned = parts;
    return "d" + toolOutput(parts);
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
    // A getter or a trap may throw when it is read a second time.
    return `n${messageOf(error)}`;
  }
}

/** Returns JSON of a value. Values without a JSON form are refused, except undefined, which becomes null. */
function toJson(value: unknown): string {
  if (value === undefined) return "null";
  const text = jsonStringify(value);
  if (text !== undefined) return text;
  throw new PrimordialTypeError(
    `The tool returned ${typeof value === "object" ? "an object whose toJSON returns undefined" : `a ${typeof value}`}`,
  );
}

const OUTPUT_KEYS = ["output", "content", "success", "metadata", "filesModified", "commandExecuted"];

/** Copies the parts of a `context.output`, with text where content blocks hold bytes. */
function outputParts(value: object): object {
  const parts = bareObject<unknown>();
  for (let index = 0; index < OUTPUT_KEYS.length; index++) {
    const key = OUTPUT_KEYS[index] ?? "";
    const field = reflectGet(value, key);
    if (field !== undefined) parts[key] = key === "content" ? encodedContent(field) : field;
  }
  return parts;
}

function toolOutput(value: object): string {
  const fields = bareList<string>();
  for (let index = 0; index < OUTPUT_KEYS.length; index++) {
    const key = OUTPUT_KEYS[index] ?? "";
    const field = reflectGet(value, key);
    if (field !== undefined) fields[fields.length] = `"${key}":${toJson(field)}`;
  }
  return `{"t":{${arrayJoin(fields, ",")}}}`;
}

/** Returns the text of a throwing `toJSON` or getter, which is the plugin's own. */
function messageOf(error: unknown): string {
  // `describeThrown` bounds the text; this reads its result.
  const { name, message } = jsonParse(describeThrown(error)) as { readonly name: string; readonly message: string };
  return message === "" ? name : message;
}
