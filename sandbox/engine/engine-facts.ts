/**
 * Finds out what the sandbox must know about an engine build before guests run on it.
 *
 * The exports for the stack pointer and the important static words have minified names or none, so they are identified by their behaviour
 * on a throwaway instance. Unexpected behaviour throws.
 */

import {
  type EngineCallbacks,
  type EngineFacts,
  INITIAL_MEMORY_PAGES,
  type RunningModule,
  startModule,
  WASM_PAGE_BYTES,
  writeText,
} from "./engine.ts";

/** Size of the build's stack (`-sSTACK_SIZE`). `test/sandbox/engine/engine.test.ts` compares it with the actual recursion limit. */
const STACK_BYTES = 5 * 1024 * 1024;

/**
 * Finds the facts of a build on throwaway instances. Takes some tens of milliseconds, so the result is passed along.
 *
 * @throws {Error} if the build does not behave as expected
 */
export async function learnFacts(module: WebAssembly.Module): Promise<EngineFacts> {
  const timeImport = await findTimeImport(module);
  const running = await startModule(module, INITIAL_MEMORY_PAGES, NO_CALLBACKS, { timeImport });
  const { getStackPointer, setStackPointer, stackTop } = findStackPointer(running);
  const dataEnd = stackTop - STACK_BYTES;
  if (dataEnd <= 0) throw new Error(`The engine's stack top ${stackTop} is below the expected stack size`);
  const breakAddress = findBreak(running, dataEnd, stackTop);
  return { dataEnd, stackTop, breakAddress, getStackPointer, setStackPointer, timeImport };
}

const NO_CALLBACKS: EngineCallbacks = {
  callFunction: () => 0,
  ask: () => "go",
  suspended: () => Promise.reject(new Error("Guests cannot be suspended here")),
  moduleSource: () => undefined,
  moduleName: () => undefined,
  now: () => 0,
  memoryAsked: () => {},
  rejected: () => {},
};

/** Finds the clock import: replaces each import in turn until `Date.now()` in a new context returns the expected number. */
async function findTimeImport(module: WebAssembly.Module): Promise<string> {
  const names = WebAssembly.Module.imports(module).filter((entry) => entry.kind === "function" && entry.module === "a");
  const shown = 1_234_567_890_000;
  for (const { name } of names) {
    let running: RunningModule;
    try {
      running = await startModule(module, INITIAL_MEMORY_PAGES, { ...NO_CALLBACKS, now: () => shown }, { timeImport: name });
      const { functions: f } = running;
      const context = f._QTS_NewContext(f._QTS_NewRuntime(), 0);
      const code = writeText(running, "Date.now()");
      const file = writeText(running, "probe.js");
      const value = f._QTS_Eval(context, code.address, code.length, file.address, 0, 0);
      if (f._QTS_GetFloat64(context, value) === shown) return name;
    } catch {
      // Replacing another import with a clock may break this throwaway instance in any way, so this import is not the clock.
    }
  }
  throw new Error("Cannot find the engine's clock import: unknown engine build");
}

function findStackPointer(running: RunningModule): Pick<EngineFacts, "getStackPointer" | "setStackPointer" | "stackTop"> {
  const named = new Set<unknown>(Object.values(running.functions));
  const unknown = Object.entries(running.exports).filter(
    (entry): entry is [string, (...args: number[]) => unknown] => typeof entry[1] === "function" && !named.has(entry[1]),
  );
  for (const [getName, get] of unknown) {
    if (get.length !== 0) continue;
    const top = get();
    if (typeof top !== "number" || top <= STACK_BYTES || top > INITIAL_MEMORY_PAGES * WASM_PAGE_BYTES) continue;
    for (const [setName, set] of unknown) {
      if (set.length !== 1 || setName === getName) continue;
      const answer = set(top - 64);
      const moved = get() === top - 64;
      if (moved && answer === undefined) {
        set(top);
        return { getStackPointer: getName, setStackPointer: setName, stackTop: top };
      }
      if (moved) throw new Error("An unexpected export moved the engine's stack pointer");
    }
  }
  throw new Error("Cannot find the engine's stack pointer: unknown engine build");
}

/** Finds the allocator's break: the static word that moves to the end of the allocated memory after a large allocation. */
function findBreak(running: RunningModule, dataEnd: number, stackTop: number): number {
  const { functions, memory } = running;
  functions._QTS_NewContext(functions._QTS_NewRuntime(), 0);
  const words = (): Uint32Array => new Uint32Array(memory.buffer.slice(0, dataEnd));
  const before = words();
  const bytes = 3 * WASM_PAGE_BYTES;
  const block = functions._malloc(bytes);
  const after = words();
  const hits: number[] = [];
  for (let index = 0; index < after.length; index++) {
    const was = before[index] ?? 0;
    const is = after[index] ?? 0;
    if (was > stackTop && is - was >= WASM_PAGE_BYTES && is > block + bytes && is <= memory.buffer.byteLength) hits.push(index * 4);
  }
  const [address] = hits;
  if (address === undefined || hits.length !== 1)
    throw new Error(`The engine's allocator break is not unique: found ${hits.length} candidates`);
  return address;
}
