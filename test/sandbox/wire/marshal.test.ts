import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nestsWithin, parseGuestJson } from "../../../sandbox/wire/marshal.ts";
import "../../support/seed.ts";

describe("nestsWithin()", () => {
  it("agrees with the depth of the parsed value [B5.depth]", () => {
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(6), (value, maximum) => {
        expect(nestsWithin(JSON.stringify(value), maximum)).toBe(depth(value) <= maximum);
      }),
    );
  });

  it("ignores brackets in strings", () => {
    expect(nestsWithin(String.raw`["[[[[\"[[["]`, 1)).toBe(true);
  });

  it("rejects a million brackets without recursion", () => {
    expect(parseGuestJson("[".repeat(1_000_000), 64)).toBeUndefined();
  });

  it("keeps `__proto__` as an own property", () => {
    const value = parseGuestJson(`{"__proto__": {"a": 1}}`, 4);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
