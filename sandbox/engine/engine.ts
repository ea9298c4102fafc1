/**
 * The engine, quickjs-emscripten's release-sync QuickJS: compiled once, and started for each instance.
 *
 * A guest is exactly its linear memory plus one mutable global, the stack pointer: in this build no table grows and no segment is
 * passive. The layout of that memory is found on throwaway instances (`engine-facts.ts`).
 */

import variant from "@jitl/quickjs-wasmfile-release-sync";
import { GUEST_STACK_BYTES } from "../../manifests/mod.ts";
import { ENGINE_IMPORT, engineImports, viewMemory } from "./engine-imports.ts";
import { createFuel, type Fuel, type GuestAnswer } from "./fuel.ts";
import { mark, markingImports } from "./marks.ts";
import type { Gate } from "./steps.ts";
import { addRejectionListener } from "./rejection-hook.ts";
import { Shadow } from "./shadow.ts";
import type { WasmMemory, WasmModule } from "../wasm/api-types.ts";
import { WASM_PAGE_BYTES } from "../wasm/memory.ts";
import { SUSPEND } from "../wasm/suspend.ts";
import { FUEL_EXPORT, RESTORE_EXPORT, SHADOW_EXPORT, SUSPEND_IMPORT, TABLE_EXPORT, TICK_IMPORT } from "../wasm/rewrite.ts";

/** The engine's C functions that the sandbox uses. Numbers are addresses if not named otherwise. The caller owns each `JSValue*`. */
export interface EngineFunctions {
  _malloc(bytes: number): number;
  _free(address: number): void;
  _QTS_NewRuntime(): number;
  _QTS_RuntimeSetMaxStackSize(runtime: number, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: number): void;
  _QTS_RuntimeEnableModuleLoader(runtime: number, customNormalize: number): void;
  _QTS_NewContext(runtime: number, intrinsics: number): number;
  _QTS_GetUndefined(): number;
  _QTS_NewObject(context: number): number;
  _QTS_NewFunction(context: number, name: number, argumentCount: number, isConstructor: number, hostRef: number): number;
  _QTS_NewString(context: number, text: number): number;
  _QTS_NewFloat64(context: number, value: number): number;
  _QTS_GetFloat64(context: number, value: number): number;
  _QTS_NewArrayBuffer(context: number, bytes: number, length: number): number;
  _QTS_GetArrayBuffer(context: number, value: number): number;
  _QTS_GetArrayBufferLength(context: number, value: number): number;
  _QTS_GetString(context: number, value: number): number;
  _QTS_FreeCString(context: number, text: number): void;
  _QTS_FreeValuePointer(context: number, value: number): void;
  _QTS_FreeValuePointerRuntime(runtime: number, value: number): void;
  _QTS_GetProp(context: number, value: number, key: number): number;
  _QTS_SetProp(context: number, value: number, key: number, property: number): void;
  _QTS_Call(context: number, callee: number, self: number, argumentCount: number, argumentPointers: number): number;
  _QTS_Eval(context: number, code: number, length: number, fileName: number, detectModule: number, flags: number): number;
  _QTS_ResolveException(context: number, value: number): number;
  _QTS_Throw(context: number, error: number): number;
  _QTS_NewError(context: number): number;
  _QTS_IsJobPending(runtime: number): number;
  _QTS_ExecutePendingJob(runtime: number, maximum: number, contextOut: number): number;
  _QTS_ArgvGetJSValueConstPointer(argumentPointers: number, index: number): number;
  _QTS_PromiseState(context: number, promise: number): number;
  _QTS_PromiseResult(context: number, promise: number): number;
  _QTS_Typeof(context: number, value: number): number;
}

