import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { nextPause, reconcile } from "../../../../host/plugins/folder/reconcile.ts";

describe("nextPause()", () => {
  it("is two seconds while a scan costs at most 8 ms [H3.reconcile]", () => {
    expect([nextPause([0]), nextPause([1]), nextPause([8])]).toEqual([2_000, 2_000, 2_000]);
  });

  it("grows so that scans take at most 0.4 % of the time, and 1 % of a core with their threads [H3.reconcile]", () => {
    expect([nextPause([50]), nextPause([400, 300, 350])]).toEqual([12_500, 75_000]);
  });

  it("ignores one slow scan [H3.reconcile]", () => {
    expect([nextPause([3, 90_000]), nextPause([90_000])]).toEqual([2_000, 600_000]);
  });
});

describe("reconcile()", () => {
  it("continues after a failed scan, and stops with the signal [H3.reconcile]", async () => {
    const { clock, advance } = createMemoryPlatform();
    const stop = new AbortController();
    const defects: unknown[] = [];
    let looks = 0;
    const ended = reconcile({
      ...{ clock, signal: stop.signal, costMs: 0, isReplaced: () => Promise.resolve(false) },
      look: () => (++looks === 1 ? Promise.reject(new Error("disk on fire")) : Promise.resolve()),
      onDefect: (defect) => void defects.push(defect),
    });
    for (let second = 0; second < 7; second++) {
      advance(1_000);
      // The loop continues in microtasks.
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
    }
    stop.abort();
    await ended;
    advance(10_000);
    expect({ looks, defects }).toEqual({ looks: 3, defects: [new Error("disk on fire")] });
  });

  it("counts the cost of the scan before it, so thousands of plugins are not scanned again at once [H3.reconcile]", async () => {
    const { clock, advance } = createMemoryPlatform();
    const stop = new AbortController();
    let looks = 0;
    const ended = reconcile({
      ...{ clock, signal: stop.signal, costMs: 20, isReplaced: () => Promise.resolve(false) },
      look: () => (looks++, Promise.resolve()),
      onDefect: (defect) => expect.unreachable(String(defect)),
    });
    const seen: number[] = [];
    for (let half = 0; half < 12; half++) {
      advance(500);
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
      if (half % 2 === 1) seen.push(looks);
    }
    stop.abort();
    await ended;
    expect(seen).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it("scans at once when a root is another folder, however long the pause is [H9.replacedRoot] [H3.reconcile]", async () => {
    const { clock, advance } = createMemoryPlatform();
    const stop = new AbortController();
    const defects: unknown[] = [];
    let [looks, answers] = [0, 0];
    let answer = (): Promise<boolean> => Promise.resolve(false);
    const ended = reconcile({
      ...{ clock, signal: stop.signal, costMs: 300, isReplaced: () => (answers++, answer()) },
      look: () => (looks++, advance(300), Promise.resolve()),
      onDefect: (defect) => void defects.push(defect),
    });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 100) {
        advance(100);
        for (let turn = 0; turn < 40; turn++) await Promise.resolve();
      }
    };
    // The scan before cost 300 ms, so the next one would come after 75 s.
    await pass(4_000);
    answer = () => Promise.reject(new Error("disk on fire"));
    await pass(600);
    expect({ looks, defects }).toEqual({ looks: 0, defects: [new Error("disk on fire")] });
    answer = () => Promise.resolve(true);
    await pass(500);
    expect(looks).toBe(1);
    answer = () => Promise.resolve(false);
    const before = answers;
    await pass(5_000);
    expect([looks, answers - before]).toEqual([1, 10]);
    stop.abort();
    await ended;
  });
});
