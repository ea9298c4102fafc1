/**
 * The guest's one way out: operations, synchronous and asynchronous, over the two native functions.
 *
 * This module alone holds them. Everything here works from captured built-ins, so nothing that a plugin does to the
 * globals reaches the native functions or changes what is sent.
 */

import { callLimit } from "./call-facts.ts";
import { type ErrorAnswer, toGuestError } from "./deno-errors.ts";
import { type FlatObject, objectToJson } from "./json-text.ts";
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
} from "./primordials.ts";
import type { Native } from "./protocol.ts";
import { cleanStack } from "./stack.ts";

/** What a program asks the host for. Without a prototype: a plugin may have put anything on `Object.prototype`. */
export interface Request<T> {
  readonly __proto__: null;
  readonly operation: string;
  readonly args: FlatObject;
  /** JSON text of the arguments, where they hold more than primitives; `args` is not sent then. */
  readonly json?: string;
  /** The path that is the only argument: it is told as it is, because writing JSON takes longer than the asking. */
  readonly onlyPath?: string;
  readonly bytes?: ArrayBuffer | undefined;
  /** Whether it has an effect that outlives the call, where the operation's name does not say so. */
  readonly hasEffect?: () => boolean;
  /** Whether the answer's bytes are wanted as text: `convert` gets `decodeUtf8` of them as the value. */
  readonly isText?: true | undefined;
  /** Makes the answer into what the program gets. `bytes` are those of the answer. */
  readonly convert: (value: unknown, bytes: ArrayBuffer | undefined) => T;
}

interface Pending {
  readonly wanted: Request<unknown>;
  /** Where the program asked, for the stack of a failure. */
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
/** Operations that were sent and have no answer yet. */
let underWay = 0;
/** Ids of operations that are sent when others have their answers, from `nextInLine` on. */
let line = bareList<number>();
let nextInLine = 0;

export function connect(native: Native): void {
  hostCall = native.hostCall;
  takeBytes = native.takeBytes;
}

/** The plugin has loaded: from here on the host answers. */
export function leaveLoading(): void {
  loading = false;
}

export function isLoading(): boolean {
  return loading;
}

/** Operations whose effect outlives the call: leaving one unfinished is a fault (SPEC B4). */
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
    case "tools.call":
    case "tools.asked":
    case "tools.result":
      return true;
    default:
      return false;
  }
}

/** Most calls ask for nothing. */
export function hasAsked(): boolean {
  return nextId !== FIRST_ID;
}

/** Names of the pending operations with effects, if there are any. */
export function unfinishedEffects(): string[] | undefined {
  if (mapSize(pending) === 0) return undefined;
  const operations = bareList<string>();
  mapForEach(pending, ({ wanted: { operation, hasEffect: own } }) => {
    if (own === undefined ? hasEffect(operation) : own()) operations[operations.length] = operation;
  });
  return operations.length === 0 ? undefined : operations;
}

/** Forgets what an earlier call asked and did not wait for, where the plugin keeps its state: nobody answers it any more. */
export function dropPending(): void {
  mapClear(pending);
  underWay = 0;
  dropLine();
}

/** Names of the pending operations, by id: a copy. */
export function pendingOperations(): Map<number, string> {
  const operations = new PrimordialMap<number, string>();
  mapForEach(pending, ({ wanted: { operation } }, id) => {
    mapSet(operations, id, operation);
  });
  return operations;
}

/** Asks the host and waits. @throws the host's refusal as the error it names. */
export function ask<T>(wanted: Request<T>): T {
  if (loading) refuseWhileLoading(wanted);
  return takeAnswer(wanted, send(0, wanted) ?? "v", true);
}

/** Of the promise that was made last. */
let lastResolve: Pending["resolve"];
let lastReject: Pending["reject"];
const keepSettlers = (resolve: Pending["resolve"], reject: Pending["reject"]): void => {
  lastResolve = resolve;
  lastReject = reject;
};

/**
 * Asks the host; the promise settles when the engine brings the answer. `stack` is where the program asked: a caller that
 * many calls go through takes it first, because each frame of ours in it costs as much as a promise.
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
  const promise = new PrimordialPromise(keepSettlers);
  mapSet(pending, id, { wanted, stack, resolve: lastResolve, reject: lastReject });
  // It is resolved with what `convert` answers.
  return promise as Promise<T>;
}

/** Where no limit is told the worker alone counts. The first needs no look at it: the text in which it is told has to be read. */
function mayBegin(): boolean {
  return underWay === 0 || underWay < (callLimit("pendingOperations") ?? Infinity);
}

function begin(id: number, wanted: Request<unknown>): void {
  send(id, wanted);
  underWay++;
}

function beginNext(): void {
  while (nextInLine < line.length && mayBegin()) {
    const id = line[nextInLine++] ?? 0;
    const next = mapGet(pending, id);
    try {
      if (next !== undefined) begin(id, next.wanted);
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

function send(id: number, { operation, onlyPath, json, args, bytes }: Request<unknown>): string | undefined {
  const text = onlyPath === undefined ? (json ?? objectToJson(args)) : `p${onlyPath}`;
  // An argument that is there has to be looked at.
  return bytes === undefined ? hostCall(id, operation, text) : hostCall(id, operation, text, bytes);
}

/** Brings an asynchronous answer. An unknown id is ignored: the engine's records are not the guest's to question. */
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
  // A refusal brings no bytes.
  if (typeof taken === "string") return convert(taken, undefined);
  const value = readAnswer(answer, stack);
  if (isText !== true) return convert(value, taken);
  return convert(taken === undefined ? "" : decodeUtf8(taken), undefined);
}

/** UTF-8 as `Deno.readTextFile` reads it: what is malformed becomes U+FFFD, a byte order mark stays. */
export function decodeUtf8(bytes: ArrayBuffer): string {
  return `${askWorker("text.utf8", "", bytes) as string}`;
}

/** Runs an operation of the worker itself: text in, JSON value or raw text out. */
export function askWorker(operation: string, text: string, bytes?: ArrayBuffer): unknown {
  return readAnswer((bytes === undefined ? hostCall(0, operation, text) : hostCall(0, operation, text, bytes)) ?? "v");
}

/** Tells the worker something that has no answer. */
export function tellWorker(operation: string): void {
  hostCall(0, operation, "");
}

/** The bytes that came with the last answer. */
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
 * A plugin loads without a host (SPEC B9): only its own files are there.
 *
 * The engine and the host refuse too; this is for the message.
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
    case "permissions.query":
      return "Asking for permissions";
    case "net.fetch":
      return "Fetching";
    case "progress":
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

/** Refuses text that the boundary or the operating system would cut or mangle. */
export function requireWholeText(text: string, what: string): string {
  if (stringIncludes(text, "\0")) throw new PrimordialTypeError(`${what} contains U+0000`);
  if (!stringIsWellFormed(text)) throw new PrimordialTypeError(`${what} contains a lone surrogate`);
  return text;
}
