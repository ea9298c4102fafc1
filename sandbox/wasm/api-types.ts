/**
 * The types of WebAssembly's JavaScript API that exported signatures name.
 *
 * TypeScript declares its own only in its DOM library, and a program that imports the package may do without that (SPEC I1).
 */

/** A compiled module; its parts are read by `WebAssembly.Module`'s functions only. */
export type WasmModule = object;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmGlobal {
  value: number;
}

export type WasmImport = ((...args: number[]) => unknown) | WasmMemory | WasmGlobal | number;
