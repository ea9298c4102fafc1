import { describe, expect, it } from "vitest";
import { WasmFormatError } from "../../../sandbox/wasm/binary.ts";
import { withInitialMemory } from "../../../sandbox/wasm/memory.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { parseSections, SECTION } from "../../../sandbox/wasm/sections.ts";
import { startTiny, tinyModule } from "./tiny-module.ts";

/** memory.size */
const SIZE = tinyModule({ results: [0x7f], note: true, code: [0x3f, 0] });

describe("withInitialMemory()", () => {
  it("lets a module start with less memory", () => {
    expect(() => startTiny(SIZE, undefined, 2)).toThrow("memory import");
    const smaller = rewriteEngine(SIZE, { barrier: false, meter: false, initialMemoryPages: 2 });
    expect(startTiny(smaller, undefined, 2).run()).toBe(2);
  });

  it("changes only the minimum", () => {
    const before = parseSections(SIZE).get(SECTION.import) ?? new Uint8Array();
    const after = withInitialMemory(parseSections(SIZE), 2);
    expect(after.length).toBe(before.length);
    expect([...after].flatMap((byte, index) => (byte === before[index] ? [] : [[before[index], byte]]))).toEqual([[4, 2]]);
  });

  it("refuses to increase the minimum", () => {
    expect(() => withInitialMemory(parseSections(SIZE), 5)).toThrow(WasmFormatError);
  });

  it("refuses a module that defines a memory, and one without memory", () => {
    const own = tinyModule({ code: [], extra: new Map([[SECTION.memory, new Uint8Array([1, 0, 1])]]) });
    const none = tinyModule({ code: [], extra: new Map([[SECTION.import, new Uint8Array([0])]]) });
    for (const bytes of [own, none]) {
      expect(() => withInitialMemory(parseSections(bytes), 1)).toThrow(WasmFormatError);
      expect(() => rewriteEngine(bytes, { barrier: true, meter: false })).toThrow(WasmFormatError);
    }
  });
});
