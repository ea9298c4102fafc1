import { describe, expect, it } from "vitest";
import { Patience } from "../../../sandbox/worker/patience.ts";
import { createSleep } from "../../../sandbox/worker/linger.ts";
import { ASLEEP, BELL, CONTROL_BYTES, openControl } from "../../../sandbox/worker/protocol.ts";
import { StayAwake } from "../../../sandbox/worker/stay-awake.ts";

describe("Patience", () => {
  it("passes over ever more waits the more were in vain, and fewer again once one was not", () => {
    const patience = new Patience();
    const passedOver = (): number => {
      let count = 0;
      while (!patience.isWorthwhile()) count++;
      return count;
    };
    const inVain = Array.from({ length: 8 }, () => {
      patience.stayedAway();
      return passedOver();
    });
    expect(inVain).toEqual([1, 3, 7, 15, 31, 63, 63, 63]);
    patience.came();
    patience.stayedAway();
    expect(passedOver()).toBe(63);
    for (let time = 0; time < 6; time++) patience.came();
    expect(passedOver()).toBe(0);
  });
});

describe("StayAwake", () => {
  /** An event loop whose clock moves by a hundredth of a millisecond at each turn. */
  function start() {
    const planned: (() => void)[] = [];
    const state = { now: 0, isOwed: true };
    const awake = new StayAwake({ now: () => state.now, soon: (task) => void planned.push(task) }, () => state.isOwed);
    /** Turns until nothing is planned, or so often. */
    const turn = (most = 1_000): number => {
      let turns = 0;
      for (; turns < most && planned.length > 0; turns++) {
        state.now += 0.01;
        planned.shift()?.();
      }
      return turns;
    };
    return { awake, state, turn };
  }

  it("turns the event loop until the worker has nothing left to answer", () => {
    const { awake, state, turn } = start();
    awake.expect();
    awake.expect();
    expect(turn(3)).toBe(3);
    awake.heard();
    state.isOwed = false;
    expect(turn()).toBe(1);
    awake.expect();
    expect(turn()).toBe(1);
  });

  it("waits longer where the worker has much to copy first", () => {
    const turns = [0, 1_000_000].map((bytes) => {
      const { awake, turn } = start();
      awake.expect(bytes);
      return turn();
    });
    expect(turns).toEqual([7, 32]);
  });

  it("falls asleep where no answer comes, and tries less and less often then", () => {
    const { awake, turn } = start();
    const turns = Array.from({ length: 7 }, () => {
      awake.expect();
      return turn() > 0;
    });
    expect(turns).toEqual([true, false, true, false, false, false, true]);
  });

  it("waits anew from each thing that the worker is given", () => {
    const { awake, turn } = start();
    awake.expect();
    const alone = turn();
    const second = start();
    second.awake.expect();
    expect(second.turn(4)).toBe(4);
    second.awake.expect();
    expect(4 + second.turn()).toBeGreaterThan(alone);
  });

  it("does nothing where the runtime has no such turn", () => {
    expect(() => new StayAwake({ now: () => 0 }, () => true).expect()).not.toThrow();
  });
});

describe("createSleep()", () => {
  function start(ringAt: number) {
    const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
    const state = { now: 0, blocked: [] as number[], sleptWhileAsleep: true };
    const sleep = createSleep({
      control,
      now() {
        state.now += 0.01;
        if (state.now >= ringAt) Atomics.store(control.words, BELL, 1);
        return state.now;
      },
      block(...[, , , timeoutMs]) {
        state.blocked.push(timeoutMs);
        state.sleptWhileAsleep &&= Atomics.load(control.words, ASLEEP) === 1;
      },
    });
    return { sleep, state };
  }

  it("stays awake first, and does not sleep if the bell is rung meanwhile", () => {
    const { sleep, state } = start(0.03);
    sleep(0, 20);
    expect(state.blocked).toEqual([]);
  });

  it("sleeps where it is not, at once after that was so, and says that it sleeps", () => {
    const { sleep, state } = start(Infinity);
    sleep(0, 20);
    const { now } = state;
    sleep(0, 20);
    expect(state).toMatchObject({ now, blocked: [20, 20], sleptWhileAsleep: true });
  });
});
