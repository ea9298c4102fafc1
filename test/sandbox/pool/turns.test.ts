import { describe, expect, it } from "vitest";
import { createTurns } from "../../../sandbox/pool/turns.ts";

describe("createTurns()", () => {
  it("limits concurrent tasks, runs the others in order, and returns every task's outcome", async () => {
    const takeTurn = createTurns(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const tasks = [0, 1, 2, 3].map((number) =>
      takeTurn(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (number === 1) throw new Error("one");
        return number;
      }),
    );
    const outcomes = Promise.allSettled(tasks);
    for (let end = 0; end < 4; end++) {
      await expect.poll(() => ends.length).toBeGreaterThan(end);
      expect(begun.length).toBeLessThanOrEqual(end + 2);
      ends[end]?.();
    }
    expect(begun).toEqual([0, 1, 2, 3]);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  });
});
