/** The host's side of the write barrier (`wasm/barrier.ts`): marks the pages that the host itself writes in guest memory. */

import type { WasmImport } from "../wasm/api-types.ts";
import { MARK_SHIFT } from "../wasm/barrier.ts";

/** One byte per page of guest memory. Not 0 if the page, or the first bytes after it, may have been written. */
export type Marks = Uint8Array;

/** Size of a page: the unit that is marked, restored and stored in images. */
export const PAGE_BYTES: number = 1 << MARK_SHIFT;

/** Marks the pages that a write of `length` bytes at `address` touches. */
export function mark(marks: Marks, address: number, length: number): void {
  const first = address >>> MARK_SHIFT;
  const last = (address + length - 1) >>> MARK_SHIFT;
  if (last - first > FEW_PAGES) return void marks.fill(1, first, last + 1);
  for (let page = first; page <= last; page++) marks[page] = 1;
}

/** Above this count, filling is faster than marking pages one by one. */
const FEW_PAGES = 32;

/** Maximum bytes that an Emscripten import writes through a pointer argument: a date, names of time zones, the environment. */
const IMPORT_WRITES_BYTES = 512;

/**
 * Wraps imports so that they mark what they may write: a stretch behind every argument, because the module does not declare which
 * arguments are pointers. A guest in control of its memory may call any import with any values, so no argument is trusted.
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
    // Mark first, because the import may throw after it has written.
    for (const argument of args) if (typeof argument === "number") onWrite(argument >>> 0, IMPORT_WRITES_BYTES);
    return run(...args);
  };
}
