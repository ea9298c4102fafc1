/**
 * The engine: quickjs-emscripten's release-sync QuickJS, compiled once, and how one of it is started.
 *
 * A guest is exactly its linear memory plus one mutable global, the stack pointer: no table of this build grows, no segment is passive. What has to be known
 * about that memory is learned on throwaway instances (`engine-facts.ts`).
 */

import variant from "@jitl/quickjs-wasmfile-release-sync";
import { GUEST_STACK_BYTES } from "../../manifests/mod.ts";
import { ENGINE_IMPORT, engineImports, viewMemory } from "./engine-imports.ts";
import { createFuel, type Fuel, type GuestAnswer } from "./fuel.ts";
import { mark, markingImports } from "../image/marks.ts";
import type { Gate } from "./steps.ts";
import { addRejectionListener } from "./rejection-hook.ts";
import { Shadow } from "../image/shadow.ts";
import type { WasmMemory, WasmModule } from "../wasm/api-types.ts";
import { WASM_PAGE_BYTES } from "../wasm/memory.ts";
import { SUSPEND } from "../wasm/suspend.ts";
import { FUEL_EXPORT, RESTORE_EXPORT, SHADOW_EXPORT, SUSPEND_IMPORT, TABLE_EXPORT, TICK_IMPORT } from "../wasm/rewrite.ts";

/** The engine's C functions that the sandbox uses. All numbers are addresses unless said; `JSValue*` is owned by the caller. */
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

/** What the engine asks of its host. Set per instance; none of these may throw except to end the call. */
export interface EngineCallbacks {
  /** @returns the address of a value, or `SUSPEND` to be called again later */
  callFunction(context: number, argumentCount: number, argumentPointers: number, hostRef: number): number;
  /** Whether the guest goes on. `suspend` may be answered only to an entry that may be suspended. */
  ask(): GuestAnswer;
  /** The guest leaves the thread; it goes on when the promise is fulfilled. */
  suspended(): Promise<void>;
  /** @returns the source, or undefined after having thrown into the guest. */
  moduleSource(context: number, name: string): string | undefined;
  /** @returns the resolved name, or undefined after having thrown into the guest. */
  moduleName(context: number, base: string, name: string): string | undefined;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  /** Memory was asked to grow. The engine asks for more than it needs first, then for less. */
  memoryAsked(isGranted: boolean): void;
  /** A promise is rejected while nobody waits for it, or somebody does after all: two values of the engine's own. */
  rejected(promise: bigint, reason: bigint, isHandled: boolean): void;
}

/** Where things are in this build's memory. The same for every instance of one module. */
export interface EngineFacts {
  /** First address above the static data; the stack grows down towards it. */
  readonly dataEnd: number;
  /** Stack pointer at rest; the heap begins here. */
  readonly stackTop: number;
  /** Address of the allocator's break: what lies past its value was never handed out. */
  readonly breakAddress: number;
  /** Names of the exports that read and write the stack pointer. */
  readonly getStackPointer: string;
  readonly setStackPointer: string;
  /** Name of the import that tells the time. */
  readonly timeImport: string;
}

export interface RunningModule {
  readonly functions: EngineFunctions;
  readonly memory: WasmMemory;
  /** The whole memory as it is now. Invalid after the guest ran: ask again. */
  readonly bytes: Uint8Array;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Undefined on a build without a write barrier. */
  readonly shadow: Shadow | undefined;
  /** Says that the host wrote into guest memory. */
  wrote(address: number, length: number): void;
  /** Grows memory by so many pages. @throws {RangeError} above its maximum */
  grow(pages: number): void;
  readonly fuel: Fuel;
  /** The functions that run guest code, each as an entry that may be suspended; undefined where guests are not. */
  readonly suspendable: SuspendableFunctions | undefined;
  readonly gate: Gate;
  /** What the runtime's rejection hook has to be; undefined on a build without an exported table. */
  readonly rejectionListener: number | undefined;
}

export type SuspendableFunctions = Readonly<Record<(typeof RUNS_GUEST_CODE)[number], (...args: number[]) => Promise<number>>>;

const RUNS_GUEST_CODE = ["_QTS_Call", "_QTS_Eval", "_QTS_ExecutePendingJob", "_QTS_GetProp", "_QTS_GetString"] as const;

/** True where this runtime can suspend a guest (JavaScript Promise Integration): Node 24 and Deno 2.9 can. */
export function canSuspend(): boolean {
  return WebAssembly.Suspending !== undefined && WebAssembly.promising !== undefined;
}

export interface StartOptions {
  readonly timeImport?: string;
  /** Whether guests may be suspended, where the runtime can. Default false: every entry ends before it returns. */
  readonly suspends?: boolean;
}

export { WASM_PAGE_BYTES };
/** The build's declared minimum memory. */
export const INITIAL_MEMORY_PAGES = 256;
/** What it needs to begin with: data, stack, the prelude's heap and some room. The rewritten build's minimum. */
export const REWRITTEN_MEMORY_PAGES = 128;
/** Starts the module on a memory of its own, bounded by `maximumPages`. About 2 ms. */
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
  // Emscripten grows through this object, so this is where exhaustion can be seen (the error that the guest gets may be `null`).
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
  // The package is CommonJS and ES module at once; which one arrives depends on the runtime.
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
    // In the guest's environment, whatever the host's program is called.
    thisProgram: "bascule",
    // The engine prints only when it aborts; the abort itself arrives as an exception.
    print: ignore,
    printErr: ignore,
  });
  let bytes = new Uint8Array(memory.buffer);
  const gate: Gate = { isOpen: false };
  const running: RunningModule = {
    functions,
    memory,
    get bytes() {
      // Memory that has grown leaves its former buffer empty. Asking memory itself each time takes longer than most of what is read.
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

/** True for what `rewriteEngine` made. */
export function isRewritten(module: WasmModule): boolean {
  return WebAssembly.Module.exports(module).some(({ name }) => name === SHADOW_EXPORT);
}

function unwrapDefault(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value ? unwrapDefault(value.default) : value;
}

function ignore(): void {}

/**
 * On the engine as it is published the imports themselves suspend. Such an import may be called only by an entry that may be suspended,
 * so nothing else may run guest code there.
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
  throw new Error("The engine is asked to suspend an entry that cannot be suspended");
}

/** Each opens the gate; whoever waits for its promise closes it (`entered`). */
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

/** The callback table in the shape the C side expects (quickjs-emscripten 0.32, `module.c`). */
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

/** Copies text into guest memory as a C string that the receiver frees. `length` is in bytes, without the final zero. */
export function writeText(running: RunningModule, text: string): { address: number; length: number } {
  const address = allocate(running, textRoom(text));
  return { address, length: putText(running, text, address) };
}

/** Bytes that a text takes in guest memory at most, with the zero at its end. */
export function textRoom(text: string): number {
  return text.length * 3 + 1;
}

/** Guest memory that the receiver frees. */
export function allocate({ functions }: RunningModule, bytes: number): number {
  const address = functions._malloc(bytes);
  if (address === 0) throw new RangeError("Out of guest memory");
  return address;
}

/** Writes text as a C string to where there is room for it. @returns its length in bytes, without the final zero */
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

/** Names and the like: the encoder takes longer to be called than such a text takes to be written. */
const BRIEF_TEXT = 32;

/** With the final zero. @returns false for a text with other characters, of which a part may have been written */
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

/** Applied to every runtime; fixed, because the engine recurses on the worker's native stack, which is sized for it (`host/platform/threads/workers.ts`). */
export const ENGINE_STACK_BYTES: number = GUEST_STACK_BYTES;
