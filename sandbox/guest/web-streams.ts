/**
 * The classes of https://streams.spec.whatwg.org/, by the package web-streams-polyfill; and what the prelude itself does
 * with streams, from their methods as they were before any plugin ran.
 */

import {
  bareObject,
  type Callable,
  PrimordialRangeError,
  PrimordialTypeError,
  reflectApply,
  reflectConstruct,
  reflectGet,
  objectSetPrototypeOf,
  reflectGetOwnPropertyDescriptor,
  reflectGetPrototypeOf,
} from "./primordials.ts";
import { exposeInterface, nameFunction, showAs } from "./webidl.ts";
import { load, type StreamConstructor } from "./web-streams-polyfill.gen.ts";

/** A `ReadableStream`, `WritableStream` or `TransformStream`; what it is inside is the package's. */
export type Stream = object;

/** What a stream's source or sink is made of; only own members are given. */
export type Underlying = Readonly<Record<string, unknown>>;

/** The names in the order of the standard, and the number of arguments that a constructor needs. */
const CLASSES = [
  ["ReadableStream", 0],
  ["ReadableStreamDefaultReader", 1],
  ["ReadableStreamBYOBReader", 1],
  ["ReadableStreamDefaultController", 0],
  ["ReadableByteStreamController", 0],
  ["ReadableStreamBYOBRequest", 0],
  ["WritableStream", 0],
  ["WritableStreamDefaultWriter", 1],
  ["WritableStreamDefaultController", 0],
  ["TransformStream", 0],
  ["TransformStreamDefaultController", 0],
  ["ByteLengthQueuingStrategy", 1],
  ["CountQueuingStrategy", 1],
] as const;

type ClassName = (typeof CLASSES)[number][0];

let classes: Readonly<Record<ClassName, StreamConstructor>>;
let slots: ReturnType<typeof load>["slots"];
/** Methods and getters by `Class.member`. */
const members: Record<string, Callable> = bareObject();

/** Runs before any plugin, after `AbortController`, `DOMException` and `queueMicrotask` are there. */
export function installWebStreams(global: object): void {
  const loaded = load(PrimordialTypeError, PrimordialRangeError);
  classes = loaded;
  slots = loaded.slots;
  for (const [name, length] of CLASSES) {
    const constructor = loaded[name];
    exposeInterface(global, name, constructor);
    nameFunction(constructor, name, length);
    rememberMembers(name, constructor.prototype);
  }
  members["ReadableStream.from"] = reflectGet(loaded.ReadableStream, "from") as Callable;
  for (const name of ["CountQueuingStrategy", "ByteLengthQueuingStrategy"] as const) nameSize(loaded[name]);
  // Of an earlier draft of the standard.
  Reflect.deleteProperty(loaded.WritableStreamDefaultController.prototype, "abortReason");
  inheritIterator(loaded.ReadableStream);
  showStreams();
}

/** The package makes an object of its own for what all async iterators inherit from. */
function inheritIterator(constructor: StreamConstructor): void {
  const { values } = constructor.prototype as { readonly values: Callable };
  const own = reflectGetPrototypeOf(reflectApply(values, new constructor(), []) as object);
  const generator = reflectGetPrototypeOf(async function* () {}.prototype as object) ?? {};
  if (own !== null) objectSetPrototypeOf(own, reflectGetPrototypeOf(generator));
}

function rememberMembers(name: string, prototype: object): void {
  for (const key of Object.getOwnPropertyNames(prototype)) {
    if (key === "constructor") continue;
    const found = reflectGetOwnPropertyDescriptor(prototype, key);
    // A method or a getter: these classes have no other members.
    members[`${name}.${key}`] = (found?.get ?? found?.value) as Callable;
  }
}

/** `size` is one function for all instances; the bundle shortened its name. */
function nameSize(strategy: StreamConstructor): void {
  const { size } = new strategy({ highWaterMark: 1 }) as { readonly size: Callable };
  nameFunction(size, "size");
}

/** How Deno prints them. */
function showStreams(): void {
  const shown = [
    ["ReadableStream", ["locked"]],
    ["WritableStream", ["locked"]],
    ["TransformStream", ["readable", "writable"]],
    ["ReadableStreamDefaultReader", ["closed"]],
    ["ReadableStreamBYOBReader", ["closed"]],
    ["WritableStreamDefaultWriter", ["closed", "desiredSize", "ready"]],
    ["ReadableStreamDefaultController", ["desiredSize"]],
    ["ReadableByteStreamController", ["byobRequest", "desiredSize"]],
    ["ReadableStreamBYOBRequest", ["view"]],
    ["WritableStreamDefaultController", ["signal"]],
    ["TransformStreamDefaultController", ["desiredSize"]],
    ["ByteLengthQueuingStrategy", ["highWaterMark", "size"]],
    ["CountQueuingStrategy", ["highWaterMark", "size"]],
  ] as const;
  showAs((value) => {
    for (let index = 0; index < shown.length; index++) {
      const [name, keys] = shown[index] ?? ["ReadableStream", []];
      if (!isInstance(value, name)) continue;
      const found: Record<string, unknown> = bareObject();
      for (let key = 0; key < keys.length; key++) found[keys[key] ?? ""] = readMember(value, name, keys[key] ?? "");
      if (name === "ReadableStream") {
        found["state"] = reflectGet(value, slots.state);
        found["supportsBYOB"] = isByteStream(value);
      }
      return { name, members: found };
    }
    return undefined;
  });
}

/** The slot that every instance of a class has, and nothing else. */
function isInstance(value: object, name: ClassName): boolean {
  return value instanceof classes[name] && value !== classes[name].prototype;
}

