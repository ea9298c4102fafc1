/** The file functions of `Deno`, each in synchronous and asynchronous form, over the host's `fs.` operations. */

import { isAbortSignal, offAbort, onAbort } from "../web/abort.ts";
import { bufferOf, toByteArray, toBytes } from "../web/bytes.ts";
import { ask, type Request, request } from "../call/channel.ts";
import type { FlatObject } from "../language/json-text.ts";
import { opening } from "./deno-file.ts";
import { toDirEntries, toFileInfo } from "./deno-file-info.ts";
import { toPath } from "./deno-paths.ts";
import { requireNotRevoked } from "./deno-permissions.ts";
import { encodeUtf8 } from "../web/encoding.ts";
import {
  argumentAt,
  define,
  iteratorPrototype,
  objectSetPrototypeOf,
  PrimordialError,
  PrimordialPromise,
  PrimordialSymbol,
  PrimordialTypeError,
  promiseReject,
  promiseThen,
  reflectDefineProperty,
} from "../language/primordials.ts";
import { TextEncoderStream } from "../streams/text-streams.ts";
import { isReadable, pipeThrough, pipeTo, type Stream } from "../streams/web-streams.ts";
import { nameFunction, requireArguments, toDictionary, toDomString } from "../web/webidl.ts";

/** One file function: maps Deno's arguments to a request. */
interface FileFunction {
  readonly name: string;
  readonly length: number;
  readonly toRequest: (first: unknown, second: unknown, third: unknown) => Request<unknown>;
  /** Index of the argument that may carry an `AbortSignal`. */
  readonly signalAt?: 1 | 2;
}

const FUNCTIONS: readonly FileFunction[] = [
  { name: "readFile", length: 1, signalAt: 1, toRequest: (path) => look("fs.readFile", path, toByteArray) },
  { name: "readTextFile", length: 1, signalAt: 1, toRequest: (path) => look("fs.readFile", path, toString, true) },
  {
    name: "writeFile",
    length: 2,
    signalAt: 2,
    toRequest: (path, data, options) => write(path, bufferOf(toBytes(data, "Cannot write the file")), options),
  },
  {
    name: "writeTextFile",
    length: 2,
    signalAt: 2,
    toRequest: (path, text, options) => write(path, bufferOf(encodeUtf8(toDomString(text))), options),
  },
  { name: "stat", length: 1, toRequest: (path) => look("fs.stat", path, toFileInfo) },
  { name: "lstat", length: 1, toRequest: (path) => look("fs.lstat", path, toFileInfo) },
  { name: "realPath", length: 1, toRequest: (path) => look("fs.realPath", path, toString) },
  { name: "mkdir", length: 1, toRequest: (path, options) => change("fs.mkdir", path, readMkdir(options)) },
  { name: "remove", length: 1, toRequest: (path, options) => change("fs.remove", path, readRemove(options)) },
  { name: "truncate", length: 1, toRequest: (path, length) => change("fs.truncate", path, { __proto__: null, len: toLength(length) }) },
  { name: "rename", length: 2, toRequest: (from, to) => between("fs.rename", toPath(from), toPath(to)) },
  { name: "copyFile", length: 2, toRequest: (from, to) => between("fs.copyFile", toPath(from), toPath(to)) },
  { name: "makeTempFile", length: 0, toRequest: (options) => makeTemp("fs.makeTempFile", options) },
  { name: "makeTempDir", length: 0, toRequest: (options) => makeTemp("fs.makeTempDir", options) },
];

/** Reads like `Deno.readFile`, for the prelude itself. */
export function readBytes(path: unknown): Promise<Uint8Array<ArrayBuffer>> {
  return request(look("fs.readFile", path, toByteArray));
}

/** Builds a request that reads about one existing file. */
function look<T>(operation: string, given: unknown, convert: Request<T>["convert"], isText?: true): Request<T> {
  const path = toPath(given);
  requireNotRevoked("read", path);
  return { __proto__: null, operation, args: { __proto__: null, path }, onlyPath: path, isText, convert };
}

/** Builds a request that changes one file. */
function change(operation: string, given: unknown, options?: FlatObject): Request<undefined> {
  const path = toPath(given);
  requireNotRevoked("write", path);
  return { __proto__: null, operation, args: { __proto__: null, path, ...options }, convert: toNothing };
}

function between(operation: string, from: string, to: string): Request<undefined> {
  requireNotRevoked("read", from);
  requireNotRevoked("write", from);
  requireNotRevoked("write", to);
  return { __proto__: null, operation, args: { __proto__: null, from, to }, convert: toNothing };
}

function write(path: unknown, bytes: ArrayBuffer, given: unknown): Request<undefined> {
  const options = toDictionary(given, "Cannot write the file");
  const args: FlatObject = {
    __proto__: null,
    append: toFlag(options["append"]),
    create: toFlag(options["create"]),
    createNew: toFlag(options["createNew"]),
    mode: toMode(options["mode"]),
  };
  return { ...change("fs.writeFile", path, args), __proto__: null, bytes };
}

function readMkdir(given: unknown): FlatObject {
  const options = toDictionary(given, "Cannot make the folder");
  return { __proto__: null, recursive: toFlag(options["recursive"]), mode: toMode(options["mode"]) };
}

function readRemove(given: unknown): FlatObject {
  return { __proto__: null, recursive: toFlag(toDictionary(given, "Cannot remove it")["recursive"]) };
}

