import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InFlight } from "../../../sandbox/wire/in-flight.ts";

type Step = readonly ["set" | "delete", number];

/** A few distinct keys, many of them with the same home position in a small table. */
const KEY = fc.oneof(
  fc.nat(40),
  fc.nat(40).map((n) => n * 64),
  fc.constantFrom(0x7fff_ffff, 0x7fff_fffe, 1),
);
const STEPS = fc.array(fc.tuple(fc.constantFrom<Step[0]>("set", "set", "delete"), KEY), { maxLength: 400 });

describe("InFlight", () => {
  it("holds the same entries as a Map after the same steps", () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const map = new Map<number, { readonly step: number }>();
        const flight = new InFlight<{ readonly step: number }>();
        for (const [step, [act, key]] of steps.entries()) {
          if (act === "set") {
            const value = { step };
            map.set(key, value);
            flight.set(key, value);
          } else expect(flight.delete(key)).toBe(map.delete(key));
          expect(flight.size).toBe(map.size);
        }
        for (const [, key] of steps) expect([flight.get(key), flight.has(key)]).toEqual([map.get(key), map.has(key)]);
        expect(new Set(flight.keys())).toEqual(new Set(map.keys()));
        expect(new Set(flight.values())).toEqual(new Set(map.values()));
      }),
    );
  });

  it("keeps long-lived entries while thousands come and go", () => {
    const flight = new InFlight<{ readonly key: number }>();
    for (let key = 1; key <= 20_000; key++) {
      flight.set(key, { key });
      if (key > 32 && (key - 32) % 1_000 !== 0) flight.delete(key - 32);
    }
    expect(flight.get(3_000)).toEqual({ key: 3_000 });
    expect(flight.size).toBe(32 + 19);
  });
});
