/**
 * An instance: one running engine module with its own bounded memory, and the functions that talk to the guest in it.
 *
 * Everything that identifies the guest (runtime, context, entry functions) is an address inside its memory, listed in `Handles`. So an
 * image is bytes plus these numbers, and any instance can take any image. No host-side object points into guest memory across a restore.
 */

import { GUEST_STACK_BYTES } from "../../manifests/mod.ts";
import {
  type EngineFacts,
  type EngineFunctions,
  ENGINE_STACK_BYTES,
  type RunningModule,
  startModule,
  WASM_PAGE_BYTES,
  writeText,
} from "./engine.ts";
import { type Frame, readCallStack } from "./call-stack.ts";
import { EngineInterrupted, type FuelState } from "./fuel.ts";
import { ENTRY_NAMES, type EntryName, type Handles } from "./handles.ts";
import { findRejectionHook } from "./rejection-hook.ts";
import { CallsOut, callbacksOf, HOST_CALL_REF, TAKE_BYTES_REF } from "./calls-out.ts";
import { CLOSED_HOST, type GuestHost } from "./guest-host.ts";
import { atOnce, entered, type Steps } from "./steps.ts";
import { type Entries, GuestException, GuestValues, TextTooLong } from "./guest-values.ts";
import type { Image } from "./image.ts";
import { PAGE_BYTES } from "./marks.ts";
import type { Shadow } from "./shadow.ts";
import type { WasmModule } from "../wasm/api-types.ts";

/** State of a guest at rest that is not in its memory. */
export interface Registers {
  readonly stackPointer: number;
  readonly fuel: FuelState;
  readonly memoryExhausted: boolean;
}

/** Size of `struct JSRuntime` up to its hooks. */
const RUNTIME_BYTES = 1024;
/** Maximum bytes of an entry function's answer, except for outputs. */
const SCRATCH_TEXT_BYTES = 65_536;

export class Instance {
  readonly facts: EngineFacts;
  /** Requested memory bound. The memory's own maximum is never below the build's minimum. */
  readonly requestedPages: number;
  readonly values: GuestValues;
  /** Used by `start` and by tests. */
  readonly callsOut: CallsOut;
  /** True if a host exception left WebAssembly frames behind, or if the engine trapped. Such an instance must not be used again. */
  broken = false;
  readonly #running: RunningModule;
  readonly #functions: EngineFunctions;
  /** Functions that run guest code, as entries that can be suspended if the engine has them. */
  readonly #entries: Entries;
  readonly #getStackPointer: () => number;
  readonly #setStackPointer: (address: number) => void;
  #handles: Handles | undefined;
  #holds: Image | undefined;

  /**
   * Starts an empty instance, to be filled with `boot` or an image. With `suspends` its guests can be suspended, if the runtime supports
   * it.
   */
  static async start(module: WasmModule, facts: EngineFacts, maximumPages: number, suspends?: "suspends"): Promise<Instance> {
    const slot: { instance?: Instance } = {};
    const running = await startModule(
      module,
      maximumPages,
      callbacksOf(() => slot.instance),
      { timeImport: facts.timeImport, suspends: suspends === "suspends" },
    );
    slot.instance = new Instance(running, facts, maximumPages);
    return slot.instance;
  }

  private constructor(running: RunningModule, facts: EngineFacts, requestedPages: number) {
    this.facts = facts;
    this.requestedPages = requestedPages;
    this.#running = running;
    this.#functions = running.functions;
    this.#entries = running.suspendable ?? running.functions;
    this.values = new GuestValues(running);
    this.callsOut = new CallsOut(running, this.values);
    // `learnFacts` found these exports by behaviour and checked their types.
    this.#getStackPointer = running.exports[facts.getStackPointer] as () => number;
    this.#setStackPointer = running.exports[facts.setStackPointer] as (address: number) => void;
  }

  /** The whole memory. Invalid after guest code has run: read the property again. */
  get bytes(): Uint8Array {
    return this.values.bytes;
  }

  get words(): Uint32Array {
    return this.values.words;
  }

  /** Bytes of memory that the guest has allocated, including static data. */
  get usedBytes(): number {
    const end = this.words[this.facts.breakAddress >> 2] ?? 0;
    return Math.max(0, Math.min(end, this.bytes.length) - this.facts.stackTop) + this.facts.dataEnd;
  }

  /** Maximum stack size since the last restore, rounded to pages. Undefined on a build without a write barrier. */
  get usedStackBytes(): number | undefined {
    const { shadow, facts } = this;
    if (shadow === undefined) return undefined;
    // The stack grows down, so the lowest written page is its end.
    const lowest = Math.floor((facts.stackTop - 2 * GUEST_STACK_BYTES) / PAGE_BYTES);
    const page = shadow.marks.indexOf(1, lowest);
    return page < 0 ? 0 : Math.max(0, facts.stackTop - page * PAGE_BYTES);
  }

