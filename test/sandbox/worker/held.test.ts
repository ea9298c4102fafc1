import { describe, expect, it } from "vitest";
import { whoHoldsMost } from "../../../sandbox/worker/held.ts";

const MB = 1 << 20;
const holder = (digest: string, megabytes: number): { digest: string; heldBytes: number } => ({ digest, heldBytes: megabytes * MB });

describe("whoHoldsMost()", () => {
  it("returns the largest call of the plugin that holds most, not the largest of all [B3.held]", () => {
    const greedy = holder("many", 41);
    const many = Array.from({ length: 10 }, () => holder("many", 40));
    expect(whoHoldsMost([holder("one", 200), ...many, greedy, holder("two", 60)])).toBe(greedy);
    expect(whoHoldsMost([holder("one", 600), ...many.slice(0, 3)])).toEqual(holder("one", 600));
  });

  it("returns undefined for a single holder, because a call is within its own limit [B3.held]", () => {
    expect(whoHoldsMost([])).toBeUndefined();
    expect(whoHoldsMost([holder("one", 512), holder("two", 0)])).toBeUndefined();
  });
});
