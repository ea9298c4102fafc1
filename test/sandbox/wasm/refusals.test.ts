/** Valid modules that the rewriter must refuse, because it cannot know its effect on them. */

import { describe, expect, it } from "vitest";
import { WasmFormatError, Writer } from "../../../sandbox/wasm/binary.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { SECTION } from "../../../sandbox/wasm/sections.ts";
import { type TinyModule, tinyModule } from "./tiny-module.ts";

const I32 = 0x7f;
const V128 = 0x7b;
/** `(ref null func)`, the long form of `funcref`: two bytes, the second of which is also an instruction. */
const LONG_FUNCREF = [0x63, 0x70] as const;
const EVERYTHING = { barrier: true, meter: true, interpreter: false } as const;

/** A section with one entry. */
function one(...entry: readonly number[]): Uint8Array {
  return new Uint8Array([1, ...entry]);
}

/** Imports the memory `a.a` with the given limits, and other entries. */
function importing(limits: readonly number[], ...others: readonly number[][]): Uint8Array {
  const writer = new Writer().unsigned(1 + others.length);
  for (const other of others)
    writer
      .name("a")
      .name("b")
      .byte(...other);
  return writer
    .name("a")
    .name("a")
    .byte(2, ...limits).written;
}

const MEMORY = [1, 4, 16] as const;
/** Returns a body of the function `run` that begins with these locals. */
const body = (...bytes: readonly number[]): Uint8Array => one(bytes.length, ...bytes);

const MODULES: Readonly<Record<string, TinyModule>> = {
  "a vector instruction": { locals: [[1, V128]], code: [0x20, 0, 0x1a, 0xfd, 0x0c, ...Array<number>(16).fill(0), 0x1a] },
  "a local that is a vector": { locals: [[1, V128]], code: [] },
  "an atomic instruction": { code: [0xfe, 0x03, 0x00] },
  "a tail call, which may form a loop": { code: [0x12, 0] },
  "a local of a reference type of two bytes": { code: [], extra: new Map([[SECTION.code, body(1, 1, ...LONG_FUNCREF, 0x0b)]]) },
  "a block of a reference type of two bytes": { code: [0x02, ...LONG_FUNCREF, 0xd0, 0x70, 0x0b, 0x1a] },
  "a select of a reference type of two bytes": { code: [0xd0, 0x70, 0xd0, 0x70, 0x41, 0, 0x1c, 1, ...LONG_FUNCREF, 0x1a] },
  "a function of a reference type of two bytes": {
    code: [],
    extra: new Map([[SECTION.type, new Uint8Array([3, 0x60, 0, 0, 0x60, 1, I32, 0, 0x60, 1, ...LONG_FUNCREF, 0])]]),
  },
  "a structure type": { code: [], extra: new Map([[SECTION.type, new Uint8Array([2, 0x60, 0, 0, 0x5f, 0])]]) },
  "a table initialized with a function, whose index would be wrong": {
    code: [],
    extra: new Map([[SECTION.table, one(0x40, 0x00, 0x70, 0, 4, 0xd2, 0, 0x0b)]]),
  },
  "an imported table of a reference type of two bytes": {
    code: [],
    extra: new Map([[SECTION.import, importing(MEMORY, [1, ...LONG_FUNCREF, 0, 1])]]),
  },
  "a global that is a function": { code: [], extra: new Map([[SECTION.global, one(0x70, 0, 0xd2, 0, 0x0b)]]) },
  "a global that is computed": { code: [], extra: new Map([[SECTION.global, one(I32, 0, 0x41, 1, 0x41, 2, 0x6a, 0x0b)]]) },
  "an imported exception": { code: [], extra: new Map([[SECTION.import, importing(MEMORY, [4, 0, 0])]]) },
  "an exception that is caught": { code: [0x1f, 0x40, 0, 0x0b] },
  "elements that are expressions": {
    code: [],
    extra: new Map([
      [SECTION.table, one(0x70, 0, 4)],
      [SECTION.element, one(4, 0x41, 0, 0x0b, 1, 0xd2, 0, 0x0b)],
    ]),
  },
  "a shared memory": { code: [], extra: new Map([[SECTION.import, importing([3, 4, 16])]]) },
  "a 64-bit memory": { code: [], extra: new Map([[SECTION.import, importing([5, 4, 16])]]) },
  "two memories": { code: [], extra: new Map([[SECTION.import, importing(MEMORY, [2, ...MEMORY])]]) },
  "an export with a name of the rewriter": {
    code: [],
    extra: new Map([[SECTION.export, new Writer().unsigned(1).name("bascule:fuel").byte(0, 0).written]]),
  },
  "a function with the maximum number of locals": { locals: [[50_000, I32]], code: [0x41, 0, 0x41, 0, 0x36, 0, 0] },
};

describe("rewriteEngine() refuses", () => {
  it.each(Object.entries(MODULES))("%s", (_what, tiny) => {
    const bytes = tinyModule(tiny);
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(() => rewriteEngine(bytes, EVERYTHING)).toThrow(WasmFormatError);
  });

  it("an invalid module, however small the error", () => {
    const bytes = tinyModule({ code: [0x41, 0, 0x1a] });
    const custom = (...content: readonly number[]): Uint8Array => new Uint8Array([...bytes, 0, content.length, ...content]);
    expect(rewriteEngine(custom(1, 0x6e, 1, 2), EVERYTHING)).toEqual(rewriteEngine(bytes, EVERYTHING));
    // A section that the rewriter drops, with a name longer than the section.
    expect(() => rewriteEngine(custom(9, 0x6e), EVERYTHING)).toThrow(new WasmFormatError("Not a valid WebAssembly module"));
    expect(() => rewriteEngine(tinyModule({ code: [0x41, 0] }), EVERYTHING)).toThrow(WasmFormatError);
  });
});
