/**
 * What has to be known about a build of the engine before guests run on it.
 *
 * The exports that reach the stack pointer and the static words that matter have minified names or no name at all, so
 * they are found by behaviour on a throwaway instance, and anything unexpected fails loudly.
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

/** The build's stack (`-sSTACK_SIZE`); checked by `test/sandbox/engine/engine.test.ts` against where recursion really ends. */
const STACK_BYTES = 5 * 1024 * 1024;

/**
 * Learns the facts of a build on throwaway instances. Some tens of milliseconds; done once, then passed along.
 *
 * @throws {Error} if the build does not behave as this code expects.
 */
export async function learnFacts(module: WebAssembly.Module): Promise<EngineFacts> {
  const timeImport = await findTimeImport(module);
  const running = await startModule(module, INITIAL_MEMORY_PAGES, NO_CALLBACKS, { timeImport });
  const { getStackPointer, setStackPointer, stackTop } = findStackPointer(running);
  const dataEnd = stackTop - STACK_BYTES;
  if (dataEnd <= 0) throw new Error(`The engine's stack top ${stackTop} is below its expected stack size`);
  const breakAddress = findBreak(running, dataEnd, stackTop);
  return { dataEnd, stackTop, breakAddress, getStackPointer, setStackPointer, timeImport };
}

const NO_CALLBACKS: EngineCallbacks = {
  callFunction: () => 0,
  ask: () => "go",
  suspended: () => Promise.reject(new Error("No guest is suspended here")),
  moduleSource: () => undefined,
  moduleName: () => undefined,
  now: () => 0,
  memoryAsked: () => {},
  rejected: () => {},
};

/** The clock is the import whose value a new context's `Date.now()` shows: try each until the guest sees our number. */
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
      // Replacing another import by a clock may break this throwaway instance in any way: then it is not the clock.
    }
  }
  throw new Error("Cannot find the engine's clock import; this build is not the one the sandbox knows");
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
      if (moved) throw new Error("The engine's stack pointer moved by an unexpected export");
    }
  }
  throw new Error("Cannot find the engine's stack pointer; this build is not the one the sandbox knows");
}

/** The allocator's break is the static word that follows a large allocation to the end of what was handed out. */
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
