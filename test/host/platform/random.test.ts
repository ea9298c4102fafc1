import { describe, expect, it } from "vitest";
import { createUuidv7 } from "../../../host/platform/random.ts";

describe("createUuidv7()", () => {
  it("keeps its order when the clock stands still or goes back, also past 4,096 in a millisecond", () => {
    const times = [1_000, 1_000, 500, 2_000, 1_999];
    let at = 0;
    const next = createUuidv7({ now: () => times[Math.min(Math.floor(at++ / 3_000), 4)] ?? 0 }, (length) =>
      new Uint8Array(length).fill(0xff),
    );
    const ids = Array.from({ length: 15_000 }, next);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(15_000);
  });

  it("has time, version and variant where RFC 9562 wants them", () => {
    const next = createUuidv7({ now: () => 0x017f22e279b0 }, (length) => new Uint8Array(length));
    expect(next()).toBe("017f22e2-79b0-7000-8000-000000000000");
  });
});