  /** The image that the instance was last restored to; undefined if its contents are unknown. */
  get holds(): Image | undefined {
    return this.#holds;
  }

  /** Marks and clean bytes for restores. Undefined on a build without a write barrier. */
  get shadow(): Shadow | undefined {
    return this.#running.shadow;
  }

  /** Marks a write of the host to guest memory. */
  wrote(address: number, length: number): void {
    this.#running.wrote(address, length);
  }

  /** Sets the host that answers while guest code runs. */
  set host(host: GuestHost) {
    this.callsOut.host = host;
  }

  /** True if the last memory request was refused because of the memory's maximum. */
  get memoryExhausted(): boolean {
    return this.callsOut.memoryExhausted;
  }

  /** Address of the prelude's function for rejections; 0 before it is set. */
  get rejectedEntry(): number {
    return this.#handles?.entry.rejected ?? 0;
  }

  /** Units of fuel used since the last `adopt`; 0 on a build without a meter. */
  get fuelSpent(): number {
    return this.#running.fuel.spent;
  }

  /** Reads the stack of the guest that runs, innermost function first. */
  callStack(): readonly Frame[] {
    return readCallStack(this.bytes, this.handles.runtime);
  }

  get stackPointer(): number {
    return this.#getStackPointer();
  }

  get handles(): Handles {
    if (this.#handles === undefined) throw new Error("The instance holds no guest");
    return this.#handles;
  }

  /** Adopts the guest whose bytes were just written to memory. For restorers. */
  adopt(image: Image, handles: Handles): void {
    this.#holds = image;
    this.#take(handles);
  }

  #take(handles: Handles): void {
    this.#handles = handles;
    this.values.adopt(handles);
    this.callsOut.reset();
    this.#setStackPointer(this.facts.stackTop);
    this.#running.fuel.reset();
  }

  get registers(): Registers {
    const { stackPointer, memoryExhausted } = this;
    return { stackPointer, fuel: this.#running.fuel.state, memoryExhausted };
  }

  /** Resumes a parked guest, after its bytes were restored. */
  takeUp({ stackPointer, fuel, memoryExhausted }: Registers): void {
    this.#setStackPointer(stackPointer);
    this.#running.fuel.reset(fuel);
    this.callsOut.memoryExhausted = memoryExhausted;
  }

  /** Ends a call: the guest gets no further answers. */
  close(): void {
    this.callsOut.host = CLOSED_HOST;
    this.callsOut.answerBytes = undefined;
  }

  /** Grows the memory to at least `bytes`. @throws {RangeError} above the instance's maximum */
  ensureBytes(bytes: number): void {
    const missing = bytes - this.bytes.length;
    if (missing > 0) this.#running.grow(Math.ceil(missing / WASM_PAGE_BYTES));
  }

  /**
   * Creates a runtime and a context, runs the prelude and keeps its entry functions. Called once, on an empty instance whose host serves
   * the prelude's modules. `entryModule` exports `boot` (`guest/call/protocol.ts`).
   */
  boot(entryModule: string): void {
    const f = this.#functions;
    const runtime = f._QTS_NewRuntime();
    f._QTS_RuntimeSetMaxStackSize(runtime, ENGINE_STACK_BYTES);
    this.#hookRejections(runtime);
    f._QTS_RuntimeEnableModuleLoader(runtime, 1);
    const handles: Handles = {
      runtime,
      context: f._QTS_NewContext(runtime, 0),
      undefinedValue: f._QTS_GetUndefined(),
      argumentPointers: f._malloc(16),
      jobContext: f._malloc(4),
      entry: { define: 0, endLoading: 0, invoke: 0, settle: 0, runTimers: 0, abort: 0, poll: 0, checkOutput: 0, rejected: 0 },
    };
    this.#take(handles);
    const { values } = this;
    const native = values.newObject();
    values.setProperty(native, "hostCall", values.newFunction("hostCall", 4, HOST_CALL_REF));
    values.setProperty(native, "takeBytes", values.newFunction("takeBytes", 1, TAKE_BYTES_REF));
    const namespace = atOnce(this.evaluate(`export { boot } from ${JSON.stringify(entryModule)};`, "bascule:boot", "module"));
    const boot = values.property(namespace, "boot");
    const entry = values.callInside(boot, [native]);
    const addresses: Partial<Record<EntryName, number>> = {};
    for (const name of ENTRY_NAMES) addresses[name] = values.property(entry, name);
    for (const value of [namespace, boot, native, entry]) values.free(value);
    // The loop has set every name of ENTRY_NAMES.
    this.#take({ ...handles, entry: addresses as Record<EntryName, number> });
  }

  /** Enables the interrupt handler, which reveals the position of the rejection hook, and sets that hook. */
  #hookRejections(runtime: number): void {
    const { rejectionListener } = this.#running;
    const words = (): Uint32Array => new Uint32Array(this.bytes.slice(runtime, runtime + RUNTIME_BYTES).buffer);
    const before = words();
    this.#functions._QTS_RuntimeEnableInterruptHandler(runtime);
    if (rejectionListener === undefined) return;
    const hook = (runtime >> 2) + findRejectionHook(before, words());
    this.words[hook] = rejectionListener;
    this.wrote(hook * 4, 4);
  }

