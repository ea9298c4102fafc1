import { describe, expect, it } from "vitest";
import { SHADOW } from "../../../sandbox/wasm/restore.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { parseSections, readEntries, SECTION } from "../../../sandbox/wasm/sections.ts";
import { startTiny, type TinyModule, tinyModule } from "./tiny-module.ts";

const I32 = 0x7f;
const ONLY_BARRIER = { barrier: true, meter: false } as const;

function rewritten(tiny: TinyModule): Uint8Array {
  const bytes = rewriteEngine(tinyModule(tiny), ONLY_BARRIER);
  expect(WebAssembly.validate(bytes)).toBe(true);
  return bytes;
}

function bodiesOf(bytes: Uint8Array): number[][] {
  return readEntries(parseSections(bytes), SECTION.code, (reader) => [...reader.name()]);
}

describe("the write barrier", () => {
  it("marks the page of (address + offset) >> 8 before a store", () => {
    // local.get 0, local.get 1, i32.store align=2 offset=300
    const bytes = rewritten({ parameters: [I32, I32], code: [0x20, 0, 0x20, 1, 0x36, 2, 0xac, 0x02] });
    expect(bodiesOf(bytes)[0]).toEqual([
      ...[2, 1, I32, 1, I32], // two more locals: 2 for the value, 3 for the address
      ...[0x20, 0, 0x20, 1],
      ...[0x21, 2, 0x22, 3], // local.set value, local.tee address
      ...[0x41, 0xac, 0x02, 0x6a], // i32.const 300, i32.add
      ...[0x41, 8, 0x76, 0x41, 1, 0x3a, 0x40, 1, 0], // i32.const 8, i32.shr_u, i32.const 1, i32.store8 memory=1
      ...[0x20, 3, 0x20, 2],
      ...[0x36, 2, 0xac, 0x02],
      0x0b,
    ]);
    const tiny = startTiny(bytes);
    tiny.run(256 * 3 - 300, 0x0102_0304);
    expect(tiny.marked()).toEqual([3]);
    expect([...tiny.memory.subarray(256 * 3, 256 * 3 + 4)]).toEqual([4, 3, 2, 1]);
  });

  it.each([
    ["i32.store", 0x36, [0x41, 0x7f], 4],
    ["i64.store", 0x37, [0x42, 0x7f], 8],
    ["f32.store", 0x38, [0x43, 255, 255, 255, 255], 4],
    ["f64.store", 0x39, [0x44, 255, 255, 255, 255, 255, 255, 255, 255], 8],
    ["i32.store8", 0x3a, [0x41, 0x7f], 1],
    ["i32.store16", 0x3b, [0x41, 0x7f], 2],
    ["i64.store8", 0x3c, [0x42, 0x7f], 1],
    ["i64.store16", 0x3d, [0x42, 0x7f], 2],
    ["i64.store32", 0x3e, [0x42, 0x7f], 4],
  ])("marks the value type of %s and how far it writes", (_name, opcode, value, bytes) => {
    const tiny = startTiny(rewritten({ parameters: [I32], code: [0x20, 0, ...value, opcode, 0, 0] }));
    tiny.run(511);
    // Bytes in the next page are the mark's overhang.
    expect(tiny.marked()).toEqual([1]);
    expect(tiny.memory.findLastIndex((byte) => byte !== 0)).toBe(511 + bytes - 1);
  });

  it("keeps its locals separate from the function's own of the same type", () => {
    const tiny = startTiny(
      rewritten({
        parameters: [I32, I32],
        results: [I32],
        locals: [[1, I32]],
        // local 2 = p1; store p0 ← p1; return local 2 + p0
        code: [0x20, 1, 0x21, 2, 0x20, 0, 0x20, 1, 0x36, 2, 0, 0x20, 2, 0x20, 0, 0x6a],
      }),
    );
    expect(tiny.run(64, 7)).toBe(71);
  });

  it("marks a trapping store's page within the map, for any address", () => {
    const tiny = startTiny(rewritten({ parameters: [I32, I32], code: [0x20, 0, 0x20, 1, 0x36, 0, 0xff, 0xff, 0xff, 0xff, 0x0f] }));
    expect(() => tiny.run(-1, 5)).toThrow("memory access out of bounds");
    expect(() => tiny.run(0, 5)).toThrow("memory access out of bounds");
    expect(tiny.marked().every((page) => page < SHADOW.marksBytes)).toBe(true);
  });

  // memory.fill(p0, p1, p2)
  const FILL: TinyModule = { parameters: [I32, I32, I32], code: [0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 11, 0] };
  it.each([
    [0, 1, [0]],
    [255, 2, [0, 1]],
    [256, 256, [1]],
    [256, 257, [1, 2]],
    [0, 4 * 65_536, Array.from({ length: 1024 }, (_, page) => page)],
    [256, 0, []],
    [0, 0, []],
  ])("marks every page of a fill at %d of %d bytes", (address, length, pages) => {
    const tiny = startTiny(rewritten(FILL));
    tiny.run(address, 0xee, length);
    expect(tiny.marked()).toEqual(pages);
    expect(tiny.memory.filter((byte) => byte === 0xee).length).toBe(length);
  });

  it("terminates for a fill that wraps around", () => {
    const tiny = startTiny(rewritten(FILL));
    expect(() => tiny.run(-4096, 1, -1)).toThrow("memory access out of bounds");
    expect(() => tiny.run(4096, 1, -1)).toThrow("memory access out of bounds");
  });

  it("marks the destination of a copy, not its source", () => {
    const tiny = startTiny(rewritten({ parameters: [I32, I32, I32], code: [0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 10, 0, 0] }));
    tiny.memory[9000] = 42;
    tiny.run(20_000, 9000, 1);
    expect(tiny.marked()).toEqual([20_000 >> 8]);
    expect(tiny.memory[20_000]).toBe(42);
  });

  it("leaves code without writes unchanged", () => {
    const tiny = { parameters: [I32], results: [I32], code: [0x20, 0, 0x28, 2, 0] } as const;
    expect(bodiesOf(rewritten(tiny))[0]).toEqual(bodiesOf(tinyModule(tiny))[0]);
  });
});