function makeTemp(operation: string, given: unknown): Request<string> {
  const options = toDictionary(given, "Cannot make a temporary file");
  const dir = options["dir"] === undefined ? undefined : toPath(options["dir"]);
  requireNotRevoked("write", dir);
  const args = { __proto__: null, dir, prefix: toName(options["prefix"]), suffix: toName(options["suffix"]) };
  return { __proto__: null, operation, args, convert: toString };
}

function toFlag(value: unknown): boolean | undefined {
  return value === undefined ? undefined : !!value;
}

function toMode(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : +(value as number) & 0o7777;
}

function toLength(value: unknown): number {
  // Negative lengths count as 0, as in Deno.
  const length = value === undefined || (value as number) < 0 ? 0 : +(value as number);
  if (!(length >= 0 && length <= Number.MAX_SAFE_INTEGER)) throw new PrimordialTypeError("The length must be a number from 0 on");
  return length - (length % 1);
}

function toName(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : toPath(toDomString(value));
}

function toString(value: unknown): string {
  return `${value as string}`;
}

function toNothing(): undefined {
  return undefined;
}

/** Both forms of each function, and `readDir`, whose two forms differ in kind. */
export function createDenoFs(): Record<string, unknown> {
  const functions: Record<string, unknown> = { readDir, readDirSync };
  nameFunction(readDir, "readDir");
  nameFunction(readDirSync, "readDirSync");
  for (const described of FUNCTIONS) {
    const { name, length, toRequest } = described;
    const [what, whatSync] = [`execute 'Deno.${name}'`, `execute 'Deno.${name}Sync'`];
    const begin = (...given: unknown[]): unknown => later(described, given, what, new PrimordialError("").stack);
    const wait = (...given: unknown[]): unknown => {
      requireArguments(given.length, length, whatSync);
      return ask(toRequest(argumentAt(given, 0), argumentAt(given, 1), argumentAt(given, 2)));
    };
    nameFunction(begin, name, length);
    nameFunction(wait, `${name}Sync`, length);
    functions[name] = begin;
    functions[`${name}Sync`] = wait;
  }
  return functions;
}

function later(
  { name, length, toRequest, signalAt }: FileFunction,
  given: unknown[],
  what: string,
  stack: string | undefined,
): Promise<unknown> {
  try {
    requireArguments(given.length, length, what);
    const signal = signalAt === undefined || given.length <= signalAt ? undefined : readSignal(argumentAt(given, signalAt));
    if (signal?.aborted === true) return promiseReject(signal.reason);
    // If the signal is the third argument, the second is the content.
    const stream = signalAt === 2 ? argumentAt(given, 1) : undefined;
    if (stream !== undefined && isReadable(stream))
      return writeStream(argumentAt(given, 0), name === "writeFile" ? stream : encodeChunks(stream), argumentAt(given, 2));
    const answer = request(toRequest(argumentAt(given, 0), argumentAt(given, 1), argumentAt(given, 2)), stack);
    return signal === undefined ? answer : untilAbort(answer, signal);
  } catch (error) {
    return promiseReject(error);
  }
}

/** Writes a stream by `pipeTo` into an open file, as Deno does. */
async function writeStream(path: unknown, stream: Stream, given: unknown): Promise<void> {
  const { append, create, createNew, mode } = toDictionary(given, "Cannot write the file");
  const options = { __proto__: null, write: true, append, create: create ?? true, createNew, mode, truncate: !append };
  const file = await request(opening(path, options));
  await pipeTo(stream, file.writable, readSignal(given));
}

/** Encodes like `TextEncoderStream`, because a character may be split over two chunks. */
function encodeChunks(stream: Stream): Stream {
  return pipeThrough(stream, new TextEncoderStream());
}

function readSignal(options: unknown): Parameters<typeof onAbort>[0] | undefined {
  const { signal } = toDictionary(options, "Cannot read the options");
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal !== "object" || !isAbortSignal(signal)) throw new PrimordialTypeError("The option signal is not an AbortSignal");
  return signal;
}

/** Rejects when the signal aborts; the host finishes the operations that it has begun. */
function untilAbort(answer: Promise<unknown>, signal: Parameters<typeof onAbort>[0]): Promise<unknown> {
  // The own `constructor` keeps `then` from a species lookup, which a plugin may have replaced.
  reflectDefineProperty(answer, "constructor", { __proto__: null, value: undefined } as PropertyDescriptor);
  return new PrimordialPromise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    onAbort(signal, stop);
    promiseThen(
      answer,
      (value) => {
        offAbort(signal, stop);
        resolve(value);
      },
      (error) => {
        offAbort(signal, stop);
        reject(error);
      },
    );
  });
}

const { asyncIterator } = PrimordialSymbol;

function reading(path: unknown): Request<object[]> {
  return look("fs.readDir", path, toDirEntries);
}

function readDirSync(path: unknown): object {
  requireArguments(arguments.length, 1, "execute 'Deno.readDirSync'");
  const entries = ask(reading(path));
  let index = 0;
  const listing = {
    next: () => (index < entries.length ? { value: entries[index++], done: false } : { value: undefined, done: true }),
  };
  // The prototype adds `Symbol.iterator`, `map`, `filter` and so on, as in Deno.
  objectSetPrototypeOf(listing, iteratorPrototype);
  return listing;
}

/** Checks the path at once and reads the folder when the first entry is requested. */
function readDir(path: unknown): object {
  requireArguments(arguments.length, 1, "execute 'Deno.readDir'");
  const whole = toPath(path);
  const iterable = {};
  define(iterable, asyncIterator, () => iterateFolder(whole));
  return iterable;
}

async function* iterateFolder(path: string): AsyncGenerator<object | undefined> {
  const entries = await request(reading(path));
  for (let index = 0; index < entries.length; index++) yield entries[index];
}
