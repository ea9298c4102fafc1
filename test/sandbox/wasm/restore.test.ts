import { describe, expect, it } from "vitest";
import { SHADOW } from "../../../sandbox/wasm/restore.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { type RunningTiny, startTiny, tinyModule } from "./tiny-module.ts";

const PAGE = 256;
const MEMORY_PAGES = (4 * 65_536) / PAGE;
/** Offset of the tests' clean bytes, behind a table for all of memory. */
const CLEAN = SHADOW.table - SHADOW.origin + MEMORY_PAGES * 4;

/** Starts a module in which every page has its own clean bytes, except the pages in `zero`. */
function start(zero: readonly number[] = []): RunningTiny & { readonly clean: (address: number) => number } {
  const tiny = startTiny(rewriteEngine(tinyModule({ code: [] }), { barrier: true, meter: false }));
  tiny.shadow?.grow(8);
  const buffer = tiny.shadow?.buffer ?? new ArrayBuffer(0);
  const table = new Uint32Array(buffer, SHADOW.table, MEMORY_PAGES);
  const bytes = new Uint8Array(buffer, SHADOW.origin);
  for (let page = 0; page < MEMORY_PAGES; page++) {
    if (zero.includes(page)) continue;
    table[page] = CLEAN + page * PAGE;
    bytes.fill(numberOf(page), CLEAN + page * PAGE, CLEAN + (page + 1) * PAGE);
  }
  return { ...tiny, clean: (address) => (zero.includes(address >> 8) ? 0 : numberOf(address >> 8)) };
}

function numberOf(page: number): number {
  return (page % 200) + 1;
}

function mark(tiny: RunningTiny, ...pages: readonly number[]): void {
  const marks = new Uint8Array(tiny.shadow?.buffer ?? new ArrayBuffer(0), 0, SHADOW.marksBytes);
  for (const page of pages) marks[page] = 1;
}

describe("the restore function", () => {
  it.each([
    [[0]],
    [[1, 2, 3]],
    [[63, 64]],
    [[7, 8, 127, 128, 500]],
    [[MEMORY_PAGES - 1]],
    [Array.from({ length: 1_024 }, (_, page) => page)],
  ])("copies pages %j and their overhangs, nothing else, and clears the marks", (pages) => {
    const tiny = start();
    tiny.memory.fill(0xff);
    mark(tiny, ...pages);
    tiny.restore?.();
    const expected = tiny.memory.map((_, address) => {
      const page = address >> 8;
      const isOverhang = pages.includes(page - 1) && address % PAGE < 8;
      return pages.includes(page) || isOverhang ? tiny.clean(address) : 0xff;
    });
    expect(Buffer.compare(tiny.memory, expected)).toBe(0);
    expect(tiny.marked()).toEqual([]);
  });

  it("zeroes pages without a table entry", () => {
    const tiny = start([5, 6]);
    tiny.memory.fill(0xff);
    mark(tiny, 4, 5);
    tiny.restore?.();
    expect([...tiny.memory.subarray(4 * PAGE, 5 * PAGE)].every((byte) => byte === 5)).toBe(true);
    expect([...tiny.memory.subarray(5 * PAGE, 6 * PAGE + 8)].every((byte) => byte === 0)).toBe(true);
    expect(tiny.memory[6 * PAGE + 8]).toBe(0xff);
  });

  it("does nothing without marks, and reads no marks past the end of memory", () => {
    const tiny = start();
    tiny.memory.fill(0xff);
    mark(tiny, MEMORY_PAGES, SHADOW.marksBytes - 1);
    tiny.restore?.();
    expect(tiny.memory.every((byte) => byte === 0xff)).toBe(true);
    expect(tiny.marked()).toEqual([MEMORY_PAGES, SHADOW.marksBytes - 1]);
  });
});
