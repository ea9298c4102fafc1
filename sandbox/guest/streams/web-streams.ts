/**
 * The classes of https://streams.spec.whatwg.org/ from the package web-streams-polyfill, and the prelude's own functions on
 * streams, which use their methods as they were before any plugin ran.
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
} from "../language/primordials.ts";
import { exposeInterface, nameFunction, showAs } from "../web/webidl.ts";
import { load, type StreamConstructor } from "./web-streams-polyfill.gen.ts";

/** A `ReadableStream`, `WritableStream` or `TransformStream`; its internals belong to the package. */
export type Stream = object;

/** Members of a stream's source or sink; only own members are passed. */
type Underlying = Readonly<Record<string, unknown>>;

/** Class names in the order of the standard, with the number of arguments that each constructor requires. */
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

/** Runs before any plugin, and after `AbortController`, `DOMException` and `queueMicrotask` are installed. */
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
  // From an earlier draft of the standard.
  Reflect.deleteProperty(loaded.WritableStreamDefaultController.prototype, "abortReason");
  inheritIterator(loaded.ReadableStream);
  showStreams();
}

/** The package creates its own copy of the prototype that all async iterators inherit from. */
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
    // A method or a getter, because these classes have no other members.
    members[`${name}.${key}`] = (found?.get ?? found?.value) as Callable;
  }
}

/** Renames `size`, one function for all instances, whose name the bundle shortened. */
function nameSize(strategy: StreamConstructor): void {
  const { size } = new strategy({ highWaterMark: 1 }) as { readonly size: Callable };
  nameFunction(size, "size");
}

/** Registers how Deno prints streams. */
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

/** Tests the slot that only instances of a class have. */
function isInstance(value: object, name: ClassName): boolean {
  return value instanceof classes[name] && value !== classes[name].prototype;
}

function readMember(value: object, name: ClassName, key: string): unknown {
  try {
    return call(`${name}.${key}`, value);
  } catch {
    // A released writer has no desired size to show.
    return undefined;
  }
}

function call(member: string, self: object, args: readonly unknown[] = []): unknown {
  const method = members[member];
  if (method === undefined) throw new PrimordialTypeError(`Unknown stream member ${member}`);
  return reflectApply(method, self, args);
}

/** Creates a stream with this source; `type: "bytes"` makes it readable into buffers. */
export function createReadable(source: Underlying, strategy?: Underlying): Stream {
  return reflectConstruct(classes.ReadableStream as unknown as Callable, strategy === undefined ? [source] : [source, strategy]);
}

/** Creates a stream of an iterable's items, requested when the stream is read. */
export function readableFrom(iterable: object): Stream {
  return call("ReadableStream.from", classes.ReadableStream, [iterable]) as Stream;
}

export function createWritable(sink: Underlying): Stream {
  return reflectConstruct(classes.WritableStream as unknown as Callable, [sink]);
}

export function createTransform(transformer: Underlying, writable?: Underlying, readable?: Underlying): Stream {
  return reflectConstruct(classes.TransformStream as unknown as Callable, [transformer, writable, readable]);
}

/** Returns whether a value is a `ReadableStream`, whatever its prototype is. */
export function isReadable(value: unknown): value is Stream {
  return typeof value === "object" && value !== null && slots.disturbed in value && hasLock(value);
}

function hasLock(value: object): boolean {
  try {
    call("ReadableStream.locked", value);
    return true;
  } catch {
    // The getter throws for all other values.
    return false;
  }
}

export function isLocked(stream: Stream): boolean {
  return call("ReadableStream.locked", stream) === true;
}

/** Returns whether the stream was ever read from or cancelled. */
export function isDisturbed(stream: Stream): boolean {
  return reflectGet(stream, slots.disturbed) === true;
}

/** Returns two streams of the same chunks; the given stream stays locked. */
export function teeReadable(stream: Stream): readonly [Stream, Stream] {
  return call("ReadableStream.tee", stream) as [Stream, Stream];
}

export function cancelReadable(stream: Stream, reason?: unknown): Promise<unknown> {
  return call("ReadableStream.cancel", stream, [reason]) as Promise<unknown>;
}

export function pipeThrough(stream: Stream, transform: { readonly readable: Stream; readonly writable: Stream }): Stream {
  return call("ReadableStream.pipeThrough", stream, [transform]) as Stream;
}

/** Returns the two ends of a `TransformStream`. */
export function endsOf(transform: Stream): { readonly readable: Stream; readonly writable: Stream } {
  return {
    readable: call("TransformStream.readable", transform) as Stream,
    writable: call("TransformStream.writable", transform) as Stream,
  };
}

/** Acquires the only reader of a stream. @throws {TypeError} if it is locked */
export function getReader(stream: Stream): Stream {
  return call("ReadableStream.getReader", stream) as Stream;
}

/** Returns whether the stream can be read into buffers: its chunks are bytes, and those of its branches are copies. */
export function isByteStream(stream: Stream): boolean {
  const controller = reflectGet(stream, slots.readableStreamController);
  return typeof controller === "object" && controller !== null && isInstance(controller, "ReadableByteStreamController");
}

/** Passes every chunk to `take` until the end, and waits for a promise that it returns. @throws the error of the stream or of `take` */
export function pipeInto(stream: Stream, take: (chunk: unknown) => unknown): Promise<void> {
  const sink = reflectConstruct(classes.WritableStream as unknown as Callable, [{ __proto__: null, write: take }]);
  return call("ReadableStream.pipeTo", stream, [sink]) as Promise<void>;
}

/** Pipes until the end; an aborted signal ends both streams. */
export function pipeTo(stream: Stream, writable: Stream, signal: object | undefined): Promise<void> {
  return call("ReadableStream.pipeTo", stream, [writable, { __proto__: null, signal }]) as Promise<void>;
}

/** Enqueues bytes on the controller that a source's `start` and `pull` receive. */
export function enqueueBytes(controller: Stream, bytes: Uint8Array): void {
  call("ReadableByteStreamController.enqueue", controller, [bytes]);
}

/** Closes a byte stream, even if a reader waits with its own buffer. */
export function closeBytes(controller: Stream): void {
  call("ReadableByteStreamController.close", controller);
  const request = call("ReadableByteStreamController.byobRequest", controller);
  if (typeof request === "object" && request !== null) call("ReadableStreamBYOBRequest.respond", request, [0]);
}

export function errorBytes(controller: Stream, reason: unknown): void {
  call("ReadableByteStreamController.error", controller, [reason]);
}

/** Enqueues a chunk on the controller that a transformer's methods receive. */
export function enqueueTransformed(controller: Stream, chunk: unknown): void {
  call("TransformStreamDefaultController.enqueue", controller, [chunk]);
}
