/** What `scripts/guest-packages.ts` makes of the package web-streams-polyfill. */

/** Runs the package's code, whose errors are of these classes, which reads `AbortController`, `DOMException` and `queueMicrotask` from the global object. */
export function load(typeError: TypeErrorConstructor, rangeError: RangeErrorConstructor): StreamClasses;

/** Its classes by name, and the slots that the prelude looks into. */
export interface StreamClasses {
  readonly ReadableStream: StreamConstructor;
  readonly ReadableStreamDefaultReader: StreamConstructor;
  readonly ReadableStreamBYOBReader: StreamConstructor;
  readonly ReadableStreamDefaultController: StreamConstructor;
  readonly ReadableByteStreamController: StreamConstructor;
  readonly ReadableStreamBYOBRequest: StreamConstructor;
  readonly WritableStream: StreamConstructor;
  readonly WritableStreamDefaultWriter: StreamConstructor;
  readonly WritableStreamDefaultController: StreamConstructor;
  readonly TransformStream: StreamConstructor;
  readonly TransformStreamDefaultController: StreamConstructor;
  readonly ByteLengthQueuingStrategy: StreamConstructor;
  readonly CountQueuingStrategy: StreamConstructor;
  readonly slots: { readonly disturbed: symbol; readonly state: symbol; readonly readableStreamController: symbol };
}

export interface StreamConstructor {
  new (...args: unknown[]): object;
  readonly prototype: object;
}
