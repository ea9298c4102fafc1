/** Bytes that a program gave: an `ArrayBuffer` or a view of one, copied. */

import {
  answers,
  arrayBufferByteLength,
  arrayBufferIsView,
  dataViewBuffer,
  dataViewByteLength,
  dataViewByteOffset,
  PrimordialTypeError,
  PrimordialUint8Array,
  sharedArrayBufferByteLength,
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArraySet,
  typedArrayTag,
} from "./primordials.ts";

/**
 * The bytes in a buffer of their own: what crosses is all of a buffer, and a copy does not change meanwhile.
 *
 * @throws {TypeError} if it is neither, naming `what`.
 */
export function toBytes(value: unknown, what: string): Uint8Array<ArrayBuffer> {
  if (typeof value === "object" && value !== null) {
    if (arrayBufferIsView(value)) {
      const isDataView = typedArrayTag(value) === undefined;
      const buffer = isDataView ? dataViewBuffer(value) : typedArrayBuffer(value);
      const offset = isDataView ? dataViewByteOffset(value) : typedArrayByteOffset(value);
      const length = isDataView ? dataViewByteLength(value) : typedArrayByteLength(value);
      return copy(new PrimordialUint8Array(buffer, offset, length), length);
    }
    if (answers(arrayBufferByteLength, value) || answers(sharedArrayBufferByteLength, value)) {
      // Both kinds of buffer can be viewed; the check above said that it is one.
      const view = new PrimordialUint8Array(value as ArrayBuffer);
      return copy(view, typedArrayByteLength(view));
    }
  }
  throw new PrimordialTypeError(`${what}: the value is not an ArrayBuffer or a view of one`);
}

/** The buffer that bytes of ours fill. */
export function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return typedArrayBuffer(bytes);
}

function copy(view: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new PrimordialUint8Array(length);
  typedArraySet(bytes, view);
  return bytes;
}
