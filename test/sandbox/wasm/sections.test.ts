import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Reader, WasmFormatError, Writer } from "../../../sandbox/wasm/binary.ts";
import { appendEntry, assembleSections, parseSections, readEntries, SECTION } from "../../../sandbox/wasm/sections.ts";
import { tinyModule } from "./tiny-module.ts";

describe("parseSections()", () => {
  it("splits what assembleSections() assembled", () => {
    const bytes = tinyModule({ code: [] });
    expect(assembleSections(parseSections(bytes))).toEqual(bytes);
  });

  it("drops custom sections, which may describe the original code", () => {
    const bytes = tinyModule({ code: [] });
    const custom = new Writer().byte(0).sized(new Writer().name("name").byte(1, 2, 3).written).written;
    expect(assembleSections(parseSections(new Uint8Array([...bytes, ...custom])))).toEqual(bytes);
  });

  it.each([
    ["no module", [1, 2, 3, 4, 1, 0, 0, 0]],
    ["another version", [0, 0x61, 0x73, 0x6d, 2, 0, 0, 0]],
    ["an unknown section", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 42, 0]],
    ["a section twice", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0]],
    ["a section that is cut off", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 9, 0]],
  ])("refuses %s", (_what, bytes) => {
    expect(() => parseSections(new Uint8Array(bytes))).toThrow(WasmFormatError);
  });

  it("returns sections or throws a format error for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => {
        const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...tail]);
        try {
          parseSections(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WasmFormatError);
        }
      }),
    );
  });
});

describe("appendEntry()", () => {
  it("appends to a vector, returns the index, and creates a missing section", () => {
    const sections = new Map<number, Uint8Array>([[SECTION.function, new Uint8Array([2, 7, 8])]]);
    expect(appendEntry(sections, SECTION.function, new Uint8Array([9]))).toBe(2);
    expect(readEntries(sections, SECTION.function, (reader) => reader.byte())).toEqual([7, 8, 9]);
    expect(appendEntry(sections, SECTION.memory, new Uint8Array([0, 1]))).toBe(0);
    expect(sections.get(SECTION.memory)).toEqual(new Uint8Array([1, 0, 1]));
  });
});

describe("readEntries()", () => {
  it("rejects a section that is longer than its entries", () => {
    expect(() => readEntries(new Map([[3, new Uint8Array([1, 0, 0])]]), 3, (reader: Reader) => reader.byte())).toThrow(WasmFormatError);
  });
});
