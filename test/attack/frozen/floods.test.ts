import { describe, expect, it } from "vitest";
import type { HostAnswer, HostOperation, InvocationOutcome } from "../../../sandbox/mod.ts";
import { outputOf, startSandbox } from "../../support/sandbox.ts";

const PLUGIN = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const held = [];
export async function wakes({ count }) {
  const asked = Deno.permissions.request({ name: "read", path: "/secret" });
  for (let round = 0; round < count; round++) { await sleep(60); console.log("still here"); }
  await Deno.writeTextFile("done", "");
  return (await asked).state;
}
export async function fills({ ms, bytes }) {
  held.push(new Uint8Array(bytes).fill(1));
  await Deno.writeTextFile("filled", "");
  await sleep(ms);
  return held.length;
}
export const sing = () => "heard";
`;
const LIMITS = { wallMs: 600_000, cpuMs: 120_000 };

interface World {
  readonly done: string[];
  /** Sizes of the frozen bytes. */
  readonly frozen: number[];
  /** Number of freezes before each write. */
  readonly frozenBefore: number[];
  readonly call: object;
  answer(): void;
}

function openWorld(): World {
  const [done, frozen, frozenBefore]: [string[], number[], number[]] = [[], [], []];
  const answer = Promise.withResolvers<HostAnswer>();
  const hostCall = ({ name, args }: HostOperation): Promise<HostAnswer> => {
    if (name === "permissions.request") return answer.promise;
    frozenBefore.push(frozen.length);
    done.push(String(Reflect.get(Object(args), "path")));
    return Promise.resolve({ ok: true, value: null });
  };
  const freezing = { isReady: () => Promise.resolve(true), freeze: (bytes: Uint8Array) => void frozen.push(bytes.length), thaw() {} };
  return {
    done,
    frozen,
    frozenBefore,
    call: { hostCall, freezing, limits: LIMITS },
    answer: () => answer.resolve({ ok: true, value: { state: "denied" } }),
  };
}

describe("guests that wake again and again", { timeout: 60_000 }, () => {
  it("are frozen at most once a second while they wait for a user, too [FR4.floods]", async () => {
    await using box = startSandbox({ by: "thread", maximumWorkers: 1 });
    await box.load("good", PLUGIN);
    const world = openWorld();
    const begun = performance.now();
    const call = box.call("good", "wakes", { ...world.call, args: { count: 60 } });
    await expect.poll(() => world.done, { timeout: 50_000 }).toContain("done");
    const seconds = (performance.now() - begun) / 1_000;
    const [before = Infinity] = world.frozenBefore;
    expect(before).toBeLessThanOrEqual(1 + seconds);
    // Without timers it is frozen as usual.
    await expect.poll(() => world.frozen.length, { timeout: 20_000 }).toBe(before + 1);
    world.answer();
    expect(outputOf(await call)).toBe("denied");
  });

  it("sleep longer before they are frozen if they are large [FR4.floods]", async () => {
    await using box = startSandbox({ by: "thread", maximumWorkers: 1 });
    await box.load("good", PLUGIN);
    const [short, long] = [openWorld(), openWorld()];
    const stop = new AbortController();
    const fill = (world: World, ms: number): Promise<InvocationOutcome> =>
      box.call("good", "fills", { ...world.call, args: { ms, bytes: 3_000_000 }, signal: stop.signal });
    const [ended, left] = [fill(short, 5_000), fill(long, 60_000)];
    await expect.poll(() => long.frozen.length, { timeout: 20_000 }).toBe(1);
    expect(outputOf(await ended)).toBe(1);
    expect(short.frozen).toEqual([]);
    stop.abort();
    await left;
  });
});
