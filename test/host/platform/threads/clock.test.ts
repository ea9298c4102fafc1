import { describe, expect, it } from "vitest";
import { createClock } from "../../../../host/platform/threads/clock.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

describe("createClock()", () => {
  it("calls a task once unless it is cancelled", async () => {
    const clock = createClock();
    const seen: string[] = [];
    clock.after(5, () => seen.push("five"));
    clock.after(1, () => seen.push("never"))();
    clock.after(2 ** 40, () => seen.push("in 34 years, not at once"));
    const before = clock.monotonic();
    await expect.poll(() => seen).toEqual(["five"]);
    expect(clock.monotonic()).toBeGreaterThan(before);
  });
});

describe("the memory platform's clock", () => {
  it("moves only when advanced and runs timers in order", () => {
    const { clock, advance } = memoryPlatform();
    const seen: unknown[] = [];
    const start = clock.now();
    clock.after(20, () => seen.push(["b", clock.now() - start]));
    clock.after(10, () => {
      seen.push(["a", clock.now() - start]);
      clock.after(5, () => seen.push(["nested", clock.now() - start]));
    });
    clock.after(15, () => seen.push("cancelled"))();
    advance(9);
    expect(seen).toEqual([]);
    advance(11);
    expect(seen).toEqual([
      ["a", 10],
      ["nested", 15],
      ["b", 20],
    ]);
  });
});
