import { describe, expect, it } from "vitest";
import { createIdleLoop } from "../../../sandbox/worker/idle.ts";
import { BELL, CONTROL_BYTES, openControl } from "../../../sandbox/wire/protocol.ts";

/** A thread whose clock advances while it blocks and a little on every read, and whose event loop turns when the test calls it. */
function start(requests: number[]) {
  const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
  const state = {
    now: 0,
    served: [] as number[],
    blocked: [] as number[],
    planned: [] as (() => void)[],
    timers: [] as (() => void)[],
    delays: [] as number[],
  };
  let asynchronous = false;
  const idling = createIdleLoop(
    {
      control,
      now: () => (state.now += 0.001),
      block(_words, index, _value, timeoutMs) {
        expect(index).toBe(BELL);
        state.blocked.push(Math.round(timeoutMs));
        state.now += timeoutMs;
      },
      soon: (task) => void state.planned.push(task),
      after(delayMs, task) {
        state.delays.push(delayMs);
        state.timers.push(task);
        return () => void state.timers.splice(state.timers.indexOf(task), 1);
      },
    },
    () => {
      if (asynchronous) return "async";
      const request = requests.shift();
      if (request === undefined) return "idle";
      state.served.push(request);
      asynchronous = request < 0;
      state.now += Math.abs(request);
      return "served";
    },
    () => asynchronous,
  );
  async function turn(): Promise<void> {
    for (const task of state.planned.splice(0)) task();
    // The turn schedules the next one when it has ended.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { linger: idling, state, turn };
}

describe("createIdleLoop()", () => {
  it("serves pending requests, then sleeps on the bell for a while, then returns to the event loop", async () => {
    const { linger: idling, state, turn } = start([1, 2]);
    idling.begin();
    idling.begin();
    expect(state.planned).toHaveLength(1);
    await turn();
    expect(state).toMatchObject({ served: [1, 2], blocked: [20], planned: [] });
  });

  it("gives the event loop a turn between requests, however many there are", async () => {
    const { linger: idling, state, turn } = start([15, 15, 15]);
    idling.begin();
    await turn();
    expect(state).toMatchObject({ served: [15, 15], blocked: [] });
    await turn();
    expect(state.served).toEqual([15, 15, 15]);
  });

  it("sleeps until the next remaining timer, whatever was cancelled", async () => {
    const { linger: idling, state, turn } = start([]);
    idling.after(9, () => {});
    const cancel = idling.after(3, () => {});
    idling.after(6, () => {});
    cancel();
    idling.begin();
    await turn();
    expect(state.blocked).toEqual([6]);
  });

  it("limits delays that the runtime would fire at once with a warning, however long a guest wants to wait [B3.timers] [B3.logs]", async () => {
    const { linger: idling, state } = start([]);
    for (const delay of [2 ** 40, Infinity, -1e9, 5]) idling.after(delay, () => {});
    expect(state.delays).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 0, 5]);
  });

  it("gives the event loop a turn for a due timer, even with pending requests", async () => {
    const { linger: idling, state, turn } = start([2, 2, 2, 2]);
    idling.after(3, () => {});
    idling.begin();
    await turn();
    expect(state).toMatchObject({ served: [2, 2], blocked: [] });
    expect(state.planned).toHaveLength(1);
  });

  it("stops at a request that continues in promises", async () => {
    const { linger: idling, state, turn } = start([-1, 5]);
    idling.begin();
    await turn();
    expect(state).toMatchObject({ served: [-1], blocked: [], planned: [] });
  });

  it("sleeps at most until the next timer, and checks again after it", async () => {
    const { linger: idling, state, turn } = start([]);
    let ran = 0;
    idling.after(7, () => void ran++);
    const cancel = idling.after(3, () => void ran++);
    cancel();
    idling.begin();
    await turn();
    expect(state.blocked).toEqual([7]);
    for (const timer of state.timers.splice(0)) timer();
    expect(ran).toBe(1);
    await turn();
    expect(state.blocked).toEqual([7, 20]);
  });
});
