import { describe, expect, it } from "vitest";
import { isTape, TAPE_BOUNDS, type Tape } from "../../../sandbox/wire/tape.ts";

const TAPE: Tape = { startMs: 0, looks: [0, 1], entries: [-1, -2, 0], crypto: [{ operation: 0, answer: "v", bytes: new Uint8Array(1) }] };

describe("isTape()", () => {
  it("accepts a worker's tape", () => {
    expect(isTape(TAPE)).toBe(true);
    expect(isTape({ ...TAPE, stop: { fuel: 1, fault: { kind: "timeout", limit: "wall", limitMs: 1 } } })).toBe(true);
    expect(isTape({ ...TAPE, stop: { fuel: 0, fault: { kind: "cancelled" } } })).toBe(true);
  });

  it("rejects what a compromised worker may send instead [B8.hostile]", () => {
    const hole = Object.assign(
      Array.from({ length: 1 }, () => 0),
      { length: 3 },
    );
    const long = Array.from({ length: TAPE_BOUNDS.entries + 1 }, () => 0);
    const shared = new Uint8Array(new SharedArrayBuffer(1));
    const large = { operation: 0, answer: "x".repeat(TAPE_BOUNDS.cryptoBytes + 1) };
    const wrong = [
      ...[{ startMs: 0.5 }, { startMs: 1e17 }, { startMs: "0" }, { looks: undefined }, { looks: {} }, { looks: [-1] }, { looks: hole }],
      ...[{ entries: [-3] }, { entries: [1.5] }, { entries: hole }, { entries: long }, { looks: Array(TAPE_BOUNDS.looks + 1).fill(0) }],
      ...[{ crypto: [null] }, { crypto: [{ operation: 0 }] }, { crypto: [{ ...TAPE.crypto[0], bytes: [1] }] }, { crypto: [large] }],
      ...[{ crypto: [{ ...TAPE.crypto[0], bytes: shared }] }, { stop: {} }, { stop: { fuel: -1, fault: { kind: "cancelled" } } }],
      ...[{ stop: { fuel: 1, fault: { kind: "threw" } } }, { stop: { fuel: 1, fault: { kind: "timeout", limit: "other", limitMs: 1 } } }],
    ];
    for (const change of wrong) expect(isTape({ ...TAPE, ...change })).toBe(false);
    for (const value of [null, undefined, "too_long", [], 1]) expect(isTape(value)).toBe(false);
  });
});