  /** Evaluates code. A module's value is its namespace, or a promise of it if the module awaits. @throws {GuestException} */
  evaluate(code: string, fileName: string, kind: "script" | "module"): Steps<number> {
    return this.#guard(this.#evaluate(code, fileName, kind));
  }

  *#evaluate(code: string, fileName: string, kind: "script" | "module"): Steps<number> {
    const f = this.#functions;
    const source = writeText(this.#running, code);
    const file = writeText(this.#running, fileName);
    const { _QTS_Eval: evaluate } = this.#entries;
    const answer = evaluate(this.handles.context, source.address, source.length, file.address, 0, kind === "module" ? 1 : 0);
    const value = yield* entered(answer, this.#running.gate);
    f._free(source.address);
    f._free(file.address);
    return yield* this.values.checked(value);
  }

  /** Calls an entry function with strings and numbers and returns its text. @throws {GuestException | TextTooLong} */
  *callEntry(name: EntryName, args: readonly (string | number)[], maximumBytes: number = SCRATCH_TEXT_BYTES): Steps<string> {
    try {
      const result = yield* this.#enter(name, args);
      const text = this.values.text(result, maximumBytes);
      this.values.free(result);
      return text;
    } catch (error) {
      throw this.#brokenBy(error);
    }
  }

  *#enter(name: EntryName, args: readonly (string | number)[]): Steps<number> {
    const { values } = this;
    const made = values.newAll(args);
    const result = yield* values.call(this.handles.entry[name], made);
    for (const value of made) values.free(value);
    return result;
  }

  /** Passes a module's namespace to the prelude. @throws {GuestException} */
  define(file: string, namespace: number): Steps<void> {
    return this.#guard(this.#define(file, namespace));
  }

  *#define(file: string, namespace: number): Steps<void> {
    const name = this.values.newString(file);
    this.values.free(yield* this.values.call(this.handles.entry.define, [name, namespace]));
    this.values.free(name);
  }

  /**
   * Runs up to `maximum` microtasks.
   *
   * @returns the number that ran. A job that threw past every handler (only an interrupt does) counts as `maximum`, so that the caller
   * checks the clock and calls again.
   */
  *runJobs(maximum: number): Steps<number> {
    if (this.#functions._QTS_IsJobPending(this.handles.runtime) === 0) return 0;
    return yield* this.#guard(this.#runJobs(maximum));
  }

  *#runJobs(maximum: number): Steps<number> {
    const f = this.#functions;
    const { runtime, jobContext } = this.handles;
    this.words[jobContext >> 2] = 0;
    this.wrote(jobContext, 4);
    const value = yield* entered(this.#entries._QTS_ExecutePendingJob(runtime, maximum, jobContext), this.#running.gate);
    const context = this.words[jobContext >> 2] ?? 0;
    if (context === 0) {
      f._QTS_FreeValuePointerRuntime(runtime, value);
      return 0;
    }
    const error = f._QTS_ResolveException(context, value);
    if (error !== 0) this.values.free(error);
    const ran = error === 0 ? this.values.number(value) : maximum;
    this.values.free(value);
    return ran;
  }

  /**
   * Delivers the answer of an asynchronous operation. The guest can take the bytes only during this call, because they may be in memory
   * that is lent for this one answer (`pool/thread.ts`).
   */
  settle(operation: number, answer: string, bytes: Uint8Array | undefined): Steps<void> {
    return this.#guard(this.#settle(operation, answer, bytes));
  }

  *#settle(operation: number, answer: string, bytes: Uint8Array | undefined): Steps<void> {
    this.callsOut.answerBytes = bytes;
    try {
      this.values.free(yield* this.#enter("settle", [operation, answer, bytes === undefined ? 0 : 1]));
    } finally {
      this.callsOut.answerBytes = undefined;
    }
  }

  /**
   * Runs engine code. An exception thrown through its frames leaves memory and the stack pointer inconsistent. The restore after every
   * call repairs this for the sandbox's own errors, which are thrown between two instructions. After any other exception (V8's own stack,
   * a trap, an abort) the instance is broken.
   */
  *#guard<T>(steps: Steps<T>): Steps<T> {
    try {
      return yield* steps;
    } catch (error) {
      throw this.#brokenBy(error);
    }
  }

  #brokenBy(error: unknown): unknown {
    if (!HEALED.some((kind) => error instanceof kind)) this.broken = true;
    return error;
  }
}

const HEALED: readonly (new (...args: never[]) => Error)[] = [GuestException, TextTooLong, EngineInterrupted];
