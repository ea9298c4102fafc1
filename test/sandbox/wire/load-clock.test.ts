import { describe, expect, it } from "vitest";
import { threadCpuMs } from "../../../host/platform/threads/thread-cpu.ts";
import { lateFault } from "../../../sandbox/wire/load-clock.ts";
import { createLoadClock } from "../../../sandbox/worker/call/call-clock.ts";
import { CONTROL_BYTES, openControl } from "../../../sandbox/wire/protocol.ts";

/** Starts a load of at most 1,000 ms on a thread that gets a share of a processor, polled every `stepMs`. */
function startLoad(share: number, stepMs: number) {
  const state = { now: 0, cpu: 0 };
  const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
  const clock = createLoadClock(1, 1_000, { control, now: () => state.now, threadCpuMs: () => state.cpu });
  return {
    clock,
    /** Runs in slices of 5 ms, alternating with other guests. @returns why and when the load is late */
    run(untilMs: number) {
      while (state.now < untilMs) {
        clock.enter();
        for (const until = state.now + 5; state.now < until;) {
          const late = lateFault(clock.check());
          if (late !== undefined) return { late: late.message, now: state.now, cpu: state.cpu };
          state.now += stepMs;
          state.cpu += stepMs * share;
        }
        lateFault(clock.check());
        clock.leave();
        // Slice of another guest.
        state.now += 5;
        state.cpu += 5 * share;
      }
      return undefined;
    },
  };
}

const CPU =
  'Loading takes more than 1000 ms of CPU time; move work from the top level into the tool function, or write "limits": { "loadMs": 30000 } into the manifest, for the user or the policy to allow';
const WALL =
  "Loading did not end within 24000 ms; load it again when the machine is less busy, or move work from the top level into the tool function";

describe("the time limit of a load", () => {
  it("counts the load's own computing, not that of other guests [AX6.load]", () => {
    const { run } = startLoad(1, 0.5);
    expect(run(1_900)).toBeUndefined();
    expect(run(10_000)).toMatchObject({ late: CPU, cpu: expect.closeTo(2_010, -2) as number });
  });

  it("counts CPU time on a machine that gives the load a tenth of a processor [AX6.load]", () => {
    const { run } = startLoad(0.1, 0.5);
    expect(run(15_000)).toBeUndefined();
    const ended = run(60_000);
    expect(ended?.late).toBe(CPU);
    // Half of it was used by the other guest.
    expect((ended?.cpu ?? 0) / 2).toBeGreaterThan(950);
    expect((ended?.cpu ?? 0) / 2).toBeLessThan(1_050);
  });

  it("ends by the wall clock eventually, however little CPU time was used [AX6.load] [B9.time]", () => {
    expect(startLoad(0.001, 0.5).run(60_000)).toMatchObject({ late: WALL, now: expect.closeTo(24_000, -2) as number });
  });

  it("can be measured on the loading thread of every runtime [AX6.load]", () => {
    const before = threadCpuMs();
    while (threadCpuMs() === before);
    expect(threadCpuMs()).toBeGreaterThan(before);
  });
});
