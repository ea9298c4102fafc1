/**
 * Keeps engines with a booted prelude, each with the bytes for resetting it.
 *
 * Evaluating the prelude takes 70 ms, restoring a memory one: a world whose guest has ended serves the next guest.
 */

import { newQuickJSWASMModule, type QuickJSContext, type QuickJSHandle, type QuickJSWASMModule } from "quickjs-emscripten";
import { PRELUDE } from "../../../sandbox/image/prelude.gen.ts";

/** Functions that the prelude calls. */
export interface Native {
  hostCall(handles: QuickJSHandle[]): QuickJSHandle;
  takeBytes(handles: QuickJSHandle[]): QuickJSHandle;
}

export interface World {
  readonly context: QuickJSContext;
  /** The prelude's `Entry`. */
  readonly entry: QuickJSHandle;
  /** Functions of the current guest. */
  native: Native | undefined;
  readonly memory: WebAssembly.Memory;
  /** Memory after the prelude's boot, without the zeros at its end. */
  readonly image: Uint8Array;
}

const free: World[] = [];

/** Returns a world in which only the prelude has run. */
export async function takeWorld(): Promise<World> {
  const world = free.pop();
  if (world === undefined) return makeWorld(await newQuickJSWASMModule());
  const bytes = new Uint8Array(world.memory.buffer);
  bytes.set(world.image);
  bytes.fill(0, world.image.length);
  return world;
}

/** Takes a world back. A world that has grown large is dropped, because its whole memory is written for the next guest. */
export function giveBack(world: World): void {
  world.native = undefined;
  if (world.memory.buffer.byteLength <= 32 << 20) free.push(world);
}

/** Returns whether the error came from the engine itself, whose stack pointer is then undefined: restoring the memory does not reset it. */
export function endsWorld(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

function makeWorld(module: QuickJSWASMModule): World {
  const context = module.newContext();
  const native = (): Native => {
    if (world.native === undefined) throw new Error("This world has no guest");
    return world.native;
  };
  const entry = bootPrelude(context, {
    hostCall: (handles) => native().hostCall(handles),
    takeBytes: (handles) => native().takeBytes(handles),
  });
  const memory = module.getWasmMemory();
  const world: World = { context, entry, native: undefined, memory, image: withoutTrailingZeros(new Uint8Array(memory.buffer)) };
  return world;
}

function bootPrelude(context: QuickJSContext, native: Native): QuickJSHandle {
  const root = "bascule:prelude/";
  context.runtime.setModuleLoader(
    (name) => PRELUDE[name.slice(root.length)] ?? { error: new Error(`The prelude has no module "${name}"`) },
    (_base, specifier) => root + specifier.slice(specifier.lastIndexOf("/") + 1),
  );
  const prelude = context.unwrapResult(context.evalCode(`export { boot } from "./entry.ts";`, "bascule:boot", { type: "module" }));
  const boot = context.getProp(prelude, "boot");
  context.runtime.removeModuleLoader();
  const functions = context.newObject();
  const hostCall = context.newFunction("hostCall", (...handles) => native.hostCall(handles));
  const takeBytes = context.newFunction("takeBytes", (...handles) => native.takeBytes(handles));
  context.setProp(functions, "hostCall", hostCall);
  context.setProp(functions, "takeBytes", takeBytes);
  const entry = context.unwrapResult(context.callFunction(boot, context.undefined, functions));
  for (const handle of [prelude, boot, functions, hostCall, takeBytes]) handle.dispose();
  return entry;
}

function withoutTrailingZeros(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.slice(0, end);
}
