/** `Deno.open`, `Deno.create` and `Deno.FsFile`: a file that the host holds open for the call. Every operation on it is a request. */

import { bufferOf, toBytes, viewBytes } from "../web/bytes.ts";
import { ask, type Request, request } from "../call/channel.ts";
import { toFileInfo } from "./deno-file-info.ts";
import { toPath } from "./deno-paths.ts";
import { requireNotRevoked } from "./deno-permissions.ts";
import type { FlatObject } from "../language/json-text.ts";
import {
  bareObject,
  type Callable,
  dateGetTime,
  define,
  mathMin,
  mathTrunc,
  PrimordialArrayBuffer,
  PrimordialDate,
  PrimordialNumber,
  PrimordialSymbol,
  PrimordialTypeError,
  PrimordialUint8Array,
  promiseReject,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from "../language/primordials.ts";
import { closeBytes, createReadable, createWritable, enqueueBytes, type Stream } from "../streams/web-streams.ts";
import { nameFunction, requireArguments, toDictionary } from "../web/webidl.ts";
import { plainError } from "../inspect/stack.ts";

const secret = {};

/** Maximum bytes per write, below every limit that a policy is likely to set; longer writes are split. */
const CHUNK_BYTES = 256 * 1024;
const STREAM_CHUNK_BYTES = 64 * 1024;

/** The synchronous or the asynchronous form of an operation. */
type Acting = <T>(wanted: Request<T>) => unknown;

class FsFile {
  #id: string;
  #readable: Stream | undefined;
  #writable: Stream | undefined;

  constructor(id?: unknown, key?: unknown) {
    if (key !== secret) {
      throw new PrimordialTypeError("'Deno.FsFile' cannot be constructed, use 'Deno.open()' or 'Deno.openSync()' instead");
    }
    this.#id = id as string;
  }

  get readable(): Stream {
    this.#readable ??= createReadable({
      __proto__: null,
      type: "bytes",
      pull: async (controller: Stream) => {
        const chunk = new PrimordialUint8Array(STREAM_CHUNK_BYTES);
        const count = await request(reading(this.#id, chunk));
        if (count !== null) return enqueueBytes(controller, viewBytes(chunk, 0, count));
        closeQuietly(this.#id);
        closeBytes(controller);
      },
      cancel: () => closeQuietly(this.#id),
    });
    return this.#readable;
  }

  get writable(): Stream {
    this.#writable ??= createWritable({
      __proto__: null,
      write: (chunk: unknown) => writeLater(this.#id, chunk),
      close: () => closeQuietly(this.#id),
      abort: () => closeQuietly(this.#id),
    });
    return this.#writable;
  }

  write(data: unknown): Promise<number> {
    return writeLater(this.#id, data);
  }

  writeSync(data: unknown): number {
    const bytes = toBytes(data, "Cannot write to the file");
    for (let at = 0; ; at += CHUNK_BYTES) {
      ask(writing(this.#id, bytes, at));
      if (at + CHUNK_BYTES >= bytes.length) return bytes.length;
    }
  }

  close(): void {
    ask(acting("close", this.#id));
  }

  isTerminal(): boolean {
    return false;
  }

  static idOf(this: void, value: unknown): string {
    if (typeof value === "object" && value !== null && #id in value) return value.#id;
    throw new PrimordialTypeError("Illegal invocation");
  }
}

const { idOf } = FsFile;

/** Operations with both forms, as requests to the host. */
const ACTS: Readonly<Record<string, (id: string, first: unknown, second: unknown) => Request<unknown>>> = {
  read: (id, buffer) => reading(id, buffer),
  seek: (id, offset, whence) => acting("seek", id, { __proto__: null, offset: toOffset(offset), whence: +(whence as number) }, toValue),
  truncate: (id, length) => acting("truncate", id, { __proto__: null, len: toLength(length) }),
  stat: (id) => acting("stat", id, undefined, toFileInfo),
  sync: (id) => acting("sync", id),
  syncData: (id) => acting("sync", id, { __proto__: null, dataOnly: true }),
  utime: (id, accessed, modified) =>
    acting("utime", id, { __proto__: null, atimeMs: toMilliseconds(accessed), mtimeMs: toMilliseconds(modified) }),
};

const NEEDED: Readonly<Record<string, number>> = { read: 1, seek: 2, utime: 2 };

function acting<T = undefined>(
  name: string,
  id: string,
  args?: FlatObject,
  convert: Request<T>["convert"] = () => undefined as T,
): Request<T> {
  return { __proto__: null, operation: `file.${name}`, args: { __proto__: null, id, ...args }, convert };
}

function toValue(value: unknown): unknown {
  return value;
}

/** Reads into a buffer. The result is null at the end of the file. */
function reading(id: string, buffer: unknown): Request<number | null> {
  if (typeof buffer !== "object" || buffer === null || typedArrayTag(buffer) !== "Uint8Array") {
    throw new PrimordialTypeError("Cannot read from the file: the buffer is not a Uint8Array");
  }
  const target = buffer as Uint8Array;
  // The host returns at most as many bytes as one answer may carry.
  const length = typedArrayLength(target);
  return acting("read", id, { __proto__: null, length }, (_value, answer) => {
    const bytes = new PrimordialUint8Array(answer ?? new PrimordialArrayBuffer(0));
    // The program may have shrunk the buffer in the meantime.
    const count = mathMin(typedArrayLength(bytes), typedArrayLength(target));
    typedArraySet(target, viewBytes(bytes, 0, count));
    return count === 0 && length > 0 ? null : count;
  });
}

function writing(id: string, bytes: Uint8Array<ArrayBuffer>, at: number): Request<unknown> {
  const end = mathMin(at + CHUNK_BYTES, bytes.length);
  const part = at === 0 && end === bytes.length ? bytes : new PrimordialUint8Array(viewBytes(bytes, at, end));
  return { ...acting("write", id, undefined, toValue), bytes: bufferOf(part) };
}

async function writeLater(id: string, data: unknown): Promise<number> {
  const bytes = toBytes(data, "Cannot write to the file");
  for (let at = 0; ; at += CHUNK_BYTES) {
    await request(writing(id, bytes, at));
    if (at + CHUNK_BYTES >= bytes.length) return bytes.length;
  }
}

/** Closes a file for a stream; the program may have closed it already. */
function closeQuietly(id: string): void {
  try {
    ask(acting("close", id));
  } catch {
    // The file is closed already, as wanted.
  }
}

function toOffset(value: unknown): number {
  const offset = typeof value === "bigint" ? PrimordialNumber(value) : +(value as number);
  if (offset !== offset) throw new PrimordialTypeError("The offset must be a number");
  return mathTrunc(offset);
}

function toLength(value: unknown): number {
  // Negative lengths count as 0, as in Deno.
  const length = value === undefined || value === null || (value as number) < 0 ? 0 : mathTrunc(+(value as number));
  if (!(length >= 0 && length <= PrimordialNumber.MAX_SAFE_INTEGER)) throw new PrimordialTypeError("The length must be a number from 0 on");
  return length;
}

/** Converts a date or a number of seconds. */
function toMilliseconds(value: unknown): number {
  const milliseconds = value instanceof PrimordialDate ? dateGetTime(value) : +(value as number) * 1000;
  if (milliseconds !== milliseconds) throw new PrimordialTypeError("The time must be a date or a number of seconds");
  return mathTrunc(milliseconds);
}

const FLAGS = ["read", "write", "append", "truncate", "create", "createNew"];
const READ_ONLY = { __proto__: null, read: true } as unknown as Readonly<Record<string, unknown>>;

/** Checks and reads the options like Deno. */
export function opening(given: unknown, options: Readonly<Record<string, unknown>>): Request<FsFile> {
  const path = toPath(given);
  const flags = bareObject<boolean>();
  let any = false;
  for (let index = 0; index < FLAGS.length; index++) {
    const name = FLAGS[index] ?? "";
    flags[name] = !!options[name];
    any ||= options[name] === true;
  }
  if (!any) throw plainError("'options' requires at least one option to be true");
  const { read, write, append, truncate, create, createNew } = flags;
  if (truncate && !write) throw plainError("'truncate' option requires 'write' to be true");
  if ((create || createNew) && !(write || append)) {
    throw plainError("'create' or 'createNew' options require 'write' or 'append' to be true");
  }
  if (read) requireNotRevoked("read", path);
  if (write || append) requireNotRevoked("write", path);
  const { mode } = options;
  const permissions = mode === undefined || mode === null ? undefined : +(mode as number) & 0o7777;
  return {
    __proto__: null,
    operation: "file.open",
    args: { __proto__: null, path, ...flags, mode: permissions },
    convert: (id) => new FsFile(id, secret),
  };
}

const CREATE = { __proto__: null, read: true, write: true, truncate: true, create: true } as unknown as Readonly<Record<string, unknown>>;

/** Creates the members of `Deno` that this file implements. */
export function createDenoFile(): Record<string, unknown> {
  const members: Record<string, unknown> = { FsFile, SeekMode: createSeekMode() };
  const both = (name: string, length: number, toRequest: (first: unknown, second: unknown) => Request<unknown>): void => {
    for (const [full, act] of [
      [name, request],
      [`${name}Sync`, ask],
    ] as const) {
      const call = named(full, 1, act, (_self, given) => toRequest(given[0], given[1]), "Deno.");
      nameFunction(call, full, length);
      members[full] = call;
    }
  };
  both("open", 2, (path, options) => opening(path, options === undefined ? READ_ONLY : toDictionary(options, "Cannot open the file")));
  both("create", 1, (path) => opening(path, CREATE));
  shapeFile();
  return members;
}

function shapeFile(): void {
  const { prototype } = FsFile;
  Reflect.deleteProperty(FsFile, "idOf");
  for (const name of Object.keys(ACTS)) {
    const act = ACTS[name];
    if (act === undefined) continue;
    const toRequest: ToRequest = (self, given) => act(idOf(self), given[0], given[1]);
    define(prototype, name, named(name, NEEDED[name] ?? 0, request, toRequest, "FsFile."));
    define(prototype, `${name}Sync`, named(`${name}Sync`, NEEDED[name] ?? 0, ask, toRequest, "FsFile."));
  }
  nameFunction(FsFile, "FsFile", 1);
  const dispose = function (this: unknown): void {
    closeQuietly(idOf(this));
  };
  nameFunction(dispose, "[Symbol.dispose]");
  const { dispose: symbol } = PrimordialSymbol as unknown as { readonly dispose: symbol };
  define(prototype, symbol, dispose);
}

type ToRequest = (self: unknown, given: readonly unknown[]) => Request<unknown>;

function named(...[name, length, act, toRequest, where]: [string, number, Acting, ToRequest, string]): Callable {
  const isAsync = act === request;
  const call = function (this: unknown, ...given: unknown[]): unknown {
    try {
      requireArguments(given.length, length, `execute '${where}${name}'`);
      return act(toRequest(this, given));
    } catch (error) {
      if (isAsync) return promiseReject(error);
      throw error;
    }
  };
  nameFunction(call, name, length);
  return call;
}

/** Has the shape of an enum compiled by TypeScript. */
function createSeekMode(): object {
  const mode = {};
  for (const [name, value] of [
    ["Start", 0],
    ["Current", 1],
    ["End", 2],
  ] as const) {
    define(mode, value, name, true);
    define(mode, name, value, true);
  }
  return mode;
}
