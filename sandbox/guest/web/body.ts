/** Bodies of requests and responses (https://fetch.spec.whatwg.org/#bodies): their sources, and how they are consumed once. */

import { blobBytes, blobType, createBlob, isBlob, streamBytes } from "./blob.ts";
import { bufferOf, concatBytes, isBufferSource, ownBytes, toBytes } from "./bytes.ts";
import { decodeUtf8 } from "../call/channel.ts";
import { decodeUtf8Text, encodeUtf8 } from "./encoding.ts";
import { createFormData, formEntries, type FormEntry, isFormData } from "./form-data.ts";
import { parseJson } from "../language/json.ts";
import { extractMimeType, formatMimeType } from "./mime-type.ts";
import { formatMultipart, parseMultipart } from "./multipart.ts";
import {
  answers,
  bareList,
  objectHasOwn,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectDefineProperty,
  reflectGet,
  stringValueOf,
  typedArrayTag,
} from "../language/primordials.ts";
import { createTextDecoderEnds } from "../streams/text-streams.ts";
import { parseQuery, queryOf } from "./url-search-params.ts";
import { cloneAndTransfer } from "./structured-clone.ts";
import {
  cancelReadable,
  createTransform,
  endsOf,
  enqueueTransformed,
  getReader,
  isByteStream,
  isDisturbed,
  isLocked,
  isReadable,
  pipeInto,
  pipeThrough,
  readableFrom,
  type Stream,
  teeReadable,
} from "../streams/web-streams.ts";
import { nameFunction, toUsvString } from "./webidl.ts";

/** Holds bytes until a stream of them is requested. */
export interface Body {
  bytes: Uint8Array<ArrayBuffer> | undefined;
  stream: Stream | undefined;
  used: boolean;
}

export interface Extracted {
  readonly body: Body;
  /** Default of the `Content-Type` header. */
  readonly type?: string;
}

