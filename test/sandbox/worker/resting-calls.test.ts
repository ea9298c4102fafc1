import { describe, expect, it } from "vitest";
import { claimResting, type CallState, type RestingCall } from "../../../sandbox/wire/resting-call.ts";
import type { ParkedGuest } from "../../../sandbox/image/parked.ts";
import type { Lease } from "../../../sandbox/worker/lease.ts";
import type { WorkerMessage } from "../../../sandbox/wire/protocol.ts";
import { RestingCalls, type Waiter } from "../../../sandbox/worker/resting-calls.ts";

const STATE = { answers: 3 } as CallState;

/** A worker whose clock the test controls. Copying a call out takes `costMs`. */
function worker({ costMs = 0, bytes = 1_000 } = {}) {
  let now = 0;
  const due: { at: number; task: () => void }[] = [];
  const said: { number: number; call: RestingCall }[] = [];
  const calls = new RestingCalls({
    now: () => now,
    after(delayMs, task) {
      due.push({ at: now + delayMs, task });
      return () => {};
    },
    post: (message: WorkerMessage) => void (message.type === "rests" && said.push(message)),
    flush: () => {},
    instances: () => ({
      copyOut(_lease, room) {
        now += costMs;
        const contents = room(bytes);
        return contents && ({ contents } as ParkedGuest);
      },
    }),
  });
  return {
    calls,
    said,
    pass(ms: number) {
      now += ms;
      for (const { task } of due.splice(0)) task();
    },
  };
}

function waiter(number: number, state: CallState | undefined = STATE): Waiter {
  return { number, lease: {} as Lease, state: () => state };
}

describe("RestingCalls", () => {
  it("ignores short waits, and lays out longer ones once [LV4.moves]", () => {
    const { calls, said, pass } = worker();
    const [brief, long] = [waiter(1), waiter(2)];
    calls.rests(brief);
    calls.rests(long);
    pass(10);
    expect(calls.takeUp(brief)).toBe(true);
    calls.rests(brief);
    pass(10);
    expect(said.map(({ number }) => number)).toEqual([2]);
    pass(10);
    pass(10);
    expect(said.map(({ number }) => number)).toEqual([2, 1]);
  });

  it("gives a call to the worker or to the host, never to both [B10.moves]", () => {
    const { calls, said, pass } = worker();
    for (const taker of ["worker", "host"] as const) {
      const call = waiter(1);
      calls.rests(call);
      pass(10);
      pass(10);
      const laid = said.pop()?.call;
      expect(laid?.state).toBe(STATE);
      const claimed = taker === "host" && laid !== undefined && claimResting(laid);
      expect(claimed).toBe(taker === "host");
      expect(calls.takeUp(call)).toBe(taker === "worker");
      expect(laid && claimResting(laid)).toBe(false);
    }
  });

  it("reuses the memory of a call that has resumed, and never that of a call that the host has claimed [B2.parked]", () => {
    const { calls, said, pass } = worker();
    const lay = (number: number): { readonly call: Waiter; readonly laid: RestingCall | undefined } => {
      const call = waiter(number);
      calls.rests(call);
      pass(10);
      pass(10);
      return { call, laid: said.pop()?.call };
    };
    const first = lay(1);
    calls.takeUp(first.call);
    const second = lay(2);
    expect(second.laid?.guest.contents.buffer).toBe(first.laid?.guest.contents.buffer);
    // The second call uses this memory now, so the first cannot be claimed.
    expect(first.laid && claimResting(first.laid)).toBe(false);
    expect(second.laid && claimResting(second.laid)).toBe(true);
    calls.takeUp(second.call);
    expect(lay(3).laid?.guest.contents.buffer).not.toBe(second.laid?.guest.contents.buffer);
  });

  it("uses at most 2 ms of its thread at once, and skips calls that are too large or bound to the worker [LV1.turn]", () => {
    const slow = worker({ costMs: 1 });
    for (let number = 1; number <= 5; number++) slow.calls.rests(waiter(number));
    slow.pass(10);
    slow.pass(10);
    expect(slow.said).toHaveLength(2);
    slow.pass(10);
    slow.pass(10);
    expect(slow.said).toHaveLength(5);
    const large = worker({ bytes: 5 * 1024 * 1024 });
    large.calls.rests(waiter(1));
    const own = waiter(2, undefined);
    const { calls, said, pass } = worker();
    calls.rests({ ...own, state: () => undefined });
    for (let look = 0; look < 3; look++) {
      large.pass(10);
      pass(10);
    }
    expect([large.said, said]).toEqual([[], []]);
  });
});
