/**
 * Types of WebAssembly's JavaScript API that exported signatures use.
 *
 * TypeScript declares them only in its DOM library, which a program that imports the package may not have (SPEC I1).
 */

/** A compiled module. Only functions of `WebAssembly.Module` read its parts. */
export type WasmModule = object;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmGlobal {
  value: number;
}

export type WasmImport = ((...args: number[]) => unknown) | WasmMemory | WasmGlobal | number;