/** Callbacks of the engine, set per instance. They may only throw to end the call. */
export interface EngineCallbacks {
  /** @returns the address of a value, or `SUSPEND` to be called again later */
  callFunction(context: number, argumentCount: number, argumentPointers: number, hostRef: number): number;
  /** Decides whether the guest continues. May return `suspend` only in an entry that can be suspended. */
  ask(): GuestAnswer;
  /** Called when the guest leaves the thread. It resumes when the promise is fulfilled. */
  suspended(): Promise<void>;
  /** @returns the source, or undefined after throwing into the guest */
  moduleSource(context: number, name: string): string | undefined;
  /** @returns the resolved name, or undefined after throwing into the guest */
  moduleName(context: number, base: string, name: string): string | undefined;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  /** Called after each request to grow the memory. The engine first requests more than it needs, then less. */
  memoryAsked(isGranted: boolean): void;
  /** Called when a promise is rejected without a handler, and when it gets a handler later. Both values belong to the engine. */
  rejected(promise: bigint, reason: bigint, isHandled: boolean): void;
}

/** Memory layout of this build. The same for every instance of a module. */
export interface EngineFacts {
  /** First address above the static data. The stack grows down towards it. */
  readonly dataEnd: number;
  /** Stack pointer at rest, and start of the heap. */
  readonly stackTop: number;
  /** Address of the allocator's break. Memory above the break was never allocated. */
  readonly breakAddress: number;
  /** Names of the exports that read and write the stack pointer. */
  readonly getStackPointer: string;
  readonly setStackPointer: string;
  /** Name of the clock import. */
  readonly timeImport: string;
}

export interface RunningModule {
  readonly functions: EngineFunctions;
  readonly memory: WasmMemory;
  /** The whole memory. Invalid after guest code has run: read the property again. */
  readonly bytes: Uint8Array;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Undefined on a build without a write barrier. */
  readonly shadow: Shadow | undefined;
  /** Marks a write of the host to guest memory. */
  wrote(address: number, length: number): void;
  /** Grows the memory by `pages`. @throws {RangeError} above its maximum */
  grow(pages: number): void;
  readonly fuel: Fuel;
  /** The functions that run guest code, as entries that can be suspended. Undefined if guests cannot be suspended. */
  readonly suspendable: SuspendableFunctions | undefined;
  readonly gate: Gate;
  /** Value for the runtime's rejection hook. Undefined on a build without an exported table. */
  readonly rejectionListener: number | undefined;
}

export type SuspendableFunctions = Readonly<Record<(typeof RUNS_GUEST_CODE)[number], (...args: number[]) => Promise<number>>>;

const RUNS_GUEST_CODE = ["_QTS_Call", "_QTS_Eval", "_QTS_ExecutePendingJob", "_QTS_GetProp", "_QTS_GetString"] as const;

/** True if this runtime can suspend a guest (JavaScript Promise Integration). Node 24 and Deno 2.9 can. */
export function canSuspend(): boolean {
  return WebAssembly.Suspending !== undefined && WebAssembly.promising !== undefined;
}

interface StartOptions {
  readonly timeImport?: string;
  /** Lets guests be suspended if the runtime can. Default false: every entry ends before it returns. */
  readonly suspends?: boolean;
}

