import { describe, expect, it } from "vitest";
import { TapeOrder } from "../../../../sandbox/worker/tape/tape-order.ts";
import { TIMERS } from "../../../../sandbox/wire/tape.ts";

describe("TapeOrder", () => {
  it("runs a recorded timer step although the guest waits for no timer: an answer had stopped the timer [B8.order]", () => {
    const order = new TapeOrder({ startMs: 0, looks: [], entries: [0, TIMERS], crypto: [] });
    order.asked(0, 5);
    expect(order.next()).toEqual({ kind: "later" });
    order.arrived(5, "vnull", undefined);
    expect([order.next(), order.next(), order.next()]).toEqual([
      { kind: "answer", id: 5, answer: "vnull", bytes: undefined },
      { kind: "timers" },
      { kind: "end", fault: { kind: "differs" } },
    ]);
  });
});
