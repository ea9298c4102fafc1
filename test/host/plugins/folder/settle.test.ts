import { describe, expect, it } from "vitest";
import { createMemoryClock } from "../../../../host/platform/memory/memory-clock.ts";
import { type Believe, createSettling, type SettleOptions } from "../../../../host/plugins/folder/settle.ts";

interface Scene {
  touch(): void;
  /** Advances time in steps of a millisecond, and runs everything that is due. */
  pass(ms: number): Promise<void>;
  /** Advances time while no process gets a processor. */
  stall(ms: number): Promise<void>;
  /** Sets the folder's appearance from now on. */
  look: string | undefined;
  /** Modification time of its newest file; omitted if undefined. */
  newestMs?: number;
  now(): number;
  /** Sets the answer of `consider`. */
  answer: (believe: Believe) => Promise<"done" | "again">;
  readonly considered: string[];
  readonly restless: string[];
  stop(): void;
  idle(): Promise<void>;
}

function scene(more: Partial<SettleOptions> = {}): Scene {
  const clock = createMemoryClock(0);
  const stopping = new AbortController();
  const state: Scene = {
    look: "one",
    now: clock.now,
    answer: () => Promise.resolve("done"),
    considered: [],
    restless: [],
    touch: () => settling.touch("/plugins/p"),
    async pass(ms) {
      for (let passed = 0; passed < ms; passed++) {
        await turns();
        clock.advance(1);
      }
      await turns();
    },
    async stall(ms) {
      clock.stall(ms);
      await turns();
    },
    stop: () => stopping.abort(),
    idle: () => settling.idle(),
  };
  const start = clock.monotonic();
  const settling = createSettling({
    ...{ clock, signal: stopping.signal, timing: { quietMs: 25, goneMs: 90, graceMs: 150 } },
    sign: () =>
      Promise.resolve(
        state.look === undefined ? undefined : { signature: state.look, ...(state.newestMs !== undefined && { newestMs: state.newestMs }) },
      ),
    consider(_path, believe) {
      state.considered.push(`${state.look} after ${clock.monotonic() - start} ms`);
      return state.answer(believe);
    },
    onRestless: () => void state.restless.push(`after ${clock.monotonic() - start} ms`),
    onDefect: (_path, defect) => void state.considered.push(String(defect)),
    ...more,
  });
  return state;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

describe("createSettling()", () => {
  it("considers a burst of changes once, a quiet window after the last [H3.debounce]", async () => {
    const { touch, pass, considered } = scene();
    for (let event = 0; event < 10; event++) {
      touch();
      await pass(10);
    }
    await pass(100);
    expect(considered).toEqual(["one after 115 ms"]);
  });

  it("waits for a file that grows without events to come to rest [H3.half-written]", async () => {
    const one = scene();
    one.touch();
    await one.pass(20);
    one.look = "two";
    await one.pass(20);
    one.look = undefined;
    await one.pass(20);
    one.look = "three";
    await one.pass(100);
    expect(one.considered).toEqual(["three after 100 ms"]);
  });

  it("considers a burst a quiet window after its last file, if the file is that old [H3.debounce]", async () => {
    const one = scene();
    one.touch();
    await one.pass(10);
    one.look = "two";
    one.newestMs = one.now();
    one.touch();
    await one.pass(100);
    expect(one.considered).toEqual(["two after 35 ms"]);
  });

  it.each([
    ["is younger than the quiet window", 1],
    ["has a time in the future", 5_000],
  ])("waits for a second look if the newest file %s [H3.half-written]", async (_what, aheadMs) => {
    const one = scene();
    one.touch();
    await one.pass(10);
    one.look = "two";
    one.newestMs = one.now() + aheadMs;
    await one.pass(100);
    expect(one.considered).toEqual(["two after 50 ms"]);
  });

  it("looks again at changes that came while a change was considered [H3.serial]", async () => {
    const one = scene();
    let finish: (() => void) | undefined;
    one.answer = () => new Promise((resolve) => (finish = () => resolve("done")));
    one.touch();
    await one.pass(30);
    one.look = "two";
    one.touch();
    await one.pass(100);
    expect(one.considered).toEqual(["one after 25 ms"]);
    finish?.();
    await one.pass(100);
    expect(one.considered).toEqual(["one after 25 ms", expect.stringMatching(/^two after 1[35]\d ms$/)]);
  });

  it("retries a folder that changed while it was considered [H3.half-written]", async () => {
    const one = scene();
    const answers = ["again", "done"] as const;
    one.answer = () => Promise.resolve(answers[one.considered.length - 1] ?? "done");
    one.touch();
    await one.pass(200);
    expect(one.considered).toHaveLength(2);
  });

  it("confirms failures and removals only if nothing changed for a while [H5]", async () => {
    const one = scene();
    const believed: boolean[] = [];
    one.answer = async (believe) => {
      const isTrue = await believe("one", "failed");
      believed.push(isTrue);
      return isTrue ? "done" : "again";
    };
    one.touch();
    await one.pass(100);
    // The second half of the file.
    one.touch();
    await one.pass(10);
    expect(believed).toEqual([false]);
    await one.pass(300);
    expect(believed).toEqual([false, true]);
  });

  it.each(["gone", "failed"] as const)(
    "does not count a wait in which neither host nor writer got processor time: %s [H3.half-written]",
    async (news) => {
      const one = scene();
      const believed: boolean[] = [];
      one.answer = async (believe) => {
        const isTrue = await believe("one", news);
        believed.push(isTrue);
        return isTrue ? "done" : "again";
      };
      one.touch();
      await one.pass(40);
      // The folder is half-written, and no process runs for a second: the host's timer fires first.
      await one.stall(1_000);
      expect(believed).toEqual([]);
      one.look = "two";
      one.touch();
      await one.pass(1);
      expect(believed).toEqual([false]);
    },
  );

  it("waits for the rest of a file while the machine gives its writer no time [H3.half-written]", async () => {
    const one = scene();
    one.touch();
    await one.pass(5);
    await one.stall(1_000);
    expect(one.considered).toEqual([]);
    one.look = "two";
    one.touch();
    await one.pass(100);
    expect(one.considered).toEqual(["two after 1055 ms"]);
  });

  it("keeps watching a folder that keeps changing, reports it once, and looks less often [H3]", async () => {
    let looks = 0;
    const busy = scene({ sign: () => Promise.resolve({ signature: String(++looks) }) });
    busy.touch();
    await busy.pass(5_000);
    expect({ considered: busy.considered, restless: busy.restless }).toEqual({ considered: [], restless: ["after 1000 ms"] });
    expect(looks).toBeLessThan(70);
    busy.stop();
    await busy.idle();
  });

  it("reports a folder with continuous events, and considers it when it rests [H3.debounce]", async () => {
    const one = scene();
    for (let ms = 0; ms < 3_000; ms += 10) {
      one.touch();
      await one.pass(10);
    }
    expect({ considered: one.considered, restless: one.restless }).toEqual({
      considered: [],
      restless: [expect.stringMatching(/^after 10\d\d ms$/)],
    });
    await one.pass(250);
    expect(one.considered).toEqual(["one after 3190 ms"]);
  });

  it("ends at once when it is stopped, with no timers left", async () => {
    const one = scene();
    one.touch();
    await one.pass(5);
    one.stop();
    await one.idle();
    one.touch();
    await one.pass(100);
    expect(one.considered).toEqual([]);
  });

  it("continues after a defect [H9]", async () => {
    const one = scene();
    one.answer = () => Promise.reject(new Error("bug"));
    one.touch();
    await one.pass(50);
    one.answer = () => Promise.resolve("done");
    one.touch();
    await one.pass(50);
    expect(one.considered).toEqual(["one after 25 ms", "Error: bug", "one after 75 ms"]);
  });
});