/** Extracts a body (https://fetch.spec.whatwg.org/#concept-bodyinit-extract). @throws {TypeError} if `init` is a stream that was used */
export function extractBody(init: unknown): Extracted {
  if (typeof init !== "object" || init === null) return { body: ofBytes(encodeUtf8(toUsvString(init))), type: "text/plain;charset=UTF-8" };
  if (isReadable(init)) {
    if (isLocked(init) || isDisturbed(init)) throw new PrimordialTypeError("ReadableStream is locked or disturbed");
    return { body: { bytes: undefined, stream: init, used: false } };
  }
  if (isBlob(init)) {
    const type = blobType(init);
    return { body: ofBytes(blobBytes(init)), ...(type !== "" && { type }) };
  }
  if (isBufferSource(init)) return { body: ofBytes(toBytes(init, "The body")) };
  if (isFormData(init)) {
    const { bytes, boundary } = formatMultipart(formEntries(init));
    return { body: ofBytes(bytes), type: `multipart/form-data; boundary=${boundary}` };
  }
  const query = queryOf(init);
  if (query !== undefined) return { body: ofBytes(encodeUtf8(query)), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  // As in Deno, an iterable is read when the body is read.
  if (isIterable(init)) return { body: ofStream(readableFrom(init)) };
  return { body: ofBytes(encodeUtf8(toUsvString(init))), type: "text/plain;charset=UTF-8" };
}

function isIterable(value: object): boolean {
  if (answers(stringValueOf, value)) return false;
  const [later, now] = [reflectGet(value, asyncIterator), reflectGet(value, iterator)];
  return (later !== undefined && later !== null) || (now !== undefined && now !== null);
}

const { asyncIterator, iterator } = PrimordialSymbol;

/** Creates a body that is read from a stream of bytes. */
export function ofStream(stream: Stream): Body {
  return { bytes: undefined, stream, used: false };
}

/** Creates a body that owns the bytes. */
export function ofBytes(bytes: Uint8Array<ArrayBuffer>): Body {
  return { bytes, stream: undefined, used: false };
}

export function isBodyUsed(body: Body | null): boolean {
  if (body === null) return false;
  return body.used || (body.stream !== undefined && isDisturbed(body.stream));
}

/** Returns whether the body was used or is in use. */
export function isUnusable(body: Body | null): boolean {
  return body !== null && (isBodyUsed(body) || (body.stream !== undefined && isLocked(body.stream)));
}

/** Creates a second body with the same content. @throws {TypeError} if the body was consumed */
export function cloneBody(body: Body | null): Body | null {
  if (isUnusable(body)) throw new PrimordialTypeError("Body is unusable");
  if (body === null) return null;
  if (body.stream === undefined) return { ...body };
  const [first, second] = teeReadable(body.stream);
  body.stream = first;
  return { bytes: undefined, stream: isByteStream(second) ? second : pipeThrough(second, cloningEnds()), used: false };
}

/** Copies the chunks for the second body, because both bodies would share them otherwise; byte streams copy by themselves. */
function cloningEnds(): ReturnType<typeof endsOf> {
  return endsOf(
    createTransform({
      __proto__: null,
      transform: (chunk: unknown, controller: Stream) => enqueueTransformed(controller, cloneAndTransfer(chunk, bareList<unknown>()).value),
    }),
  );
}

/** Moves the content behind a new stream; the given body is locked and counts as read. */
export function proxyBody(body: Body): Body {
  if (body.stream === undefined) {
    const taken = { ...body };
    body.used = true;
    return taken;
  }
  const stream = pipeThrough(body.stream, endsOf(createTransform({ __proto__: null })));
  body.used = true;
  return { bytes: undefined, stream, used: false };
}

/** Returns the stream of a body, created on first use. */
export function bodyStream(body: Body): Stream {
  if (body.stream !== undefined) return body.stream;
  const stream = streamBytes(body.bytes ?? encodeUtf8(""));
  // A consumed body cannot be read again.
  if (body.used) {
    void cancelReadable(stream);
    getReader(stream);
  }
  body.stream = stream;
  return stream;
}

/**
 * Consumes a whole body and converts its bytes. They are never a resolution value, because that would look up `then` on them.
 *
 * @throws {TypeError} if the body was consumed, or a chunk is not bytes. `convert` must not change the bytes.
 */
async function consumeBody<T>(body: Body | null, convert: (bytes: Uint8Array<ArrayBuffer>) => T): Promise<T> {
  if (isUnusable(body)) throw new PrimordialTypeError("Body already consumed");
  if (body === null) return convert(encodeUtf8(""));
  body.used = true;
  if (body.stream === undefined) return convert(body.bytes ?? encodeUtf8(""));
  const chunks = bareList<Uint8Array>();
  // A pipe passes chunks on without a promise for each.
  await pipeInto(body.stream, (value) => {
    if (typeof value !== "object" || value === null || typedArrayTag(value) !== "Uint8Array") {
      throw new PrimordialTypeError("Cannot consume the body: a chunk of its stream is not a Uint8Array");
    }
    // The tag check above proved the type.
    chunks[chunks.length] = value as Uint8Array;
  });
  // The reader is never released.
  getReader(body.stream);
  return convert(concatBytes(chunks));
}

/** Access of the mixin to an object of a class. @throws {TypeError} if the object is of another class */
interface BodyOwner {
  bodyOf(this: void, self: unknown): Body | null;
  /** Returns all `Content-Type` values. */
  contentTypeOf(this: void, self: unknown): string | null;
}

/** Adds the members of https://fetch.spec.whatwg.org/#body-mixin to a class. */
export function mixInBody(prototype: object, owner: BodyOwner): void {
  const { bodyOf } = owner;
  addGetter(prototype, "body", (self) => {
    const body = bodyOf(self);
    return body === null ? null : bodyStream(body);
  });
  addGetter(prototype, "bodyUsed", (self) => isBodyUsed(bodyOf(self)));
  addMethod(prototype, "arrayBuffer", (self) => consumeBody(bodyOf(self), (bytes) => bufferOf(ownBytes(bytes))));
  addMethod(prototype, "blob", (self) => {
    const type = extractMimeType(owner.contentTypeOf(self));
    return consumeBody(bodyOf(self), (bytes) => createBlob(ownBytes(bytes), type === undefined ? "" : formatMimeType(type)));
  });
  addMethod(prototype, "bytes", (self) => consumeBody(bodyOf(self), ownBytes));
  addMethod(prototype, "formData", (self) => {
    const type = owner.contentTypeOf(self);
    return consumeBody(bodyOf(self), (bytes) => readForm(bytes, type));
  });
  addMethod(prototype, "json", (self) => consumeBody(bodyOf(self), (bytes) => parseJson(decodeUtf8Text(bytes))));
  addMethod(prototype, "text", (self) => consumeBody(bodyOf(self), decodeUtf8Text));
  const textStream = function (this: unknown): Stream {
    const body = bodyOf(this);
    if (isUnusable(body)) throw new PrimordialTypeError("Body already consumed.");
    return pipeThrough(bodyStream(body ?? ofBytes(encodeUtf8(""))), createTextDecoderEnds());
  };
  nameFunction(textStream, "textStream", 0);
  reflectDefineProperty(prototype, "textStream", { value: textStream, writable: true, enumerable: true, configurable: true });
}

function addGetter(prototype: object, name: string, read: (self: unknown) => unknown): void {
  const get = function (this: unknown): unknown {
    return read(this);
  };
  nameFunction(get, `get ${name}`);
  reflectDefineProperty(prototype, name, { get, enumerable: true, configurable: true });
}

function addMethod(prototype: object, name: string, run: (self: unknown) => Promise<unknown>): void {
  // Object methods are not constructors, as methods must be.
  const { method } = {
    // Asynchronous, so that a wrong `this` rejects the promise too.
    async method(this: unknown): Promise<unknown> {
      return run(this);
    },
  };
  nameFunction(method, name, 0);
  reflectDefineProperty(prototype, name, { value: method, writable: true, enumerable: true, configurable: true });
}

function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string | null): object {
  const type = extractMimeType(contentType);
  if (type?.essence === "multipart/form-data") {
    const boundary = objectHasOwn(type.parameters, "boundary") ? type.parameters["boundary"] : undefined;
    if (boundary === undefined) throw new PrimordialTypeError("Missing boundary parameter in mime type of multipart formdata");
    const entries = parseMultipart(bytes, boundary);
    if (entries === undefined) throw new PrimordialTypeError("Unable to parse body as form data");
    return createFormData(entries);
  }
  if (type?.essence !== "application/x-www-form-urlencoded") throw new PrimordialTypeError("Body can not be decoded as form data");
  const entries = bareList<FormEntry>();
  // A byte order mark is not removed, because it belongs to the first name.
  const pairs = parseQuery(decodeUtf8(bufferOf(ownBytes(bytes))));
  for (let index = 0; index < pairs.length; index++) {
    const { name = "", value = "" } = pairs[index] ?? {};
    entries[index] = { name, value };
  }
  return createFormData(entries);
}