export { WASM_PAGE_BYTES };
/** Minimum memory that the published build declares. */
export const INITIAL_MEMORY_PAGES = 256;
/** Initial memory of the rewritten build: data, stack, the prelude's heap and some space. */
export const REWRITTEN_MEMORY_PAGES = 128;
/** Starts the module with its own memory of at most `maximumPages`. Takes about 2 ms. */
export async function startModule(
  module: WasmModule,
  maximumPages: number,
  callbacks: EngineCallbacks,
  { timeImport, suspends = false }: StartOptions = {},
): Promise<RunningModule> {
  const initial = isRewritten(module) ? REWRITTEN_MEMORY_PAGES : INITIAL_MEMORY_PAGES;
  const maximum = Math.max(maximumPages, initial);
  const memory = new WebAssembly.Memory({ initial, maximum });
  const grow = memory.grow.bind(memory);
  // Emscripten grows the memory through this object, so exhaustion is detected here (the guest's error may be `null`).
  memory.grow = (pages) => {
    try {
      const before = grow(pages);
      callbacks.memoryAsked(true);
      return before;
    } catch (error) {
      callbacks.memoryAsked(false);
      throw error;
    }
  };
  let exports: Record<string, unknown> = {};
  let viewAgain = (): void => {};
  let shadow: Shadow | undefined;
  let rejectionListener: number | undefined;
  let fuel = createFuel(undefined, callbacks.ask);
  const wrote = (address: number, length: number): void => {
    if (shadow !== undefined) mark(shadow.marks, address, length);
  };
  // The package is both CommonJS and an ES module; the runtime decides which one is loaded.
  const loaded: unknown = await (unwrapDefault(variant) as { importModuleLoader(): Promise<unknown> }).importModuleLoader();
  const create = unwrapDefault(loaded) as (options: object) => Promise<EngineFunctions & { callbacks: object }>;
  const functions = await create({
    wasmMemory: memory,
    instantiateWasm({ a: glue = {} }: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const table = engineImports(glue);
      if (timeImport !== undefined) table[timeImport] = () => callbacks.now();
      if (suspends && !isRewritten(module)) letSuspend(table, callbacks);
      viewAgain = () => viewMemory(glue, memory);
      const instance = new WebAssembly.Instance(module, {
        a: isRewritten(module) ? markingImports(table, wrote) : table,
        [TICK_IMPORT.module]: {
          [TICK_IMPORT.name]: () => fuel.tick(),
          [SUSPEND_IMPORT.name]:
            suspends && WebAssembly.Suspending !== undefined ? new WebAssembly.Suspending(() => callbacks.suspended()) : neverSuspended,
        },
      });
      exports = instance.exports;
      const { [SHADOW_EXPORT]: second, [RESTORE_EXPORT]: restore, [FUEL_EXPORT]: left } = exports;
      if (second instanceof WebAssembly.Memory && typeof restore === "function")
        // The rewriter wrote this function and its type.
        shadow = new Shadow(second, restore as () => void, maximum * WASM_PAGE_BYTES);
      fuel = createFuel(left instanceof WebAssembly.Global ? left : undefined, callbacks.ask);
      fuel.reset();
      const { [TABLE_EXPORT]: functionTable } = exports;
      if (functionTable instanceof WebAssembly.Table)
        rejectionListener = addRejectionListener(functionTable, (_context, promise, reason, isHandled) =>
          callbacks.rejected(promise, reason, isHandled !== 0),
        );
      done(instance);
      return instance.exports;
    },
    // Part of the guest's environment, so it must not depend on the host's program.
    thisProgram: "bascule",
    // The engine only prints when it aborts, and the abort also arrives as an exception.
    print: ignore,
    printErr: ignore,
  });
  let bytes = new Uint8Array(memory.buffer);
  const gate: Gate = { isOpen: false };
  const running: RunningModule = {
    functions,
    memory,
    get bytes() {
      // Growing detaches the old buffer, which then has length 0. Reading `memory.buffer` every time is slower than most reads.
      if (bytes.length === 0) bytes = new Uint8Array(memory.buffer);
      return bytes;
    },
    exports,
    shadow,
    wrote,
    fuel,
    suspendable: suspends ? makeSuspendable(functions, gate) : undefined,
    gate,
    rejectionListener,
    grow(pages) {
      memory.grow(pages);
      viewAgain();
    },
  };
  functions.callbacks = engineCallbacks(running, callbacks);
  return running;
}

/** True if `rewriteEngine` made the module. */
export function isRewritten(module: WasmModule): boolean {
  return WebAssembly.Module.exports(module).some(({ name }) => name === SHADOW_EXPORT);
}

function unwrapDefault(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value ? unwrapDefault(value.default) : value;
}

function ignore(): void {}

/**
 * Makes the imports of the published engine suspend. Such imports may only be called from an entry that can be suspended, so nothing else
 * may run guest code there.
 */
function letSuspend(table: Record<string, WebAssembly.ImportValue>, callbacks: EngineCallbacks): void {
  const { Suspending } = WebAssembly;
  if (Suspending === undefined) return;
  for (const name of Object.values(ENGINE_IMPORT)) {
    const ask = table[name];
    if (typeof ask !== "function") continue;
    table[name] = new Suspending((...args) => {
      const answer = ask(...args);
      return answer === SUSPEND ? askedLater(() => ask(...args), callbacks) : answer;
    });
  }
}

