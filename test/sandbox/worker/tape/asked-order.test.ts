import { describe, expect, it } from "vitest";
import { AskedOrder } from "../../../../sandbox/worker/tape/asked-order.ts";

function asked(...ids: readonly number[]): AskedOrder {
  const order = new AskedOrder();
  for (const [number, id] of ids.entries()) order.asked(number, id);
  return order;
}

const answer = (id: number): object => ({ kind: "answer", id, answer: `v${id}`, bytes: undefined });

describe("AskedOrder", () => {
  it("lets answers enter in the order of their requests [B6.order]", () => {
    const order = asked(7, 3, 5);
    order.arrived(5, "v5", undefined);
    order.arrived(3, "v3", undefined);
    expect(order.next(undefined)).toEqual({ kind: "later", hurryMs: 10_000 });
    order.arrived(7, "v7", undefined);
    expect([order.next(undefined), order.next(undefined), order.next(undefined)]).toEqual([answer(7), answer(3), answer(5)]);
    expect(order.next(undefined)).toEqual({ kind: "later" });
  });

  it("lets timers enter at once without pending requests, and due timers after a turn of the event loop [B6.timers]", () => {
    const order = asked();
    expect(order.next(5_000)).toEqual({ kind: "later", hurryMs: 0 });
    order.hurry();
    expect(order.next(5_000)).toEqual({ kind: "timers" });
    const busy = asked(1);
    busy.arrived(1, "v1", undefined);
    expect(busy.next(0)).toEqual({ kind: "later", hurryMs: 0 });
    busy.hurry();
    expect([busy.next(0), busy.next(5)]).toEqual([{ kind: "timers" }, answer(1)]);
  });

  it("lets other answers, then timers, go first if an answer does not arrive [B6.patience]", () => {
    const order = asked(1, 2, 3);
    order.arrived(3, "v3", undefined);
    expect(order.next(60_000)).toEqual({ kind: "later", hurryMs: 60_000 });
    order.hurry();
    expect(order.next(60_000)).toEqual(answer(3));
    expect(order.next(60_000)).toEqual({ kind: "later", hurryMs: 60_000 });
    order.hurry();
    expect(order.next(60_000)).toEqual({ kind: "timers" });
  });

  it("owns its bytes, because they arrive in lent memory [B6.bytes]", () => {
    const lent = new Uint8Array([1, 2]);
    const order = asked(1);
    order.arrived(1, "v", lent);
    lent.fill(9);
    expect(order.next(undefined)).toMatchObject({ bytes: new Uint8Array([1, 2]) });
  });
});
