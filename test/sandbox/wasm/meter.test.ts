import { describe, expect, it } from "vitest";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { WasmFormatError } from "../../../sandbox/wasm/binary.ts";
import { startTiny, type TinyModule, tinyModule } from "./tiny-module.ts";

const I32 = 0x7f;

function metered(tiny: TinyModule): Uint8Array {
  const bytes = rewriteEngine(tinyModule(tiny), { barrier: false, meter: true, interpreter: false });
  expect(WebAssembly.validate(bytes)).toBe(true);
  return bytes;
}

/** loop: p0 = p0 - 1; br_if p0 */
const ROUNDS: TinyModule = { parameters: [I32], code: [0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b] };

describe("the meter", () => {
  it("takes one unit for each iteration of a loop, in the code and in the counter", () => {
    const tiny = startTiny(metered(ROUNDS));
    if (tiny.fuel !== undefined) tiny.fuel.value = 1_000;
    tiny.run(300);
    expect(tiny.fuel?.value).toBe(700);
  });

  it("calls the host when fuel runs out, and continues when the host refills it", () => {
    let ticks = 0;
    const tiny = startTiny(metered(ROUNDS), () => {
      ticks++;
      if (tiny.fuel !== undefined) tiny.fuel.value = 100;
    });
    if (tiny.fuel !== undefined) tiny.fuel.value = 100;
    tiny.run(1_000);
    expect(ticks).toBe(10);
  });

  it("lets the host end an infinite loop by throwing", () => {
    const tiny = startTiny(metered({ code: [0x03, 0x40, 0x0c, 0, 0x0b] }), () => {
      throw new Error("Enough");
    });
    expect(() => tiny.run()).toThrow("Enough");
  });

  it("charges bulk operations one unit per 64 bytes, before they run", () => {
    const fill: TinyModule = { parameters: [I32, I32, I32], code: [0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 11, 0] };
    const tiny = startTiny(metered(fill), () => {
      throw new Error("Enough");
    });
    if (tiny.fuel !== undefined) tiny.fuel.value = 1_000;
    tiny.run(0, 7, 640);
    expect(tiny.fuel?.value).toBe(990);
    if (tiny.fuel !== undefined) tiny.fuel.value = 10;
    expect(() => tiny.run(1_000, 9, 100_000)).toThrow("Enough");
    expect(tiny.memory.includes(9)).toBe(false);
  });

  it("counts nested loops separately", () => {
    // p0 times: local 1 = 10; loop 10 times
    const code = [0x03, 0x40, 0x41, 10, 0x21, 1, 0x03, 0x40, 0x20, 1, 0x41, 1, 0x6b, 0x22, 1, 0x0d, 0, 0x0b];
    const tiny = startTiny(
      metered({ parameters: [I32], locals: [[1, I32]], code: [...code, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b] }),
    );
    if (tiny.fuel !== undefined) tiny.fuel.value = 1_000;
    tiny.run(5);
    expect(tiny.fuel?.value).toBe(1_000 - 5 - 50);
  });

  it("renumbers functions in calls and exports", () => {
    // note(p0), then itself with p0 - 1 until it is zero
    const code = [0x20, 0, 0x10, 0, 0x20, 0, 0x45, 0x04, 0x40, 0x0f, 0x0b, 0x20, 0, 0x41, 1, 0x6b, 0x10, 1];
    const tiny = startTiny(metered({ parameters: [I32], note: true, code }));
    tiny.run(3);
    expect(tiny.notes).toEqual([3, 2, 1, 0]);
  });

  it("does not meter loops around an interpreter's dispatch, but those inside it", () => {
    // block { loop { loop { p0 = p0 - 1; br_if p0 } block { br_table, out of the outermost block } } }
    const dispatch = [0x20, 0, 0x0e, 0xc9, 0x01, ...Array<number>(201).fill(2), 2];
    const inner = [0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b];
    const code = [0x02, 0x40, 0x03, 0x40, ...inner, 0x02, 0x40, ...dispatch, 0x0b, 0x0b, 0x0b];
    const tiny = startTiny(rewriteEngine(tinyModule({ parameters: [I32], code }), { barrier: false, meter: true }));
    if (tiny.fuel !== undefined) tiny.fuel.value = 100;
    tiny.run(6);
    expect(tiny.fuel?.value).toBe(94);
  });

  it("refuses a module without exactly one interpreter", () => {
    expect(() => rewriteEngine(tinyModule(ROUNDS), { barrier: false, meter: true })).toThrow(
      new WasmFormatError("The module has 0 interpreters instead of one; this is not the known engine"),
    );
  });
});