async function askedLater(ask: () => unknown, callbacks: EngineCallbacks): Promise<unknown> {
  for (;;) {
    await callbacks.suspended();
    const answer = ask();
    if (answer !== SUSPEND) return answer;
  }
}

function neverSuspended(): void {
  throw new Error("This entry of the engine cannot be suspended");
}

/** Wraps the entries so that they can be suspended. Each opens the gate, and `entered` closes it. */
function makeSuspendable(functions: EngineFunctions, gate: Gate): SuspendableFunctions | undefined {
  const { promising } = WebAssembly;
  if (promising === undefined) return undefined;
  const entry = (name: (typeof RUNS_GUEST_CODE)[number]): ((...args: number[]) => Promise<number>) => {
    const enter = promising(functions[name]);
    return (...args) => {
      gate.isOpen = true;
      return enter(...args);
    };
  };
  return {
    _QTS_Call: entry("_QTS_Call"),
    _QTS_Eval: entry("_QTS_Eval"),
    _QTS_ExecutePendingJob: entry("_QTS_ExecutePendingJob"),
    _QTS_GetProp: entry("_QTS_GetProp"),
    _QTS_GetString: entry("_QTS_GetString"),
  };
}

/** Returns the callback table in the form that the C side expects (quickjs-emscripten 0.32, `module.c`). */
function engineCallbacks(running: RunningModule, callbacks: EngineCallbacks): object {
  const ownedText = (text: string | undefined): number => (text === undefined ? 0 : writeText(running, text).address);
  return {
    callFunction: (...[, context, , count, pointers, hostRef]: CallFunctionArguments) =>
      callbacks.callFunction(context, count, pointers, hostRef),
    shouldInterrupt: () => running.fuel.polled(),
    freeHostRef: ignore,
    loadModuleSource: (...[, , context, name]: LoadModuleArguments) => ownedText(callbacks.moduleSource(context, name)),
    normalizeModule: (...[, , context, base, name]: NormalizeModuleArguments) => ownedText(callbacks.moduleName(context, base, name)),
  };
}

type CallFunctionArguments = [asyncify: unknown, context: number, self: number, count: number, pointers: number, hostRef: number];
type LoadModuleArguments = [asyncify: unknown, runtime: number, context: number, name: string];
type NormalizeModuleArguments = [asyncify: unknown, runtime: number, context: number, base: string, name: string];

const encoder = new TextEncoder();

/** Copies text into guest memory as a C string that the receiver frees. `length` is in bytes, without the terminating zero. */
export function writeText(running: RunningModule, text: string): { address: number; length: number } {
  const address = allocate(running, textRoom(text));
  return { address, length: putText(running, text, address) };
}

/** Returns the maximum bytes that a text takes in guest memory, including the terminating zero. */
export function textRoom(text: string): number {
  return text.length * 3 + 1;
}

/** Allocates guest memory that the receiver frees. */
export function allocate({ functions }: RunningModule, bytes: number): number {
  const address = functions._malloc(bytes);
  if (address === 0) throw new RangeError("Out of guest memory");
  return address;
}

/** Writes text as a C string to allocated memory. @returns its length in bytes, without the terminating zero */
export function putText({ bytes, wrote }: RunningModule, text: string, address: number): number {
  if (text.length <= BRIEF_TEXT && putAscii(bytes, text, address)) {
    wrote(address, text.length + 1);
    return text.length;
  }
  const { written } = encoder.encodeInto(text, new Uint8Array(bytes.buffer, address, textRoom(text)));
  bytes[address + written] = 0;
  wrote(address, written + 1);
  return written;
}

/** Length up to which writing a text directly is faster than calling the encoder. */
const BRIEF_TEXT = 32;

/** Writes an ASCII text with a terminating zero. @returns false if the text has other characters; a part may have been written */
function putAscii(bytes: Uint8Array, text: string, address: number): boolean {
  const { length } = text;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[address + index] = unit;
  }
  bytes[address + length] = 0;
  return true;
}

/**
 * Stack limit of every runtime. Fixed, because the engine recurses on the worker's native stack, which is sized for it
 * (`host/platform/workers.ts`).
 */
export const ENGINE_STACK_BYTES: number = GUEST_STACK_BYTES;
