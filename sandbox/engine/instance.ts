/**
 * An instance: one running engine module with its own bounded memory, and the few ways to talk to the guest in it.
 *
 * Everything that identifies the guest (runtime, context, entry functions) is an address inside its memory, listed in
 * `Handles`, so an image is bytes plus these numbers and any instance can take any image. No host-side object points
 * into guest memory across a restore.
 */

import { GUEST_STACK_BYTES } from "../../manifests/mod.ts";
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
import { EngineInterrupted, type FuelState } from "./fuel.ts";
import { ENTRY_NAMES, type EntryName, type Handles } from "./handles.ts";
import { findRejectionHook } from "./rejection-hook.ts";
import { CLOSED_HOST, type GuestHost, type GuestThrow } from "./guest-host.ts";
import { GuestException, GuestValues, isPlainText, TextTooLong } from "./guest-values.ts";
import type { Image } from "../image/image.ts";
import { PAGE_BYTES } from "../image/marks.ts";
import type { Shadow } from "../image/shadow.ts";

/** What belongs to a guest at rest and is not in its memory. */
export interface Registers {
  readonly stackPointer: number;
  readonly fuel: FuelState;
  readonly memoryExhausted: boolean;
}

/** Of `struct JSRuntime`, as far as the hooks. */
const RUNTIME_BYTES = 1024;
const HOST_CALL_REF = 1;
const TAKE_BYTES_REF = 2;
/** Answers of entry functions other than outputs. */
const SCRATCH_TEXT_BYTES = 65_536;

export class Instance {
  readonly facts: EngineFacts;
  /** The bound that was asked for; the memory's own maximum is never below the build's minimum. */
  readonly requestedPages: number;
  readonly values: GuestValues;
  host: GuestHost;
  /** Set while the last that the guest asked for was more than the memory's maximum. */
  memoryExhausted = false;
  /** Set when a host exception left WebAssembly frames behind, or the engine trapped: never use again. */
  broken = false;
  readonly #running: RunningModule;
  readonly #functions: EngineFunctions;
  readonly #getStackPointer: () => number;
  readonly #setStackPointer: (address: number) => void;
  #handles: Handles | undefined;
  #holds: Image | undefined;
  #answerBytes: Uint8Array | undefined;

  /** Starts an empty instance; give it a guest with `boot` or an image. */
  static async start(module: WebAssembly.Module, facts: EngineFacts, maximumPages: number): Promise<Instance> {
    const slot: { instance?: Instance } = {};
    const callbacks: EngineCallbacks = {
      callFunction: (_context, count, pointers, hostRef) => slot.instance?.callFunction(count, pointers, hostRef) ?? 0,
      shouldInterrupt: () => slot.instance?.host.shouldInterrupt() ?? false,
      moduleSource: (_context, name) => slot.instance?.orThrow(slot.instance.host.moduleSource(name)),
      moduleName: (_context, base, name) => slot.instance?.orThrow(slot.instance.host.moduleName(base, name)),
      now: () => slot.instance?.host.now() ?? 0,
      memoryAsked: (isGranted) => {
        if (slot.instance !== undefined) slot.instance.memoryExhausted = !isGranted;
      },
      rejected: (promise, reason, isHandled) => slot.instance?.rejected(promise, reason, isHandled),
    };
    const running = await startModule(module, maximumPages, callbacks, facts.timeImport);
    slot.instance = new Instance(running, facts, maximumPages);
    return slot.instance;
  }

  private constructor(running: RunningModule, facts: EngineFacts, requestedPages: number) {
    this.facts = facts;
    this.requestedPages = requestedPages;
    this.host = CLOSED_HOST;
    this.#running = running;
    this.#functions = running.functions;
    this.values = new GuestValues(running);
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
    this.#answerBytes = undefined;
    this.memoryExhausted = false;
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
    this.memoryExhausted = memoryExhausted;
  }

  /** Ends a call: nothing answers the guest any more. */
  close(): void {
    this.host = CLOSED_HOST;
    this.#answerBytes = undefined;
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
      entry: { define: 0, endLoading: 0, invoke: 0, settle: 0, runTimers: 0, abort: 0, poll: 0, rejected: 0 },
    };
    this.#take(handles);
    const { values } = this;
    const native = values.newObject();
    values.setProperty(native, "hostCall", values.newFunction("hostCall", 4, HOST_CALL_REF));
    values.setProperty(native, "takeBytes", values.newFunction("takeBytes", 1, TAKE_BYTES_REF));
    const namespace = this.evaluate(`export { boot } from ${JSON.stringify(entryModule)};`, "bascule:boot", "module");
    const boot = values.property(namespace, "boot");
    const entry = values.call(boot, [native]);
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

