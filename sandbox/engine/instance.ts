/**
 * An instance: one running engine module with its own bounded memory, and the few ways to talk to the guest in it.
 *
 * Everything that identifies the guest (runtime, context, entry functions) is an address inside its memory, listed in
 * `Handles`, so an image is bytes plus these numbers and any instance can take any image. No host-side object points
 * into guest memory across a restore.
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
import { EngineInterrupted, type FuelState } from "./fuel.ts";
import { ENTRY_NAMES, type EntryName, type Handles } from "./handles.ts";
import { findRejectionHook } from "./rejection-hook.ts";
import { CallsOut, callbacksOf, HOST_CALL_REF, TAKE_BYTES_REF } from "./calls-out.ts";
import { CLOSED_HOST, type GuestHost } from "./guest-host.ts";
import { atOnce, entered, type Steps } from "./steps.ts";
import { type Entries, GuestException, GuestValues, TextTooLong } from "./guest-values.ts";
import type { Image } from "../image/image.ts";
import { PAGE_BYTES } from "../image/marks.ts";
import type { Shadow } from "../image/shadow.ts";
import type { WasmModule } from "../wasm/api-types.ts";

/** What belongs to a guest at rest and is not in its memory. */
export interface Registers {
  readonly stackPointer: number;
  readonly fuel: FuelState;
  readonly memoryExhausted: boolean;
}

/** Of `struct JSRuntime`, as far as the hooks. */
const RUNTIME_BYTES = 1024;
/** Answers of entry functions other than outputs. */
const SCRATCH_TEXT_BYTES = 65_536;

export class Instance {
  readonly facts: EngineFacts;
  /** The bound that was asked for; the memory's own maximum is never below the build's minimum. */
  readonly requestedPages: number;
  readonly values: GuestValues;
  /** For `start` and tests. */
  readonly callsOut: CallsOut;
  /** Set when a host exception left WebAssembly frames behind, or the engine trapped: never use again. */
  broken = false;
  readonly #running: RunningModule;
  readonly #functions: EngineFunctions;
  /** The functions that run guest code, as entries that may be suspended where the engine has them. */
  readonly #entries: Entries;
  readonly #getStackPointer: () => number;
  readonly #setStackPointer: (address: number) => void;
  #handles: Handles | undefined;
  #holds: Image | undefined;

  /** Starts an empty instance; give it a guest with `boot` or an image. With `suspends` its guests may be suspended, where the runtime can. */
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

  /** The whole memory as it is now. Invalid after the guest ran: ask again. */
  get bytes(): Uint8Array {
    return this.values.bytes;
  }

  get words(): Uint32Array {
    return this.values.words;
  }

  /** Bytes of memory the guest has taken from the allocator, static data included. */
  get usedBytes(): number {
    const end = this.words[this.facts.breakAddress >> 2] ?? 0;
    return Math.max(0, Math.min(end, this.bytes.length) - this.facts.stackTop) + this.facts.dataEnd;
  }

  /** How far the stack reached since the last restore, to the page; undefined on a build without a write barrier. */
  get usedStackBytes(): number | undefined {
    const { shadow, facts } = this;
    if (shadow === undefined) return undefined;
    // The stack grows down: the lowest page of it that was written.
    const lowest = Math.floor((facts.stackTop - 2 * GUEST_STACK_BYTES) / PAGE_BYTES);
    const page = shadow.marks.indexOf(1, lowest);
    return page < 0 ? 0 : Math.max(0, facts.stackTop - page * PAGE_BYTES);
  }

  /** The image it was last restored to; undefined if nothing is known of what it holds. */
  get holds(): Image | undefined {
    return this.#holds;
  }

  /** What was written since the last restore, and how to undo it; undefined on a build without a write barrier. */
  get shadow(): Shadow | undefined {
    return this.#running.shadow;
  }

  /** Says that the host wrote into guest memory. */
  wrote(address: number, length: number): void {
    this.#running.wrote(address, length);
  }

  /** What answers while guest code runs. */
  set host(host: GuestHost) {
    this.callsOut.host = host;
  }

  /** Set while the last that the guest asked for was more than the memory's maximum. */
  get memoryExhausted(): boolean {
    return this.callsOut.memoryExhausted;
  }

  /** The prelude's function for rejections; 0 where there is none yet. */
  get rejectedEntry(): number {
    return this.#handles?.entry.rejected ?? 0;
  }

  /** Units of fuel used since the last `adopt`; 0 on a build without a meter. */
  get fuelSpent(): number {
    return this.#running.fuel.spent;
  }

  get stackPointer(): number {
    return this.#getStackPointer();
  }

  get handles(): Handles {
    if (this.#handles === undefined) throw new Error("The instance holds no guest");
    return this.#handles;
  }

  /** Takes over the guest whose bytes are in memory now. For restorers. */
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

  /** Goes on with a guest that was parked; its bytes are in memory again. */
  takeUp({ stackPointer, fuel, memoryExhausted }: Registers): void {
    this.#setStackPointer(stackPointer);
    this.#running.fuel.reset(fuel);
    this.callsOut.memoryExhausted = memoryExhausted;
  }

  /** Ends a call: nothing answers the guest any more. */
  close(): void {
    this.callsOut.host = CLOSED_HOST;
    this.callsOut.answerBytes = undefined;
  }

  /** Grows memory to hold at least `bytes`. @throws {RangeError} above the instance's maximum. */
  ensureBytes(bytes: number): void {
    const missing = bytes - this.bytes.length;
    if (missing > 0) this.#running.grow(Math.ceil(missing / WASM_PAGE_BYTES));
  }

  /**
   * Makes a runtime and a context, runs the prelude and keeps its entry functions. Once, on an empty instance whose host
   * serves the prelude's modules. `entryModule` exports `boot` (`guest/protocol.ts`).
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
    // Every name of ENTRY_NAMES was set in the loop.
    this.#take({ ...handles, entry: addresses as Record<EntryName, number> });
  }

  /** Enables the interrupt handler, which shows where the hook for rejections is, and sets that. */
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

  /** Evaluates code. A module's value is its namespace, or a promise of it if it awaits. @throws {GuestException} */
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

  /** Calls an entry function with strings and numbers; gives its text. @throws {GuestException | TextTooLong} */
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

  /** Hands a module's namespace to the prelude. @throws {GuestException} */
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
   * @returns how many ran; a job that threw past every handler (only an interrupt does) counts as `maximum`, so that
   * the caller looks at the clock and comes back.
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
   * Brings the answer of an asynchronous operation. Its bytes may be taken until the guest has taken it in and never again: they
   * may lie in memory that is lent for this one answer (`worker/thread.ts`).
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
   * Runs engine code. What is thrown through its frames leaves memory and the stack pointer wrong: an end of ours, at a
   * place between two instructions, is healed by the restore that follows every call; after anything else (V8's own
   * stack, a trap, an abort) the instance is given up.
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