function readMember(value: object, name: ClassName, key: string): unknown {
  try {
    return call(`${name}.${key}`, value);
  } catch {
    // A writer that was released has no desired size to show.
    return undefined;
  }
}

function call(member: string, self: object, args: readonly unknown[] = []): unknown {
  const method = members[member];
  if (method === undefined) throw new PrimordialTypeError(`There is no ${member}`);
  return reflectApply(method, self, args);
}

/** A stream with this source. `type: "bytes"` for one that can be read into buffers. */
export function createReadable(source: Underlying, strategy?: Underlying): Stream {
  return reflectConstruct(classes.ReadableStream as unknown as Callable, strategy === undefined ? [source] : [source, strategy]);
}

/** A stream of what an iterable gives, which is asked when the stream is read. */
export function readableFrom(iterable: object): Stream {
  return call("ReadableStream.from", classes.ReadableStream, [iterable]) as Stream;
}

export function createWritable(sink: Underlying): Stream {
  return reflectConstruct(classes.WritableStream as unknown as Callable, [sink]);
}

export function createTransform(transformer: Underlying, writable?: Underlying, readable?: Underlying): Stream {
  return reflectConstruct(classes.TransformStream as unknown as Callable, [transformer, writable, readable]);
}

/** Whether a value is a `ReadableStream`, whatever its prototype says now. */
export function isReadable(value: unknown): value is Stream {
  return typeof value === "object" && value !== null && slots.disturbed in value && hasLock(value);
}

function hasLock(value: object): boolean {
  try {
    call("ReadableStream.locked", value);
    return true;
  } catch {
    // The getter throws for everything that is no stream.
    return false;
  }
}

export function isLocked(stream: Stream): boolean {
  return call("ReadableStream.locked", stream) === true;
}

/** Whether it was ever read from or cancelled. */
export function isDisturbed(stream: Stream): boolean {
  return reflectGet(stream, slots.disturbed) === true;
}

export function isReadableState(stream: Stream, state: "readable" | "closed" | "errored"): boolean {
  return reflectGet(stream, slots.state) === state;
}

/** Two streams of the same chunks; the one given is locked for good. */
export function teeReadable(stream: Stream): readonly [Stream, Stream] {
  return call("ReadableStream.tee", stream) as [Stream, Stream];
}

export function cancelReadable(stream: Stream, reason?: unknown): Promise<unknown> {
  return call("ReadableStream.cancel", stream, [reason]) as Promise<unknown>;
}

export function pipeThrough(stream: Stream, transform: { readonly readable: Stream; readonly writable: Stream }): Stream {
  return call("ReadableStream.pipeThrough", stream, [transform]) as Stream;
}

/** The two ends of a `TransformStream`. */
export function endsOf(transform: Stream): { readonly readable: Stream; readonly writable: Stream } {
  return {
    readable: call("TransformStream.readable", transform) as Stream,
    writable: call("TransformStream.writable", transform) as Stream,
  };
}

/** Takes the only reader of a stream. @throws {TypeError} if it is locked. */
export function getReader(stream: Stream): Stream {
  return call("ReadableStream.getReader", stream) as Stream;
}

/** The next chunk, or the end. */
export function readChunk(reader: Stream): Promise<{ readonly value: unknown; readonly done: boolean }> {
  return call("ReadableStreamDefaultReader.read", reader) as Promise<{ value: unknown; done: boolean }>;
}

export function cancelReader(reader: Stream, reason: unknown): Promise<unknown> {
  return call("ReadableStreamDefaultReader.cancel", reader, [reason]) as Promise<unknown>;
}

/** Whether it can be read into buffers: its chunks are bytes, and those of its branches are copies. */
export function isByteStream(stream: Stream): boolean {
  const controller = reflectGet(stream, slots.readableStreamController);
  return typeof controller === "object" && controller !== null && isInstance(controller, "ReadableByteStreamController");
}

/** Hands every chunk to `take` until the end, the next one when a promise that it answers is kept. @throws what went wrong with the stream, or what `take` threw. */
export function pipeInto(stream: Stream, take: (chunk: unknown) => unknown): Promise<void> {
  const sink = reflectConstruct(classes.WritableStream as unknown as Callable, [{ __proto__: null, write: take }]);
  return call("ReadableStream.pipeTo", stream, [sink]) as Promise<void>;
}

/** Until the end; an aborted signal ends both streams. */
export function pipeTo(stream: Stream, writable: Stream, signal: object | undefined): Promise<void> {
  return call("ReadableStream.pipeTo", stream, [writable, { __proto__: null, signal }]) as Promise<void>;
}

/** A controller of a source, as `start` and `pull` are given it. */
export function enqueueBytes(controller: Stream, bytes: Uint8Array): void {
  call("ReadableByteStreamController.enqueue", controller, [bytes]);
}

/** Ends a byte stream, also where somebody waits with a buffer of their own. */
export function closeBytes(controller: Stream): void {
  call("ReadableByteStreamController.close", controller);
  const request = call("ReadableByteStreamController.byobRequest", controller);
  if (typeof request === "object" && request !== null) call("ReadableStreamBYOBRequest.respond", request, [0]);
}

export function errorBytes(controller: Stream, reason: unknown): void {
  call("ReadableByteStreamController.error", controller, [reason]);
}

/** A controller of a transformer, as its methods are given it. */
export function enqueueTransformed(controller: Stream, chunk: unknown): void {
  call("TransformStreamDefaultController.enqueue", controller, [chunk]);
}
