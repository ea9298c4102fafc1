import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import type { CallJob } from "../../../sandbox/pool/job.ts";
import { isOverdue, judgeCall, judgeEntry } from "../../../sandbox/pool/watchdog.ts";

/** A call that began at 0 with a wall limit of one second and a CPU limit of half a second. */
function job(fields: Partial<CallJob> = {}): CallJob {
  const invocation = { limits: { ...DEFAULT_LIMITS, wallMs: 1_000, cpuMs: 500 } };
  // The watchdog only reads times and limits.
  return {
    kind: "call",
    begunAt: 0,
    givenAt: 0,
    cancelBy: undefined,
    askingMs: 0,
    overdueMs: 0,
    invocation,
    ...fields,
  } as unknown as CallJob;
}

const METERED = { isMetered: true, harmsOthers: () => false };
const PLAIN = { isMetered: false, harmsOthers: () => false };

describe("judgeEntry()", () => {
  const stuck = { number: 1, enteredAt: 0, endBy: 500, lastPoll: 10 };

  it("ends the worker of a guest that does not poll, soon after its deadline [B3.kill]", () => {
    expect(judgeEntry(stuck, job(), 514, PLAIN)).toBeUndefined();
    expect(judgeEntry(stuck, job(), 515, PLAIN)).toEqual({ kind: "timeout", limit: "cpu", limitMs: 500 });
  });

  it("gives a guest that polled until its deadline time to get a processor", () => {
    const polling = { ...stuck, lastPoll: 495 };
    expect(judgeEntry(polling, job(), 535, PLAIN)).toBeUndefined();
    expect(judgeEntry(polling, job(), 536, PLAIN)).toEqual({ kind: "timeout", limit: "cpu", limitMs: 500 });
    // If native loops poll too, the guest can only be waiting for a processor.
    expect(judgeEntry(polling, job(), 1_000, METERED)).toBeUndefined();
    expect(judgeEntry(polling, job(), 1_001, METERED)).toEqual({ kind: "timeout", limit: "cpu", limitMs: 500 });
    expect(judgeEntry(stuck, job(), 541, METERED)).toEqual({ kind: "timeout", limit: "cpu", limitMs: 500 });
  });

  it("gives a worker time to get a processor if its end would lose other calls, in the host's own time [LV1.innocent, B10]", () => {
    for (const engine of [METERED, PLAIN]) {
      const around = { ...engine, harmsOthers: () => true };
      // However late by the clock, because the host gets no processor either.
      expect(judgeEntry(stuck, job({ overdueMs: 1_000 }), 20_000, around)).toBeUndefined();
      expect(judgeEntry(stuck, job({ overdueMs: 1_001 }), 20_000, around)).toEqual({ kind: "timeout", limit: "cpu", limitMs: 500 });
      const silent = { ...stuck, endBy: 5_000 };
      expect(judgeCall(job({ cancelBy: 300, overdueMs: 1_000 }), silent, 4_000, around)).toEqual({ kind: "stop" });
      expect(judgeCall(job({ cancelBy: 300, overdueMs: 1_001 }), silent, 4_000, around)).toEqual({
        kind: "kill",
        fault: { kind: "cancelled" },
      });
    }
  });

  it("counts a guest as overdue from its deadline, or from the end of a cancellation's grace period [B3.kill] [T3.grace]", () => {
    expect([500, 501].map((now) => isOverdue(job(), stuck, now))).toEqual([false, true]);
    expect([300, 301].map((now) => isOverdue(job({ cancelBy: 300 }), stuck, now))).toEqual([false, true]);
  });

  it("does not treat a guest that was just entered as polling, however short its limit [B3.kill]", () => {
    const short = { number: 1, enteredAt: 450, endBy: 500, lastPoll: 450 };
    expect(judgeEntry(short, job({ givenAt: 450, begunAt: 450 }), 515, PLAIN)).toBeDefined();
    // If native loops poll too, the guest has not had a processor yet.
    expect(judgeEntry(short, job({ givenAt: 450, begunAt: 450 }), 515, METERED)).toBeUndefined();
    expect(judgeEntry({ ...short, lastPoll: 451 }, job({ givenAt: 450, begunAt: 450 }), 515, PLAIN)).toBeUndefined();
  });

  it("reports which clock ran out, and that a cancelled call was cancelled", () => {
    expect(judgeEntry({ ...stuck, endBy: 1_000 }, job(), 1_100, PLAIN)).toEqual({ kind: "timeout", limit: "wall", limitMs: 1_000 });
    expect(judgeEntry(stuck, job({ cancelBy: 400 }), 600, PLAIN)).toEqual({ kind: "cancelled" });
  });
});

describe("judgeCall()", () => {
  it("ignores a call that has not started, however long it has waited [T2.start]", () => {
    expect(judgeCall(job({ begunAt: undefined }), undefined, 1e9, METERED)).toEqual({ kind: "fine" });
  });

  it("answers for a worker that lets the wall limit pass", () => {
    expect(judgeCall(job(), undefined, 1_030, METERED)).toEqual({ kind: "fine" });
    expect(judgeCall(job(), undefined, 1_031, METERED)).toEqual({
      kind: "answer",
      fault: { kind: "timeout", limit: "wall", limitMs: 1_000 },
    });
  });

  it("does not count the time spent waiting for a confirmation [E7.clock]", () => {
    const asked = job({ askingMs: 60_000 });
    expect(judgeCall(asked, undefined, 61_030, METERED)).toEqual({ kind: "fine" });
    expect(judgeCall(asked, undefined, 61_031, METERED)).toEqual({
      kind: "answer",
      fault: { kind: "timeout", limit: "wall", limitMs: 1_000 },
    });
  });

  it("stops a cancelled call after its grace period, then answers for it or ends its worker [T3.grace]", () => {
    const cancelled = job({ cancelBy: 300 });
    const silent = { number: 1, enteredAt: 0, endBy: 500, lastPoll: 10 };
    expect(judgeCall(cancelled, silent, 300, METERED)).toEqual({ kind: "fine" });
    expect(judgeCall(cancelled, silent, 301, METERED)).toEqual({ kind: "stop" });
    expect(judgeCall(cancelled, undefined, 331, METERED)).toEqual({ kind: "answer", fault: { kind: "cancelled" } });
    expect(judgeCall(cancelled, silent, 331, METERED)).toEqual({ kind: "kill", fault: { kind: "cancelled" } });
  });

  it("does not end the worker of a cancelled guest that polls, because it only waits for a processor [T3.grace] [B10]", () => {
    const cancelled = job({ cancelBy: 300 });
    const polling = { number: 1, enteredAt: 0, endBy: 500, lastPoll: 290 };
    expect(judgeCall(cancelled, polling, 331, METERED)).toEqual({ kind: "answer", fault: { kind: "cancelled" } });
    // Without metered native loops, the guest may be in a loop that never polls.
    expect(judgeCall(cancelled, polling, 331, PLAIN)).toEqual({ kind: "kill", fault: { kind: "cancelled" } });
  });
});
