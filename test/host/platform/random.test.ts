import { describe, expect, it } from "vitest";
import { createRandom, createUuidv7 } from "../../../host/platform/random.ts";

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("createUuidv7()", () => {
  it("keeps its order when the clock stops or goes back, also past 4,096 identifiers in a millisecond", () => {
    const times = [1_000, 1_000, 500, 2_000, 1_999];
    let at = 0;
    const next = createUuidv7({ now: () => times[Math.min(Math.floor(at++ / 3_000), 4)] ?? 0 }, (bytes) => void bytes.fill(0xff));
    const ids = Array.from({ length: 15_000 }, next);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(15_000);
  });

  it("places time, version and variant as RFC 9562 requires", () => {
    const next = createUuidv7({ now: () => 0x017f22e279b0 }, (bytes) => void bytes.fill(0));
    expect(next()).toBe("017f22e2-79b0-7000-8000-000000000000");
  });

  it("uses each random byte and requests new ones each time", () => {
    let filled = 0;
    const next = createUuidv7({ now: () => 0x017f22e279b0 }, (bytes) => {
      filled += 1;
      bytes.forEach((_, index) => (bytes[index] = filled * 0x10 + index));
    });
    expect([next(), next()]).toEqual(["017f22e2-79b0-7011-9213-141516171819", "017f22e2-79b0-7012-a223-242526272829"]);
  });
});

describe("createRandom()", () => {
  it("creates valid, ordered identifiers with different random parts", () => {
    const { uuidv7 } = createRandom({ now: () => Date.now() });
    const ids = Array.from({ length: 10_000 }, uuidv7);
    expect(ids.filter((id) => !UUIDV7.test(id))).toEqual([]);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(10_000);
  });
});
