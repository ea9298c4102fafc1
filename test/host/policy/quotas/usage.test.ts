import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageTable, UsageWindow } from "../../../../host/policy/quotas/usage.ts";
import "../../../support/seed.ts";

const WINDOW_MS = 1_000;
const SLICE_MS = WINDOW_MS / 32;

const steps = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 400 }), amount: fc.integer({ min: 1, max: 5 }) }), { maxLength: 60 });

describe("UsageWindow", () => {
  it("keeps all use within its window, and forgets it at most a slice later [D9.window]", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const window = new UsageWindow(WINDOW_MS);
        const added: { atMs: number; amount: number }[] = [];
        let nowMs = 0;
        for (const { afterMs, amount } of given) {
          nowMs += afterMs;
          const within = (ms: number): number => added.filter(({ atMs }) => atMs > nowMs - ms).reduce((sum, one) => sum + one.amount, 0);
          const used = window.used(nowMs);
          expect(used).toBeGreaterThanOrEqual(within(WINDOW_MS));
          expect(used).toBeLessThanOrEqual(within(WINDOW_MS + 2 * SLICE_MS));
          window.add(amount, nowMs);
          added.push({ atMs: nowMs, amount });
        }
      }),
    );
  });

  it("returns when use falls to an amount, neither early nor late [D9.frees]", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 20 }), (given, most) => {
        const window = new UsageWindow(WINDOW_MS);
        let nowMs = 0;
        for (const { afterMs, amount } of given) window.add(amount, (nowMs += afterMs));
        const inMs = window.fallsTo(most, nowMs);
        if (window.used(nowMs) <= most) {
          expect(inMs).toBe(0);
          return;
        }
        expect(inMs).toBeLessThanOrEqual(WINDOW_MS + SLICE_MS);
        const later = new UsageWindow(WINDOW_MS);
        let at = 0;
        for (const { afterMs, amount } of given) later.add(amount, (at += afterMs));
        expect(later.used(nowMs + inMs - 1)).toBeGreaterThan(most);
        expect(later.used(nowMs + inMs)).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("UsageTable", () => {
  it("keeps a bounded number of windows: drops empty ones first, then the least recently used [D9.bounded]", () => {
    const table = new UsageTable(3);
    for (const key of ["a", "b", "c"]) table.window(key, WINDOW_MS, 0).add(1, 0);
    table.window("a", WINDOW_MS, 0);
    table.window("d", WINDOW_MS, 0).add(1, 0);
    expect(table.size).toBe(3);
    expect(table.window("a", WINDOW_MS, 0).used(0)).toBe(1);
    table.window("e", WINDOW_MS, 2_000).add(1, 2_000);
    expect(table.size).toBe(1);
  });
});
