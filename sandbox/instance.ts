/**
 * An instance: one running engine module with its own bounded memory, and the few ways to talk to the guest in it.
 *
 * Everything that identifies the guest (runtime, context, entry functions) is an address inside its memory, listed in
 * `Handles`, so an image is bytes plus these numbers and any instance can take any image. No host-side object points
 * into guest memory across a restore.
 */

import {
  type EngineCallbacks,
  type EngineFacts,
  type EngineFunctions,
  ENGINE_STACK_BYTES,
  type RunningModule,
  startModule,
  WASM_PAGE_BYTES,
  writeText,
} from "./engine.ts";

/** Addresses of what the engine side holds on to. Set when the base image is made, the same in every image on top of it. */
export interface Handles {
  readonly runtime: number;
  readonly context: number;
  readonly undefinedValue: number;
  readonly globalObject: number;
  /** Room for four argument pointers. */
  readonly argumentPointers: number;
  readonly jobContext: number;
  /** The prelude's entry functions, by name. */
  readonly entry: Readonly<Record<EntryName, number>>;
}

export const ENTRY_NAMES = ["define", "invoke", "settle", "runTimers", "abort", "poll"] as const;
export type EntryName = (typeof ENTRY_NAMES)[number];

/** What the host side of an instance answers while guest code runs. Replaced for each call. */
export interface GuestHost {
  /** See `Native.hostCall` in `guest/protocol.ts`. */
  hostCall(id: number, operation: string, text: string, bytes: Uint8Array | undefined): { readonly answer: string | undefined; readonly bytes?: Uint8Array };
  /** Polled by the engine; true ends the guest's current entry. */
  shouldInterrupt(): boolean;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  moduleSource(name: string): string | GuestThrow;
  moduleName(base: string, name: string): string | GuestThrow;
}

/** Makes the engine throw an error of this message into the guest. */
export interface GuestThrow {
  readonly throws: string;
}

/** A guest exception that reached the engine side. Its words are the guest's own, bounded. */
export class GuestException extends Error {
  readonly guest: GuestErrorText;
  constructor(guest: GuestErrorText) {
    super(guest.message);
    this.name = "GuestException";
    this.guest = guest;
  }
}

export interface GuestErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The answer is longer than the caller allowed. */
export class TextTooLong extends Error {
  readonly bytes: number;
  constructor(bytes: number) {
    super(`The guest's text is ${bytes} bytes long`);
    this.name = "TextTooLong";
    this.bytes = bytes;
  }
}

const HOST_CALL_REF = 1;
const TAKE_BYTES_REF = 2;
const ERROR_TEXT_BYTES = 16_384;
const SCRATCH_TEXT_BYTES = 65_536;

