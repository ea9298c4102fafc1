/** Copies bytes that a program passed: an `ArrayBuffer` or a view of one. */

import {
  answers,
  arrayBufferByteLength,
  arrayBufferDetached,
  arrayBufferIsView,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  PrimordialArrayBuffer,
  PrimordialTypeError,
  PrimordialUint8Array,
  sharedArrayBufferByteLength,
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from "../language/primordials.ts";

/** Returns the bytes of an answer, for `Request.convert`. */
export function toByteArray(_value: unknown, bytes: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  return new PrimordialUint8Array(bytes ?? new PrimordialArrayBuffer(0));
}

/**
 * Copies the bytes into a buffer of their own: the boundary takes whole buffers, and a copy cannot change in the meantime.
 *
 * @throws {TypeError} if the value is neither a buffer nor a view; the message names `what`
 */
export function toBytes(value: unknown, what: string): Uint8Array<ArrayBuffer> {
  if (typeof value === "object" && value !== null) {
    if (arrayBufferIsView(value)) {
      const isDataView = typedArrayTag(value) === undefined;
      const buffer = isDataView ? dataViewBuffer(value) : typedArrayBuffer(value);
      if (isDetached(buffer)) return new PrimordialUint8Array(0);
      const offset = isDataView ? dataViewByteOffset(value) : typedArrayByteOffset(value);
      const length = isDataView ? dataViewByteLength(value) : typedArrayByteLength(value);
      return copy(new PrimordialUint8Array(buffer, offset, length), length);
    }
    if (answers(arrayBufferByteLength, value) || answers(sharedArrayBufferByteLength, value)) {
      if (isDetached(value)) return new PrimordialUint8Array(0);
      // Both kinds of buffer can be viewed, and the check above proved that the value is one of them.
      const view = new PrimordialUint8Array(value as ArrayBuffer);
      return copy(view, typedArrayByteLength(view));
    }
  }
  throw new PrimordialTypeError(`${what}: the value is not an ArrayBuffer or a view of one`);
}

/** Returns whether the buffer is detached (https://webidl.spec.whatwg.org/#dfn-get-buffer-source-copy). */
function isDetached(buffer: unknown): boolean {
  return answers(arrayBufferByteLength, buffer) && arrayBufferDetached(buffer);
}

/** Returns the buffer, which the bytes must fill completely. */
export function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return typedArrayBuffer(bytes);
}

function copy(view: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new PrimordialUint8Array(length);
  typedArraySet(bytes, view);
  return bytes;
}

/** Concatenates the parts in a new buffer. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (let index = 0; index < parts.length; index++) length += byteLength(parts[index]);
  const joined = new PrimordialUint8Array(length);
  let at = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) continue;
    typedArraySet(joined, part, at);
    at += typedArrayLength(part);
  }
  return joined;
}

function byteLength(part: Uint8Array | undefined): number {
  return part === undefined ? 0 : typedArrayLength(part);
}

/** Returns a view of a part of the bytes, without a copy. */
export function viewBytes(bytes: Uint8Array<ArrayBuffer>, start: number, end: number): Uint8Array<ArrayBuffer> {
  return new PrimordialUint8Array(typedArrayBuffer(bytes), typedArrayByteOffset(bytes) + start, end - start);
}

/** Returns the bytes in a buffer that holds nothing else. */
export function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return copy(bytes, typedArrayLength(bytes));
}

/** Returns whether bytes can be read from the value: an `ArrayBuffer` or a view of one, with unshared memory. */
export function isBufferSource(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (!arrayBufferIsView(value)) return answers(arrayBufferByteLength, value);
  return answers(arrayBufferByteLength, typedArrayTag(value) === undefined ? dataViewBuffer(value) : typedArrayBuffer(value));
}
