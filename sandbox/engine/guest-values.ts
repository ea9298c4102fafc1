/** Creates, reads and calls values inside the guest, by address. All reads are bounded. */

import { allocate, type EngineFunctions, putText, type RunningModule, type SuspendableFunctions, textRoom, writeText } from "./engine.ts";
import { atOnce, entered, type Steps } from "./steps.ts";
import type { ValueHandles } from "./handles.ts";

/** A guest exception that reached the engine side. Its texts come from the guest and are bounded. */
export class GuestException extends Error {
  readonly guest: GuestErrorText;
  constructor(guest: GuestErrorText) {
    super(guest.message);
    this.name = "GuestException";
    this.guest = guest;
  }
}

interface GuestErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** A guest text is longer than the caller allows. */
export class TextTooLong extends Error {
  readonly bytes: number;
  constructor(bytes: number) {
    super(`The guest's text is ${bytes} bytes long`);
    this.name = "TextTooLong";
    this.bytes = bytes;
  }
}

const ERROR_TEXT_BYTES = 16_384;

/** Functions that run guest code. */
export type Entries = {
  readonly [Name in keyof SuspendableFunctions]: (...args: Parameters<EngineFunctions[Name]>) => number | Promise<number>;
};

/** Lone surrogates in guest strings arrive as invalid UTF-8 and become U+FFFD. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class GuestValues {
  readonly #running: RunningModule;
  readonly #functions: EngineFunctions;
  /** The same functions as entries that can be suspended, if the engine has them. */
  readonly #entries: Entries;
  #handles: ValueHandles = { context: 0, undefinedValue: 0, argumentPointers: 0 };
  #words: Uint32Array = new Uint32Array(0);
  /** Length in bytes of the last text that was read. */
  lastTextBytes = 0;

  constructor(running: RunningModule) {
    this.#running = running;
    this.#functions = running.functions;
    this.#entries = running.suspendable ?? running.functions;
  }

  adopt(handles: ValueHandles): void {
    this.#handles = handles;
  }

  /** The whole memory. Invalid after guest code has run: read the property again. */
  get bytes(): Uint8Array {
    return this.#running.bytes;
  }

  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = new Uint32Array(this.bytes.buffer);
    return this.#words;
  }

  newString(text: string): number {
    const { address } = writeText(this.#running, text);
    const value = this.#functions._QTS_NewString(this.#handles.context, address);
    this.#functions._free(address);
    return value;
  }

  /** Creates strings and numbers. All texts share one allocation. */
  newAll(given: readonly (string | number)[]): number[] {
    let room = 0;
    for (const one of given) if (typeof one === "string") room += textRoom(one);
    const begin = room === 0 ? 0 : allocate(this.#running, room);
    let address = begin;
    const made: number[] = [];
    for (const one of given) {
      if (typeof one === "number") made.push(this.newNumber(one));
      else {
        const length = putText(this.#running, one, address);
        made.push(this.#functions._QTS_NewString(this.#handles.context, address));
        address += length + 1;
      }
    }
    if (begin !== 0) this.#functions._free(begin);
    return made;
  }

  newNumber(value: number): number {
    return this.#functions._QTS_NewFloat64(this.#handles.context, value);
  }

  newObject(): number {
    return this.#functions._QTS_NewObject(this.#handles.context);
  }

  /** Creates a native function that calls the host with `hostRef`. */
  newFunction(name: string, argumentCount: number, hostRef: number): number {
    const text = writeText(this.#running, name);
    const value = this.#functions._QTS_NewFunction(this.#handles.context, text.address, argumentCount, 0, hostRef);
    this.#functions._free(text.address);
    return value;
  }

  /** Creates a string from well-formed UTF-8 without U+0000. */
  newStringOf(bytes: Uint8Array): number {
    const address = allocate(this.#running, bytes.length + 1);
    this.bytes.set(bytes, address);
    this.bytes[address + bytes.length] = 0;
    this.#running.wrote(address, bytes.length + 1);
    const value = this.#functions._QTS_NewString(this.#handles.context, address);
    this.#functions._free(address);
    return value;
  }

  /**
   * Creates an ArrayBuffer with a copy of `bytes`. @throws {RangeError} if memory is exhausted, because an empty buffer would be a wrong
   * answer
   */
  newBytes(bytes: Uint8Array): number {
    // The engine's allocator returns 0 for 0 bytes.
    const address = allocate(this.#running, Math.max(1, bytes.length));
    this.bytes.set(bytes, address);
    this.#running.wrote(address, bytes.length);
    return this.#functions._QTS_NewArrayBuffer(this.#handles.context, address, bytes.length);
  }

  /** Throws an `Error` into the guest. Takes effect when the native function returns. */
  throwInto(message: string): void {
    const { context } = this.#handles;
    const error = this.#functions._QTS_NewError(context);
    this.setProperty(error, "message", this.newString(message));
    this.#functions._QTS_Throw(context, error);
    this.free(error);
  }

  property(object: number, name: string): number {
    return atOnce(this.#property(object, name, this.#functions));
  }

  *#property(object: number, name: string, functions: Entries): Steps<number> {
    const key = this.newString(name);
    const value = yield* entered(functions._QTS_GetProp(this.#handles.context, object, key), this.#running.gate);
    this.free(key);
    return value;
  }

  /** Sets a property and takes ownership of `value`. */
  setProperty(object: number, name: string, value: number): void {
    const key = this.newString(name);
    this.#functions._QTS_SetProp(this.#handles.context, object, key, value);
    this.free(key);
    this.free(value);
  }

  number(value: number): number {
    return this.#functions._QTS_GetFloat64(this.#handles.context, value);
  }

  typeOf(value: number): string {
    const address = this.#functions._QTS_Typeof(this.#handles.context, value);
    const text = this.#decode(address, this.#textLength(address));
    this.#functions._free(address);
    return text;
  }

  /** Reads a text. Runs guest code if the value is not a string. @throws {TextTooLong} */
  text(value: number, maximumBytes: number = Number.POSITIVE_INFINITY): string {
    const address = this.#functions._QTS_GetString(this.#handles.context, value);
    if (address === 0) return "";
    const text = this.textAt(address, maximumBytes);
    this.#functions._QTS_FreeCString(this.#handles.context, address);
    return text;
  }

  /** Reads a C string. @throws {TextTooLong} */
  textAt(address: number, maximumBytes: number): string {
    const length = this.#textLength(address);
    this.lastTextBytes = length;
    if (length > maximumBytes) throw new TextTooLong(length);
    return this.#decode(address, length);
  }

  /** Reads the beginning of a text, for errors and names. */
  boundedText(value: number): string {
    return atOnce(this.#shown(value, this.#functions));
  }

  /** Reads the beginning of a text, in steps. Runs guest code if the value is not a string. */
  *#shown(value: number, functions: Entries): Steps<string> {
    const address = yield* entered(functions._QTS_GetString(this.#handles.context, value), this.#running.gate);
    if (address === 0) return "";
    const text = this.#decode(address, Math.min(ERROR_TEXT_BYTES, this.#textLength(address)));
    this.#functions._QTS_FreeCString(this.#handles.context, address);
    return text;
  }

  /** Copies an ArrayBuffer's bytes; undefined for other values. */
  bytesOf(value: number): Uint8Array | undefined {
    const { context } = this.#handles;
    if (this.typeOf(value) !== "object") return undefined;
    const length = this.#functions._QTS_GetArrayBufferLength(context, value);
    const address = this.#functions._QTS_GetArrayBuffer(context, value);
    if (address === 0) return undefined;
    const copy = this.bytes.slice(address, address + length);
    this.#functions._free(address);
    return copy;
  }

  promiseState(value: number): "pending" | "fulfilled" | "rejected" | "none" {
    return PROMISE_STATES[this.#functions._QTS_PromiseState(this.#handles.context, value)] ?? "none";
  }

  promiseResult(promise: number): number {
    return this.#functions._QTS_PromiseResult(this.#handles.context, promise);
  }

  /** Calls a function from inside a native function, where the guest cannot be suspended. @throws {GuestException} */
  callInside(callee: number, values: readonly number[]): number {
    return atOnce(this.#call(callee, values, this.#functions));
  }

  /** Calls a function. @throws {GuestException} */
  call(callee: number, values: readonly number[]): Steps<number> {
    return this.#call(callee, values, this.#entries);
  }

  *#call(callee: number, values: readonly number[], functions: Entries): Steps<number> {
    const { context, undefinedValue, argumentPointers } = this.#handles;
    const { words } = this;
    for (let index = 0; index < values.length; index++) words[(argumentPointers >> 2) + index] = values[index] ?? 0;
    this.#running.wrote(argumentPointers, values.length * 4);
    const answer = functions._QTS_Call(context, callee, undefinedValue, values.length, argumentPointers);
    const value = yield* entered(answer, this.#running.gate);
    // Avoids further generators in the usual case: each layer of them costs as much as the entry itself.
    const error = this.#functions._QTS_ResolveException(context, value);
    return error === 0 ? value : yield* this.#thrown(value, error, functions);
  }

  /** @throws {GuestException} if the engine returned an exception */
  checked(value: number): Steps<number> {
    return this.#checked(value, this.#entries);
  }

  *#checked(value: number, functions: Entries): Steps<number> {
    const error = this.#functions._QTS_ResolveException(this.#handles.context, value);
    return error === 0 ? value : yield* this.#thrown(value, error, functions);
  }

  *#thrown(value: number, error: number, functions: Entries): Steps<never> {
    const words = yield* this.#describe(error, functions);
    this.free(error);
    this.free(value);
    throw new GuestException(words);
  }

  /** Reads name, message and stack of an error, each bounded. Runs guest code (getters, `toString`). */
  describe(error: number): Steps<GuestErrorText> {
    return this.#describe(error, this.#entries);
  }

  *#describe(error: number, functions: Entries): Steps<GuestErrorText> {
    if (this.typeOf(error) !== "object") return { name: "Error", message: yield* this.#shown(error, functions), stack: "" };
    const texts: string[] = [];
    for (const name of ["name", "message", "stack"]) {
      const value = yield* this.#property(error, name, functions);
      texts.push(this.typeOf(value) === "string" ? this.boundedText(value) : "");
      this.free(value);
    }
    const [name = "", message = "", stack = ""] = texts;
    // For null, or for an object without a message, shows the value itself.
    return name === "" && message === ""
      ? { name: "Error", message: `Uncaught ${yield* this.#shown(error, functions)}`, stack }
      : { name, message, stack };
  }

  free(value: number): void {
    this.#functions._QTS_FreeValuePointer(this.#handles.context, value);
  }

  /** Returns the length up to the terminating zero, or up to the end of memory: a guest that controls its memory may leave no zero. */
  #textLength(address: number): number {
    const { bytes } = this;
    const end = bytes.indexOf(0, address);
    return Math.max(0, (end < 0 ? bytes.length : end) - address);
  }

  #decode(address: number, length: number): string {
    return decoder.decode(this.bytes.subarray(address, address + length));
  }
}

/** JSPromiseStateEnum. -1 means that the value is not a promise. */
const PROMISE_STATES: readonly ("pending" | "fulfilled" | "rejected")[] = ["pending", "fulfilled", "rejected"];

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** True if the bytes are well-formed UTF-8 without U+0000, so that a C string can carry the same text. */
export function isPlainText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    strict.decode(bytes);
    return true;
  } catch {
    // Malformed UTF-8.
    return false;
  }
}
