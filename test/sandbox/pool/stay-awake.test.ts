import { describe, expect, it } from "vitest";
import { BackOff } from "../../../sandbox/wire/back-off.ts";
import { createSleep } from "../../../sandbox/worker/idle.ts";
import { ASLEEP, BELL, CONTROL_BYTES, openControl } from "../../../sandbox/wire/protocol.ts";
import { StayAwake } from "../../../sandbox/pool/stay-awake.ts";

describe("BackOff", () => {
  it("skips more waits after each miss, and fewer again after a hit", () => {
    const backOff = new BackOff();
    const passedOver = (): number => {
      let count = 0;
      while (!backOff.isWorthwhile()) count++;
      return count;
    };
    const inVain = Array.from({ length: 8 }, () => {
      backOff.stayedAway();
      return passedOver();
    });
    expect(inVain).toEqual([1, 3, 7, 15, 31, 63, 63, 63]);
    backOff.came();
    backOff.stayedAway();
    expect(passedOver()).toBe(63);
    for (let time = 0; time < 6; time++) backOff.came();
    expect(passedOver()).toBe(0);
  });
});

describe("StayAwake", () => {
  /** An event loop whose clock advances by a hundredth of a millisecond per turn. */
  function start() {
    const planned: (() => void)[] = [];
    const state = { now: 0, isOwed: true, isOpen: false, said: 0, opened: 0 };
    const awake = new StayAwake({ now: () => state.now, soon: (task) => void planned.push(task) }, () => state.isOwed, {
      open() {
        state.isOpen = true;
        state.opened++;
      },
      close: () => void (state.isOpen = false),
      look() {
        // Most messages are followed by another request.
        for (; state.said > 0; state.said--) {
          awake.heard();
          awake.expect();
        }
      },
    });
    /** Turns until no task is planned, or `most` times. */
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

  it("polls on the event loop until the worker has nothing left to answer", () => {
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

  it("polls longer if the worker must copy much first", () => {
    const turns = [0, 1_000_000].map((bytes) => {
      const { awake, turn } = start();
      awake.expect(bytes);
      return turn();
    });
    expect(turns).toEqual([7, 32]);
  });

  it("stops polling if no answer arrives, and then tries less and less often", () => {
    const { awake, turn } = start();
    const turns = Array.from({ length: 7 }, () => {
      awake.expect();
      return turn() > 0;
    });
    expect(turns).toEqual([true, false, true, false, false, false, true]);
  });

  it("restarts its wait with each request to the worker", () => {
    const { awake, turn } = start();
    awake.expect();
    const alone = turn();
    const second = start();
    second.awake.expect();
    expect(second.turn(4)).toBe(4);
    second.awake.expect();
    expect(4 + second.turn()).toBeGreaterThan(alone);
  });

  it("reads the slot on each turn, and once more after it stops polling", () => {
    const { awake, state, turn } = start();
    awake.expect();
    expect(state.isOpen).toBe(true);
    turn(3);
    state.said = 1;
    turn(1);
    expect(state).toMatchObject({ said: 0, isOpen: true });
    state.isOwed = false;
    turn();
    expect(state.isOpen).toBe(false);

    awake.expect();
    const { now } = state;
    // The message arrives when nothing is owed and the slot is read for the last time.
    Object.defineProperty(state, "isOwed", { get: () => (state.now === now + 0.01 ? ((state.said = 1), false) : true) });
    expect(turn()).toBeGreaterThan(3);
    expect(state).toMatchObject({ said: 0, isOpen: false, opened: 3 });
  });

  it("does nothing if the runtime has no `soon`", () => {
    expect(() => new StayAwake({ now: () => 0 }, () => true, { open() {}, look() {}, close() {} }).expect()).not.toThrow();
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

  it("spins first, and does not sleep if the bell rings meanwhile", () => {
    const { sleep, state } = start(0.03);
    sleep(0, 20);
    expect(state.blocked).toEqual([]);
  });

  it("sleeps if spinning does not pay off, at once after a miss, and publishes that it sleeps", () => {
    const { sleep, state } = start(Infinity);
    sleep(0, 20);
    const { now } = state;
    sleep(0, 20);
    expect(state).toMatchObject({ now, blocked: [20, 20], sleptWhileAsleep: true });
  });
});
