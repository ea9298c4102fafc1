import { describe, expect, it } from "vitest";
import { mark, PAGE_BYTES, markingImports } from "../../../sandbox/engine/marks.ts";

function pages(marks: Uint8Array): number[] {
  return [...marks.entries()].flatMap(([page, value]) => (value === 0 ? [] : [page]));
}

describe("mark()", () => {
  it.each([
    [0, 1, [0]],
    [PAGE_BYTES - 1, 1, [0]],
    [PAGE_BYTES - 1, 2, [0, 1]],
    [PAGE_BYTES, 2 * PAGE_BYTES, [1, 2]],
    [2 ** 32 - 1, 1, []],
  ])("marks the pages of a write at %d of %d bytes, and none outside the map", (address, length, expected) => {
    const marks = new Uint8Array(8);
    mark(marks, address, length);
    expect(pages(marks)).toEqual(expected);
  });
});

describe("markingImports()", () => {
  it("marks memory behind every numeric argument before the import runs, even if it throws [B1.memory]", () => {
    const written: number[] = [];
    const calls: unknown[][] = [];
    const { give, fail, memory } = markingImports(
      {
        give: (...args) => calls.push(args),
        fail() {
          throw new Error("no");
        },
        memory: 7,
      },
      (address, length) => written.push(address, length),
    );
    if (typeof give !== "function" || typeof fail !== "function") throw new Error("Expected functions");
    expect(give(5_000, -1)).toBe(1);
    expect(() => fail(9)).toThrow("no");
    expect(memory).toBe(7);
    expect(calls).toEqual([[5_000, -1]]);
    expect(written).toEqual([5_000, 512, 0xffff_ffff, 512, 9, 512]);
  });
});
