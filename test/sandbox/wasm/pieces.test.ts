import { describe, expect, it } from "vitest";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { type RunningTiny, startTiny, type TinyModule, tinyModule } from "./tiny-module.ts";

const I32 = 0x7f;
const OPERANDS = [0x20, 0, 0x20, 1, 0x20, 2] as const;
const COPY: TinyModule = { parameters: [I32, I32, I32], code: [...OPERANDS, 0xfc, 10, 0, 0] };
const FILL: TinyModule = { parameters: [I32, I32, I32], code: [...OPERANDS, 0xfc, 11, 0] };
const PIECE = 128;
const MEMORY = 4 * 65_536;

/** Each tick refills one portion, and records how much of the memory is written. */
function start(tiny: TinyModule, onTick: () => void = () => {}): RunningTiny {
  const running = startTiny(rewriteEngine(tinyModule(tiny), { barrier: true, meter: true, interpreter: false, pieceBytes: PIECE }), () => {
    onTick();
    if (running.fuel !== undefined) running.fuel.value = 2;
  });
  if (running.fuel !== undefined) running.fuel.value = 2;
  for (let address = 0; address < MEMORY; address++) running.memory[address] = address % 251;
  return running;
}

describe("long bulk operations", () => {
  it.each([
    [5_000, 9_000, 2_000],
    [5_000, 5_001, 2_000],
    [5_001, 5_000, 2_000],
    [5_000, 5_000, 2_000],
    [5_000, 6_000, 1_024],
    [6_000, 5_000, PIECE + 1],
    [5_000, 5_100, PIECE],
    [0, MEMORY - 3_000, 3_000],
    [MEMORY - 3_000, 0, 3_000],
    [1, 0, MEMORY - 1],
    [0, 1, MEMORY - 1],
    [MEMORY, MEMORY, 0],
  ])("copy to %d from %d %d bytes with the same result as a single operation", (to, from, length) => {
    const running = start(COPY);
    const expected = running.memory.slice().copyWithin(to, from, from + length);
    running.run(to, from, length);
    expect(Buffer.compare(running.memory, expected)).toBe(0);
  });

  it("fill with the same result as a single operation", () => {
    const running = start(FILL);
    const expected = running.memory.slice().fill(0xee, 100, 100 + 1_111);
    running.run(100, 0xee, 1_111);
    expect(Buffer.compare(running.memory, expected)).toBe(0);
  });

  it.each([
    ["a copy to", COPY, [MEMORY - 999, 0, 1_000]],
    ["a copy from", COPY, [0, MEMORY - 999, 1_000]],
    ["a copy that wraps around", COPY, [-4_096, 0, 8_192]],
    ["a fill", FILL, [MEMORY - 999, 1, 1_000]],
    ["a fill that wraps around", FILL, [4_096, 1, -1]],
  ])("%s outside of memory traps before anything is written", (_what, tiny, operands) => {
    const running = start(tiny);
    const before = running.memory.slice();
    expect(() => running.run(...operands)).toThrow("memory access out of bounds");
    expect(Buffer.compare(running.memory, before)).toBe(0);
  });

  it("can be ended by the host midway, with all writes marked [B3.native]", () => {
    let ticks = 0;
    const running = start(FILL, () => {
      if (++ticks === 4) throw new Error("Enough");
    });
    expect(() => running.run(1_024, 0xee, 64 * 1_024)).toThrow("Enough");
    const written = running.memory.subarray(1_024).findIndex((byte) => byte !== 0xee);
    expect(written).toBe(3 * PIECE);
    expect(running.marked()).toContain((1_024 + written - 1) >> 8);
  });

  it("cost the same in pieces as whole", () => {
    for (const length of [PIECE - 1, PIECE, PIECE + 63, PIECE + 64, 10 * PIECE + 127]) {
      let used = 0;
      const running = startTiny(
        rewriteEngine(tinyModule(FILL), { barrier: false, meter: true, interpreter: false, pieceBytes: PIECE }),
        () => {
          used += 1_000_000;
        },
      );
      if (running.fuel !== undefined) running.fuel.value = 1_000;
      running.run(0, 1, length);
      expect([length, used, 1_000 - (running.fuel?.value ?? 0)]).toEqual([length, 0, length >> 6]);
    }
  });
});
