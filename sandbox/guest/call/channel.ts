/**
 * The guest's only way out: synchronous and asynchronous operations over the two native functions.
 *
 * Only this module holds the native functions. It uses captured built-ins only, so that a plugin's changes of globals neither
 * reach the native functions nor change the messages.
 */

import { callLimit } from "./call-facts.ts";
import { type ErrorAnswer, toGuestError } from "../deno/deno-errors.ts";
import { type FlatObject, objectToJson } from "../language/json-text.ts";
import {
  bareList,
  jsonParse,
  mapClear,
  mapDelete,
  mapForEach,
  mapGet,
  mapSet,
  mapSize,
  PrimordialError,
  PrimordialMap,
  PrimordialPromise,
  PrimordialTypeError,
  promiseReject,
  stringCharCodeAt,
  stringIncludes,
  stringIsWellFormed,
  stringSlice,
  stringStartsWith,
} from "../language/primordials.ts";
import type { Native } from "./protocol.ts";
import { cleanStack } from "../inspect/stack.ts";

/** One request to the host. It has no prototype, because a plugin may have changed `Object.prototype`. */
export interface Request<T> {
  readonly __proto__: null;
  readonly operation: string;
  readonly args: FlatObject;
  /** JSON text of the arguments, if they hold more than primitives; sent instead of `args`. */
  readonly json?: string;
  /** Path that is the only argument, sent as it is because writing JSON takes longer than the operation. */
  readonly onlyPath?: string;
  readonly bytes?: ArrayBuffer | undefined;
  /** Whether the request has an effect that outlives the call, if the operation's name does not tell. */
  readonly hasEffect?: () => boolean;
  /** Whether the answer's bytes are wanted as text: `convert` receives `decodeUtf8` of them as the value. */
  readonly isText?: true | undefined;
  /** Converts the answer to the program's result. `bytes` belong to the answer. */
  readonly convert: (value: unknown, bytes: ArrayBuffer | undefined) => T;
}