  /** Hands two values of the engine's own to the prelude. Called by the engine inside guest frames; public for `start` only. */
  rejected(promise: bigint, reason: bigint, isHandled: boolean): void {
    const { entry } = this.handles;
    const address = entry.rejected === 0 ? 0 : this.#functions._malloc(16);
    if (address === 0) return;
    const view = new DataView(this.bytes.buffer);
    view.setBigInt64(address, promise, true);
    view.setBigInt64(address + 8, reason, true);
    this.wrote(address, 16);
    const { values } = this;
    const handled = values.newNumber(isHandled ? 1 : 0);
    try {
      values.free(values.call(entry.rejected, [address, address + 8, handled]));
    } catch (error) {
      // Too little memory or stack is left to remember it: then nobody is told.
      if (!(error instanceof GuestException)) throw error;
    }
    values.free(handled);
    this.#functions._free(address);
  }

  /** Evaluates code. A module's value is its namespace, or a promise of it if it awaits. @throws {GuestException} */
  evaluate(code: string, fileName: string, kind: "script" | "module"): number {
    return this.#guard(() => {
      const f = this.#functions;
      const source = writeText(this.#running, code);
      const file = writeText(this.#running, fileName);
      const value = f._QTS_Eval(this.handles.context, source.address, source.length, file.address, 0, kind === "module" ? 1 : 0);
      f._free(source.address);
      f._free(file.address);
      return this.values.checked(value);
    });
  }

  /** Calls an entry function with strings and numbers; gives its text. @throws {GuestException | TextTooLong} */
  callEntry(name: EntryName, args: readonly (string | number)[], maximumBytes: number = SCRATCH_TEXT_BYTES): string {
    return this.#guard(() => {
      const result = this.#enter(name, args);
      const text = this.values.text(result, maximumBytes);
      this.values.free(result);
      return text;
    });
  }

  #enter(name: EntryName, args: readonly (string | number)[]): number {
    const { values } = this;
    const made = values.newAll(args);
    const result = values.call(this.handles.entry[name], made);
    for (const value of made) values.free(value);
    return result;
  }

  /** Hands a module's namespace to the prelude. @throws {GuestException} */
  define(file: string, namespace: number): void {
    this.#guard(() => {
      const name = this.values.newString(file);
      this.values.free(this.values.call(this.handles.entry.define, [name, namespace]));
      this.values.free(name);
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
      if (f._QTS_IsJobPending(runtime) === 0) return 0;
      this.words[jobContext >> 2] = 0;
      this.wrote(jobContext, 4);
      const value = f._QTS_ExecutePendingJob(runtime, maximum, jobContext);
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
    });
  }

  /**
   * Brings the answer of an asynchronous operation. Its bytes may be taken while that lasts and never again: they may lie
   * in memory that is lent for this one answer (`worker/thread.ts`).
   */
  settle(operation: number, answer: string, bytes: Uint8Array | undefined): void {
    this.#answerBytes = bytes;
    try {
      this.#guard(() => this.values.free(this.#enter("settle", [operation, answer, bytes === undefined ? 0 : 1])));
    } finally {
      this.#answerBytes = undefined;
    }
  }

  /** Answers the guest's native functions. Called by the engine inside guest frames; public for `start` only. */
  callFunction(count: number, pointers: number, hostRef: number): number {
    const { values } = this;
    const argument = (index: number): number => this.#functions._QTS_ArgvGetJSValueConstPointer(pointers, index);
    if (hostRef === TAKE_BYTES_REF) return this.#takeBytes(count > 0 && values.number(argument(0)) === 1);
    if (hostRef !== HOST_CALL_REF || count < 3) return 0;
    const id = values.number(argument(0));
    const operation = values.boundedText(argument(1));
    const text = values.text(argument(2));
    const sent = count > 3 ? values.bytesOf(argument(3)) : undefined;
    const { answer, bytes } = this.host.hostCall(id, operation, text, sent);
    this.#answerBytes = bytes;
    return answer === undefined ? 0 : values.newString(answer);
  }

  /** Turns a refusal of the host into a throw inside the guest. Public for `start` only. */
  orThrow(outcome: string | GuestThrow): string | undefined {
    if (typeof outcome === "string") return outcome;
    this.values.throwInto(outcome.throws);
    return undefined;
  }

  #takeBytes(asText: boolean): number {
    const bytes = this.#answerBytes;
    this.#answerBytes = undefined;
    if (bytes === undefined) return 0;
    return asText && isPlainText(bytes) ? this.values.newStringOf(bytes) : this.values.newBytes(bytes);
  }

  /**
   * Runs engine code. What is thrown through its frames leaves memory and the stack pointer wrong: an end of ours, at a
   * place between two instructions, is healed by the restore that follows every call; after anything else (V8's own
   * stack, a trap, an abort) the instance is given up.
   */
  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!HEALED.some((kind) => error instanceof kind)) this.broken = true;
      throw error;
    }
  }
}

const HEALED: readonly (new (...args: never[]) => Error)[] = [GuestException, TextTooLong, EngineInterrupted];
