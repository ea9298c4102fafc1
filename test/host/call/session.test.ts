import { describe, expect, it } from "vitest";
import { createSession, createSlots, type SlotEntry } from "../../../host/call/session.ts";

const never = new AbortController().signal;

function entered(entry: SlotEntry): () => void {
  if (entry.kind !== "entered") throw new Error(entry.kind);
  return entry.leave;
}

describe("createSlots()", () => {
  it("runs as many calls as it has room for, and the rest in order of arrival [D4]", async () => {
    const slots = createSlots(1, 10);
    const order: number[] = [];
    const leave = entered(await slots.enter(never));
    const waiting = [1, 2, 3].map(async (number) => {
      const next = entered(await slots.enter(never));
      order.push(number);
      next();
    });
    expect(slots).toMatchObject({ running: 1, waiting: 3 });
    leave();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(slots).toMatchObject({ running: 0, waiting: 0 });
  });

  it("refuses calls above the queue's length [D4.queue]", async () => {
    const slots = createSlots(1, 2);
    await slots.enter(never);
    void slots.enter(never);
    void slots.enter(never);
    expect(await slots.enter(never)).toEqual({ kind: "overloaded", waiting: 2 });
  });

  it("frees a slot once, even if it is left repeatedly", async () => {
    const slots = createSlots(2, 0);
    const leave = entered(await slots.enter(never));
    await slots.enter(never);
    leave();
    leave();
    expect(slots.running).toBe(1);
  });

  it("forgets a cancelled waiter", async () => {
    const slots = createSlots(1, 2);
    const leave = entered(await slots.enter(never));
    const stop = new AbortController();
    const gaveUp = slots.enter(stop.signal);
    const waiting = slots.enter(never);
    stop.abort();
    expect(await gaveUp).toEqual({ kind: "cancelled" });
    leave();
    entered(await waiting)();
    expect(slots).toMatchObject({ running: 0, waiting: 0 });
    expect(await slots.enter(stop.signal)).toEqual({ kind: "cancelled" });
  });
});

describe("createSession()", () => {
  it("runs four calls at once and queues 64 by default [D4, T1]", async () => {
    const session = createSession({ id: "s", workspace: "/w" });
    expect(session).toMatchObject({ id: "s", workspace: "/w", concurrency: 4 });
    for (let call = 0; call < 68; call++) void session.slots.enter(never);
    expect(session.slots).toMatchObject({ running: 4, waiting: 64 });
    expect(await session.slots.enter(never)).toEqual({ kind: "overloaded", waiting: 64 });
  });
});