interface Pending {
  readonly wanted: Request<unknown>;
  /** Stack of the request, used for errors. */
  readonly stack: string | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

let hostCall: Native["hostCall"];
let takeBytes: Native["takeBytes"];
let loading = true;
const FIRST_ID = 1;
let nextId = FIRST_ID;
const pending = new PrimordialMap<number, Pending>();
/** Number of operations that were sent and are not answered yet. */
let underWay = 0;
/** Ids of operations that wait for a free place, from index `nextInLine` on. */
let line = bareList<number>();
let nextInLine = 0;

export function connect(native: Native): void {
  hostCall = native.hostCall;
  takeBytes = native.takeBytes;
}

/** Marks the end of the load; the host answers requests from here on. */
export function leaveLoading(): void {
  loading = false;
}

export function isLoading(): boolean {
  return loading;
}

/** Returns whether the effect of an operation outlives the call: leaving such an operation unfinished is a fault (SPEC B4). */
function hasEffect(operation: string): boolean {
  switch (operation) {
    case "fs.writeFile":
    case "fs.mkdir":
    case "fs.remove":
    case "fs.rename":
    case "fs.copyFile":
    case "fs.truncate":
    case "fs.makeTempFile":
    case "fs.makeTempDir":
    case "file.open":
    case "file.write":
    case "file.truncate":
    case "file.utime":
    case "workspace.write":
    case "workspace.delete":
    case "workspace.patch":
    case "data.write":
    case "tools.call":
    case "tools.asked":
    case "tools.result":
      return true;
    default:
      return false;
  }
}

/** Fast path: most calls send no request. */
export function hasAsked(): boolean {
  return nextId !== FIRST_ID;
}

/** Returns the names of pending operations with effects, or undefined if there are none. */
export function unfinishedEffects(): string[] | undefined {
  if (mapSize(pending) === 0) return undefined;
  const operations = bareList<string>();
  mapForEach(pending, ({ wanted: { operation, hasEffect: own } }) => {
    if (own === undefined ? hasEffect(operation) : own()) operations[operations.length] = operation;
  });
  return operations.length === 0 ? undefined : operations;
}

/** Returns whether no answer can arrive. */
export function isIdle(): boolean {
  return underWay === 0;
}

/** Drops the pending operations of an earlier call of a stateful plugin, because their answers never arrive. */
export function dropPending(): void {
  mapClear(pending);
  underWay = 0;
  dropLine();
}

/** Returns a copy of the pending operations: name by id. */
export function pendingOperations(): Map<number, string> {
  const operations = new PrimordialMap<number, string>();
  mapForEach(pending, ({ wanted: { operation } }, id) => {
    mapSet(operations, id, operation);
  });
  return operations;
}

/** Sends a synchronous request. @throws the error that the host's refusal names */
export function ask<T>(wanted: Request<T>): T {
  if (loading) refuseWhileLoading(wanted);
  return takeAnswer(wanted, send(0, wanted) ?? "v", true);
}

/** Resolver of the latest promise. */
let lastResolve: Pending["resolve"];
let lastReject: Pending["reject"];
const keepSettlers = (resolve: Pending["resolve"], reject: Pending["reject"]): void => {
  lastResolve = resolve;
  lastReject = reject;
};

/**
 * Sends an asynchronous request; the promise settles when the engine delivers the answer. `stack` is the place of the request. A
 * caller with many frames of its own takes it first, because each frame of the prelude in it costs as much as a promise.
 */
export function request<T>(wanted: Request<T>, stack: string | undefined = new PrimordialError("").stack): Promise<T> {
  const id = nextId++;
  try {
    if (loading) refuseWhileLoading(wanted);
    if (mayBegin()) begin(id, wanted);
    else line[line.length] = id;
  } catch (error) {
    return promiseReject(error);
  }
  return promiseOf(id, wanted, stack);
}

/**
 * Registers an asynchronous request that waits until `beginHeld` is called with the id. It counts as pending from here on, so a call that
 * returns before it has begun is told of an unfinished effect.
 */
export function holdRequest<T>(wanted: Request<T>): readonly [id: number, promise: Promise<T>] {
  const id = nextId++;
  return [id, promiseOf(id, wanted, new PrimordialError("").stack)];
}

/** Begins a held request, after the operations that wait for a free place. */
export function beginHeld(id: number): void {
  line[line.length] = id;
  beginNext();
}

/** Drops a held request that has not begun; its promise never settles. */
export function dropHeld(id: number): void {
  mapDelete(pending, id);
}

function promiseOf<T>(id: number, wanted: Request<T>, stack: string | undefined): Promise<T> {
  const promise = new PrimordialPromise(keepSettlers);
  mapSet(pending, id, { wanted, stack, resolve: lastResolve, reject: lastReject });
  // The promise resolves with the result of `convert`.
  return promise as Promise<T>;
}

/** If the host sent no limit, only the worker counts. The first operation skips the check, because reading the limit means parsing JSON. */
function mayBegin(): boolean {
  return underWay === 0 || underWay < (callLimit("pendingOperations") ?? Infinity);
}

/** @param stack of the request, if it waited: the current stack is another one then */
function begin(id: number, wanted: Request<unknown>, stack?: string): void {
  send(id, wanted, stack);
  underWay++;
}

function beginNext(): void {
  while (nextInLine < line.length && mayBegin()) {
    const id = line[nextInLine++] ?? 0;
    const next = mapGet(pending, id);
    try {
      if (next !== undefined) begin(id, next.wanted, next.stack);
    } catch (error) {
      mapDelete(pending, id);
      next?.reject(error);
    }
  }
  if (nextInLine === line.length) dropLine();
}

function dropLine(): void {
  if (line.length > 0) line = bareList();
  nextInLine = 0;
}

function send(id: number, { operation, onlyPath, json, args, bytes }: Request<unknown>, stack?: string): string | undefined {
  const text = onlyPath === undefined ? (json ?? objectToJson(args)) : `p${onlyPath}`;
  if (stack !== undefined) return hostCall(id, operation, text, bytes, stack);
  // A fourth argument that is present has to be inspected, even if it is undefined.
  return bytes === undefined ? hostCall(id, operation, text) : hostCall(id, operation, text, bytes);
}

/** Delivers an asynchronous answer. Ignores an unknown id, because the engine's bookkeeping decides. */
export function settle(id: number, answer: string, hasBytes?: number): void {
  const waiting = mapGet(pending, id);
  if (waiting === undefined) return;
  mapDelete(pending, id);
  underWay--;
  try {
    waiting.resolve(takeAnswer(waiting.wanted, answer, hasBytes === 1, waiting.stack));
  } catch (error) {
    waiting.reject(error);
  }
  beginNext();
}

function takeAnswer<T>({ isText, convert }: Request<T>, answer: string, hasBytes: boolean, stack?: string): T {
  const taken = hasBytes ? takeBytes(isText === true ? 1 : 0) : undefined;
  // A refusal has no bytes.
  if (typeof taken === "string") return convert(taken, undefined);
  const value = readAnswer(answer, stack);
  if (isText !== true) return convert(value, taken);
  return convert(taken === undefined ? "" : decodeUtf8(taken), undefined);
}

/** Decodes UTF-8 like `Deno.readTextFile`: malformed sequences become U+FFFD, a byte order mark stays. */
export function decodeUtf8(bytes: ArrayBuffer): string {
  return `${askWorker("text.utf8", "", bytes) as string}`;
}

/** Runs an operation of the worker itself: takes text, returns a JSON value or raw text. */
export function askWorker(operation: string, text: string, bytes?: ArrayBuffer): unknown {
  return readAnswer((bytes === undefined ? hostCall(0, operation, text) : hostCall(0, operation, text, bytes)) ?? "v");
}

/** Notifies the worker, which sends no answer. */
export function tellWorker(operation: string): void {
  hostCall(0, operation, "");
}

/** Returns the bytes of the last answer. */
export function takeAnswerBytes(): ArrayBuffer | undefined {
  return takeBytes(0) as ArrayBuffer | undefined;
}

function readAnswer(answer: string, stack?: string): unknown {
  const text = stringSlice(answer, 1);
  switch (stringCharCodeAt(answer, 0)) {
    case 0x73: // s
      return text;
    case 0x65: // e
      throw toGuestError(jsonParse(text) as ErrorAnswer, stack === undefined ? undefined : cleanStack(stack));
    default:
      return text === "" ? undefined : jsonParse(text);
  }
}

/**
 * Refuses operations of the host while a plugin loads, when only its own files are readable (SPEC B9).
 *
 * The engine and the host refuse them too; this check exists for its message.
 */
function refuseWhileLoading({ operation, args: { path } }: Request<unknown>): void {
  if (operation === "fs.readFile" && typeof path === "string" && stringStartsWith(path, "/$plugin/")) return;
  throw toGuestError({
    name: "NotCapable",
    message: `${describeOperation(operation)} is not available while the plugin loads; move it into the tool function`,
  });
}

function describeOperation(operation: string): string {
  switch (operation) {
    case "fs.readFile":
    case "workspace.read":
      return "Reading files";
    case "fs.readDir":
    case "workspace.list":
      return "Listing folders";
    case "fs.stat":
    case "fs.lstat":
    case "fs.realPath":
    case "workspace.exists":
      return "Looking at files";
    case "data.read":
    case "data.write":
      return "context.data";
    case "permissions.query":
      return "Asking for permissions";
    case "net.fetch":
      return "Fetching";
    case "progress":
    case "yield":
      return "Reporting progress";
    case "tools.call":
    case "tools.asked":
    case "tools.result":
      return "Calling tools";
    default:
      break;
  }
  if (stringStartsWith(operation, "file.")) return "Opening files";
  if (stringStartsWith(operation, "subtle.")) return "Cryptography with keys";
  if (stringStartsWith(operation, "env.")) return "The environment";
  return stringStartsWith(operation, "fs.") || stringStartsWith(operation, "workspace.") ? "Changing files" : `"${operation}"`;
}

/** Refuses text that the boundary or the operating system would cut or change. */
export function requireWholeText(text: string, what: string): string {
  if (stringIncludes(text, "\0")) throw new PrimordialTypeError(`${what} contains U+0000`);
  if (!stringIsWellFormed(text)) throw new PrimordialTypeError(`${what} contains a lone surrogate`);
  return text;
}
