/** The host's side of the write barrier (`wasm/barrier.ts`): what the host writes into guest memory is marked as well. */

import type { WasmImport } from "../wasm/api-types.ts";
import { MARK_SHIFT } from "../wasm/barrier.ts";

/** One byte for each page of guest memory: not 0 if the page, or the first bytes after it, may have been written. */
export type Marks = Uint8Array;

/** What is marked, restored and kept in images as one. */
export const PAGE_BYTES: number = 1 << MARK_SHIFT;

/** Marks what a write of `length` bytes at `address` touches. */
export function mark(marks: Marks, address: number, length: number): void {
  const first = address >>> MARK_SHIFT;
  const last = (address + length - 1) >>> MARK_SHIFT;
  if (last - first > FEW_PAGES) return void marks.fill(1, first, last + 1);
  for (let page = first; page <= last; page++) marks[page] = 1;
}

/** Filling costs more than marking so many one by one. */
const FEW_PAGES = 32;

/** The imports of Emscripten's own that write through pointers write no more than this behind any of them: a date, names of time zones, the environment. */
const IMPORT_WRITES_BYTES = 512;

/**
 * Imports that mark what they may have written: a stretch behind every argument, since which arguments are pointers is
 * nowhere said. A guest in control of its memory may call any import with anything, so no argument is believed.
 */
export function markingImports(
  table: Record<string, WasmImport>,
  onWrite: (address: number, length: number) => void,
): Record<string, WasmImport> {
  const marking: Record<string, WasmImport> = {};
  for (const [name, value] of Object.entries(table)) marking[name] = typeof value === "function" ? markingImport(value, onWrite) : value;
  return marking;
}

function markingImport(
  run: (...args: number[]) => unknown,
  onWrite: (address: number, length: number) => void,
): (...args: number[]) => unknown {
  return (...args) => {
    // Before it runs: it may throw after it wrote.
    for (const argument of args) if (typeof argument === "number") onWrite(argument >>> 0, IMPORT_WRITES_BYTES);
    return run(...args);
  };
}