/** Guest strings may hold lone surrogates, which arrive as invalid UTF-8; they become U+FFFD. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Instance {
  readonly facts: EngineFacts;
  /** The bound that was asked for; the memory's own maximum is never below the build's minimum. */
  readonly requestedPages: number;
  host: GuestHost;
  /** Set when the memory reached its maximum during this call. */
  memoryExhausted = false;
  /** Set when a host exception left WebAssembly frames behind, or the engine trapped: never use again. */
  broken = false;
  #functions: EngineFunctions;
  #memory: WebAssembly.Memory;
  #bytes: Uint8Array = new Uint8Array(0);
  #words: Uint32Array = new Uint32Array(0);
  #getStackPointer: () => number;
  #setStackPointer: (address: number) => void;
  #handles: Handles | undefined;
  #answerBytes: Uint8Array | undefined;
  /** Length of the last text an entry function answered. */
  lastTextBytes = 0;

  /** Starts an empty instance; give it a guest with `boot` or an image. */
  static async start(module: WebAssembly.Module, facts: EngineFacts, maximumPages: number): Promise<Instance> {
    const slot: { instance?: Instance } = {};
    const callbacks: EngineCallbacks = {
      callFunction: (_context, count, pointers, hostRef) => slot.instance?.callFunction(count, pointers, hostRef) ?? 0,
      shouldInterrupt: () => slot.instance?.host.shouldInterrupt() ?? false,
      moduleSource: (_context, name) => slot.instance?.orThrow(slot.instance.host.moduleSource(name)),
      moduleName: (_context, base, name) => slot.instance?.orThrow(slot.instance.host.moduleName(base, name)),
      now: () => slot.instance?.host.now() ?? 0,
      memoryExhausted: () => {
        if (slot.instance !== undefined) slot.instance.memoryExhausted = true;
      },
    };
    const running = await startModule(module, maximumPages, callbacks, facts.timeImport);
    slot.instance = new Instance(running, facts, maximumPages);
    return slot.instance;
  }

  private constructor(running: RunningModule, facts: EngineFacts, requestedPages: number) {
    this.facts = facts;
    this.requestedPages = requestedPages;
    this.host = CLOSED_HOST;
    this.#functions = running.functions;
    this.#memory = running.memory;
    // `learnFacts` found these exports by behaviour and checked their types.
    this.#getStackPointer = running.exports[facts.getStackPointer] as () => number;
    this.#setStackPointer = running.exports[facts.setStackPointer] as (address: number) => void;
  }

  /** The whole memory as it is now. Invalid after the guest ran: ask again. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#words = new Uint32Array(this.#memory.buffer);
    }
    return this.#bytes;
  }

  get words(): Uint32Array {
    void this.bytes;
    return this.#words;
  }

  get handles(): Handles {
    if (this.#handles === undefined) throw new Error("The instance holds no guest");
    return this.#handles;
  }

  /** Takes over the guest whose bytes are in memory now. */
  adopt(handles: Handles): void {
    this.#handles = handles;
    this.#answerBytes = undefined;
    this.memoryExhausted = false;
    this.#setStackPointer(this.facts.stackTop);
  }

  /** Ends a call: nothing answers the guest any more. */
  close(): void {
    this.host = CLOSED_HOST;
    this.#answerBytes = undefined;
  }

  get stackPointer(): number {
    return this.#getStackPointer();
  }

  /** Grows memory to hold at least `bytes`. @throws {RangeError} above the instance's maximum. */
  ensureBytes(bytes: number): void {
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
  }

  /** Makes a runtime and a context, runs the prelude and keeps its entry functions. Once, on an empty instance. */
  boot(prelude: string): void {
    const f = this.#functions;
    const runtime = f._QTS_NewRuntime();
    f._QTS_RuntimeSetMaxStackSize(runtime, ENGINE_STACK_BYTES);
    f._QTS_RuntimeEnableInterruptHandler(runtime);
    f._QTS_RuntimeEnableModuleLoader(runtime, 1);
    const context = f._QTS_NewContext(runtime, 0);
    const handles: Handles = {
      runtime,
      context,
      undefinedValue: f._QTS_GetUndefined(),
      globalObject: f._QTS_GetGlobalObject(context),
      argumentPointers: f._malloc(16),
      jobContext: f._malloc(4),
      entry: { define: 0, invoke: 0, settle: 0, runTimers: 0, abort: 0, poll: 0 },
    };
    this.#handles = handles;
    const native = f._QTS_NewObject(context);
    this.#setProperty(native, "hostCall", this.#newFunction("hostCall", 4, HOST_CALL_REF));
    this.#setProperty(native, "takeBytes", this.#newFunction("takeBytes", 0, TAKE_BYTES_REF));
    const boot = this.evaluate(prelude, "bascule:prelude", "script");
    const entry = this.#call(boot, [native]);
    const addresses: Partial<Record<EntryName, number>> = {};
    for (const name of ENTRY_NAMES) addresses[name] = this.property(entry, name);
    this.#free(boot);
    this.#free(native);
    this.#free(entry);
    // Every name of ENTRY_NAMES was set in the loop.
    this.#handles = { ...handles, entry: addresses as Record<EntryName, number> };
  }

  /** Evaluates code. A module's value is its namespace, or a promise of it if it awaits. @throws {GuestException} */
  evaluate(code: string, fileName: string, kind: "script" | "module"): number {
    return this.#guard(() => {
      const f = this.#functions;
      const source = writeText(f, this.#memory, code);
      const file = writeText(f, this.#memory, fileName);
      const value = f._QTS_Eval(this.handles.context, source.address, source.length, file.address, 0, kind === "module" ? 1 : 0);
      f._free(source.address);
      f._free(file.address);
      return this.#checked(value);
    });
  }

  /** Calls an entry function with strings, numbers or values' addresses; gives its text. @throws {GuestException | TextTooLong} */
  callEntry(name: EntryName, args: readonly (string | number)[], maximumBytes: number = SCRATCH_TEXT_BYTES): string {
    return this.#guard(() => {
      const values = args.map((arg) => (typeof arg === "string" ? this.#newString(arg) : this.#functions._QTS_NewFloat64(this.handles.context, arg)));
      const result = this.#call(this.handles.entry[name], values);
      for (const value of values) this.#free(value);
      const text = this.#readText(result, maximumBytes);
      this.#free(result);
      return text;
    });
  }

  /** Hands a module's namespace to the prelude. @throws {GuestException} */
  define(file: string, namespace: number): void {
    this.#guard(() => {
      const name = this.#newString(file);
      this.#free(this.#call(this.handles.entry.define, [name, namespace]));
      this.#free(name);
    });
  }

  /**
   * Runs up to `maximum` microtasks.
   *
   * @returns how many ran; a job that threw past every handler (only an interrupt does) counts as `maximum`, so that
   * the caller looks at the clock and comes back.
   */
  runJobs(maximum: number): number {
    return this.#guard(() => {
      const f = this.#functions;
      const { runtime, jobContext } = this.handles;
      this.words[jobContext >> 2] = 0;
      const value = f._QTS_ExecutePendingJob(runtime, maximum, jobContext);
      const context = this.words[jobContext >> 2] ?? 0;
      if (context === 0) {
        f._QTS_FreeValuePointerRuntime(runtime, value);
        return 0;
      }
      const error = f._QTS_ResolveException(context, value);
      if (error !== 0) this.#free(error);
      const ran = error === 0 ? f._QTS_GetFloat64(context, value) : maximum;
      this.#free(value);
      return ran;
    });
  }

  /** Bytes of memory the guest has taken from the allocator, static data included. */
  get usedBytes(): number {
    const end = this.words[this.facts.breakAddress >> 2] ?? 0;
    return Math.max(0, Math.min(end, this.bytes.length) - this.facts.stackTop) + this.facts.dataEnd;
  }

  get byteLength(): number {
    return this.#memory.buffer.byteLength;
  }

  property(object: number, name: string): number {
    const key = this.#newString(name);
    const value = this.#functions._QTS_GetProp(this.handles.context, object, key);
    this.#free(key);
    return value;
  }

  /** `pending` is also said of what is no promise. */
  promiseState(value: number): "pending" | "fulfilled" | "rejected" | "none" {
    const state = this.#functions._QTS_PromiseState(this.handles.context, value);
    return state === 0 ? "pending" : state === 1 ? "fulfilled" : state === 2 ? "rejected" : "none";
  }

  promiseResult(promise: number): number {
    return this.#functions._QTS_PromiseResult(this.handles.context, promise);
  }

  /** The guest's own words about an error, each bounded. Runs guest code (getters, `toString`). */
  describe(error: number): GuestErrorText {
    return this.#guard(() => {
      const part = (name: string): string => {
        const value = this.property(error, name);
        const text = this.typeOf(value) === "string" ? this.#readBounded(value) : "";
        this.#free(value);
        return text;
      };
      const isObject = this.typeOf(error) === "object";
      if (!isObject) return { name: "Error", message: this.#readBounded(error), stack: "" };
      return { name: part("name"), message: part("message"), stack: part("stack") };
    });
  }

  /** Answers the guest's native functions. Called by the engine inside guest frames; public for `start` only. */
  callFunction(count: number, pointers: number, hostRef: number): number {
    const f = this.#functions;
    if (hostRef === TAKE_BYTES_REF) return this.#takeBytes();
    if (hostRef !== HOST_CALL_REF || count < 3) return 0;
    const argument = (index: number): number => f._QTS_ArgvGetJSValueConstPointer(pointers, index);
    const { context } = this.handles;
    const id = f._QTS_GetFloat64(context, argument(0));
    const operation = this.#readBounded(argument(1));
    const text = this.#readText(argument(2), Number.POSITIVE_INFINITY);
    const bytes = count > 3 ? this.#readArrayBuffer(argument(3)) : undefined;
    const { answer, bytes: answerBytes } = this.host.hostCall(id, operation, text, bytes);
    this.#answerBytes = answerBytes;
    return answer === undefined ? 0 : this.#newString(answer);
  }

  /** Bytes that the guest may take with `takeBytes` right after `settle`. */
  offerBytes(bytes: Uint8Array | undefined): void {
    this.#answerBytes = bytes;
  }

  orThrow(outcome: string | GuestThrow): string | undefined {
    if (typeof outcome === "string") return outcome;
    const f = this.#functions;
    const { context } = this.handles;
    const error = f._QTS_NewError(context);
    this.#setProperty(error, "message", this.#newString(outcome.throws));
    f._QTS_Throw(context, error);
    this.#free(error);
    return undefined;
  }

  /** Runs engine code; whatever is thrown through its frames leaves the stack pointer wrong, so the instance is given up. */
  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof GuestException) && !(error instanceof TextTooLong)) this.broken = true;
      throw error;
    }
  }

  #call(callee: number, values: readonly number[]): number {
    const { context, undefinedValue, argumentPointers } = this.handles;
    for (const [index, value] of values.entries()) this.words[(argumentPointers >> 2) + index] = value;
    return this.#checked(this.#functions._QTS_Call(context, callee, undefinedValue, values.length, argumentPointers));
  }

  #checked(value: number): number {
    const error = this.#functions._QTS_ResolveException(this.handles.context, value);
    if (error === 0) return value;
    const text = this.describe(error);
    this.#free(error);
    this.#free(value);
    throw new GuestException(text);
  }

  #takeBytes(): number {
    const bytes = this.#answerBytes;
    this.#answerBytes = undefined;
    if (bytes === undefined) return 0;
    // The engine's allocator answers 0 for 0 bytes.
    const address = this.#functions._malloc(Math.max(1, bytes.length));
    if (address === 0) return 0;
    this.bytes.set(bytes, address);
    return this.#functions._QTS_NewArrayBuffer(this.handles.context, address, bytes.length);
  }

  #readArrayBuffer(value: number): Uint8Array | undefined {
    const f = this.#functions;
    const { context } = this.handles;
    if (this.typeOf(value) !== "object") return undefined;
    const length = f._QTS_GetArrayBufferLength(context, value);
    const address = f._QTS_GetArrayBuffer(context, value);
    if (address === 0) return undefined;
    const copy = this.bytes.slice(address, address + length);
    f._free(address);
    return copy;
  }

  #newFunction(name: string, argumentCount: number, hostRef: number): number {
    const text = writeText(this.#functions, this.#memory, name);
    const value = this.#functions._QTS_NewFunction(this.handles.context, text.address, argumentCount, 0, hostRef);
    this.#functions._free(text.address);
    return value;
  }

  #newString(text: string): number {
    const { address } = writeText(this.#functions, this.#memory, text);
    const value = this.#functions._QTS_NewString(this.handles.context, address);
    this.#functions._free(address);
    return value;
  }

  #setProperty(object: number, name: string, value: number): void {
    const key = this.#newString(name);
    this.#functions._QTS_SetProp(this.handles.context, object, key, value);
    this.#free(key);
    this.#free(value);
  }

  typeOf(value: number): string {
    const address = this.#functions._QTS_Typeof(this.handles.context, value);
    const text = this.#decode(address, this.#textLength(address));
    this.#functions._free(address);
    return text;
  }

  #readText(value: number, maximumBytes: number): string {
    const address = this.#functions._QTS_GetString(this.handles.context, value);
    if (address === 0) return "";
    const length = this.#textLength(address);
    this.lastTextBytes = length;
    const text = length > maximumBytes ? undefined : this.#decode(address, length);
    this.#functions._QTS_FreeCString(this.handles.context, address);
    if (text === undefined) throw new TextTooLong(length);
    return text;
  }

  #readBounded(value: number): string {
    const address = this.#functions._QTS_GetString(this.handles.context, value);
    if (address === 0) return "";
    const text = this.#decode(address, Math.min(ERROR_TEXT_BYTES, this.#textLength(address)));
    this.#functions._QTS_FreeCString(this.handles.context, address);
    return text;
  }

  #textLength(address: number): number {
    return this.bytes.indexOf(0, address) - address;
  }

  #decode(address: number, length: number): string {
    return decoder.decode(this.bytes.subarray(address, address + length));
  }

  #free(value: number): void {
    this.#functions._QTS_FreeValuePointer(this.handles.context, value);
  }
}

/** Between calls nothing answers and nothing may run. */
const CLOSED_HOST: GuestHost = {
  hostCall: () => ({ answer: undefined }),
  shouldInterrupt: () => true,
  now: () => 0,
  moduleSource: () => ({ throws: "No plugin is loading" }),
  moduleName: () => ({ throws: "No plugin is loading" }),
};
