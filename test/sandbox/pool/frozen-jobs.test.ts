import { afterEach, describe, expect, it } from "vitest";
import type { Freezing, HostAnswer, HostOperation } from "../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestCall, type TestSandbox } from "../../support/sandbox.ts";

const PLUGIN = `
let count = 0;
const heap = new Map();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export async function asks({ letter }, context) {
  heap.set(letter, letter.repeat(1_000));
  await Deno.writeTextFile("before", letter);
  console.log("began", letter);
  count++;
  const before = Math.random();
  const { state } = await Deno.permissions.request({ name: "read", path: "/secret" });
  await Deno.writeTextFile("after", letter);
  console.log("ends", letter);
  return { letter, count, state, heap: heap.get(letter).length, isSame: before !== Math.random(), aborted: context.signal.aborted };
}
export async function sleeps({ ms }) { await Deno.writeTextFile("before", "x"); await sleep(ms); await Deno.writeTextFile("after", "x"); return "woke"; }
export async function reads() { await Deno.readTextFile("never"); }
export async function opensAndSleeps() { const reading = Deno.readTextFile("never"); await sleep(60_000); return await reading; }
export const sing = () => "heard";
`;
const PATIENT = { wallMs: 600_000, cpuMs: 120_000 };

/** A process with a sandbox: its operations, and the bytes of its waiting calls. */
interface World {
  readonly asked: string[];
  readonly call: Required<Pick<TestCall, "hostCall" | "freezing">>;
  /** The bytes that are kept now; undefined if none are. */
  readonly kept: () => Uint8Array | undefined;
  answer(state: string): void;
}

function openWorld(kept?: Uint8Array, isReady: Freezing["isReady"] = () => Promise.resolve(true)): World {
  const asked: string[] = [];
  let frozen = kept;
  const open = Promise.withResolvers<HostAnswer>();
  const hostCall = ({ name, args }: HostOperation): Promise<HostAnswer> => {
    const path = String(Reflect.get(Object(args), "path") ?? "");
    // Nothing may happen while bytes from before it are kept.
    asked.push(`${name} ${path}${frozen !== undefined && name !== "permissions.request" ? " while frozen" : ""}`.trim());
    if (name === "permissions.request") return open.promise;
    return path.endsWith("never") ? new Promise(() => {}) : Promise.resolve({ ok: true, value: null });
  };
  return {
    asked,
    call: { hostCall, freezing: { isReady, freeze: (bytes) => (frozen = bytes), thaw: () => (frozen = undefined) } },
    kept: () => frozen,
    answer: (state) => open.resolve({ ok: true, value: { state } }),
  };
}

describe("frozen calls", { timeout: 120_000 }, () => {
  const boxes: TestSandbox[] = [];
  afterEach(async () => {
    expect(boxes.flatMap(({ defects }) => defects)).toEqual([]);
    await Promise.all(boxes.splice(0).map((box) => box[Symbol.asyncDispose]()));
  });

  async function start(plugin = PLUGIN): Promise<TestSandbox> {
    const box = startSandbox({ by: "thread", maximumWorkers: 1 });
    boxes.push(box);
    await box.load("good", plugin);
    expect(outputOf(await box.call("good", "sing"))).toBe("heard");
    return box;
  }

  /** Starts a call in a process that ends when the call is frozen. */
  async function freeze(
    name: string,
    args: TestCall["args"],
    callId = "call",
  ): Promise<{ readonly bytes: Uint8Array; readonly world: World }> {
    const first = await start();
    const world = openWorld();
    void first.call("good", name, { ...world.call, args: args ?? {}, limits: PATIENT, callId });
    await expect.poll(world.kept, { timeout: 60_000 }).toBeDefined();
    const bytes = world.kept() ?? new Uint8Array();
    await first.sandbox.close();
    expect(world.kept()).toBe(bytes);
    return { bytes, world };
  }

  it("go on in another process where they stopped, and do nothing twice [FR1.resume] [FR2.once]", async () => {
    const { bytes, world } = await freeze("asks", { letter: "a" });
    expect(world.asked).toEqual(["fs.writeFile before", "permissions.request /secret"]);
    const second = await start();
    const next = openWorld(bytes);
    const lines: string[] = [];
    const resumed = second.call("good", "asks", {
      ...next.call,
      frozen: bytes,
      limits: PATIENT,
      onLog: (_level, text) => lines.push(text),
    });
    await expect.poll(() => next.asked).toEqual(["permissions.request /secret"]);
    next.answer("granted");
    const outcome = await resumed;
    expect(outputOf(outcome)).toEqual({ letter: "a", count: 1, state: "granted", heap: 1_000, isSame: true, aborted: false });
    expect(lines).toEqual(["ends a"]);
    expect(next.asked).toEqual(["permissions.request /secret", "fs.writeFile after"]);
    expect(next.kept()).toBeUndefined();
    expect(outcome.used).toMatchObject({ operations: 3 });
  });

  it("are at most 64 KB for a small call [FR4.bytes]", async () => {
    const { bytes } = await freeze("asks", { letter: "a" });
    expect(bytes.length).toBeLessThanOrEqual(64 * 1024);
  });

  it("keep the time at which a sleep ends, and are thawed before they act [FR1.sleep]", async () => {
    const { bytes } = await freeze("sleeps", { ms: 1_500 });
    const second = await start();
    const next = openWorld(bytes);
    expect(outputOf(await second.call("good", "sleeps", { ...next.call, frozen: bytes, limits: PATIENT }))).toBe("woke");
    expect(next.asked).toEqual(["fs.writeFile after"]);
  });

  it("are frozen again by the process that continued them [FR2.again]", async () => {
    const { bytes } = await freeze("asks", { letter: "b" });
    const second = await start();
    const next = openWorld(bytes);
    void second.call("good", "asks", { ...next.call, frozen: bytes, limits: PATIENT });
    await expect.poll(() => next.kept() !== bytes && next.kept() !== undefined, { timeout: 60_000 }).toBe(true);
    await second.sandbox.close();
    const third = await start();
    const last = openWorld(next.kept());
    const outcome = third.call("good", "asks", { ...last.call, frozen: next.kept() ?? bytes, limits: PATIENT });
    last.answer("denied");
    expect(outputOf(await outcome)).toMatchObject({ letter: "b", count: 1, state: "denied" });
    expect(last.asked).toEqual(["permissions.request /secret", "fs.writeFile after"]);
  });

  it("wait only for what outlives the process [FR1.durable]", async () => {
    const box = await start();
    const worlds = [openWorld(), openWorld(), openWorld(), openWorld(undefined, () => Promise.resolve(false))] as const;
    const abort = new AbortController();
    const common = { limits: PATIENT, signal: abort.signal };
    const calls = [
      box.call("good", "reads", { ...worlds[0].call, ...common }),
      box.call("good", "opensAndSleeps", { ...worlds[1].call, ...common }),
      // A sleep that ends soon.
      box.call("good", "sleeps", { ...worlds[2].call, ...common, args: { ms: 500 } }),
      // The host has something open for it.
      box.call("good", "sleeps", { ...worlds[3].call, ...common, args: { ms: 60_000 } }),
    ];
    // Frozen later than all of the others would be.
    const last = openWorld();
    calls.push(box.call("good", "sleeps", { ...last.call, ...common, args: { ms: 60_000 } }));
    await expect.poll(last.kept, { timeout: 60_000 }).toBeDefined();
    expect(worlds.map(({ kept }) => kept())).toEqual([undefined, undefined, undefined, undefined]);
    abort.abort();
    await Promise.all(calls);
    expect(last.kept()).toBeUndefined();
  });

  it("are refused for another call, version or engine, and if they were altered, each by its name [FR5.names]", async () => {
    const { bytes } = await freeze("asks", { letter: "a" });
    const box = await start();
    const faultOf = async (frozen: Uint8Array, call: TestCall = {}): Promise<unknown> => {
      const world = openWorld(frozen);
      const outcome = outputOf(await box.call("good", "asks", { ...world.call, frozen, limits: PATIENT, ...call }));
      expect([world.asked, world.kept()]).toEqual([[], undefined]);
      return outcome;
    };
    expect(await faultOf(bytes, { callId: "another" })).toEqual({ kind: "misfit", differs: "call" });
    expect(await faultOf(bytes.slice(0, -1))).toEqual({ kind: "misfit", differs: "altered" });
    expect(await faultOf(new Uint8Array())).toEqual({ kind: "misfit", differs: "altered" });
    const text = Buffer.from(bytes).toString("latin1");
    const engine = /"engine":"([0-9a-f]{64})"/u.exec(text)?.[1] ?? "";
    expect(await faultOf(Buffer.from(text.replace(engine, "0".repeat(64)), "latin1"))).toEqual({ kind: "misfit", differs: "engine" });
    const other = await start(PLUGIN.replace("woke", "rose"));
    const world = openWorld(bytes);
    expect(outputOf(await other.call("good", "asks", { ...world.call, frozen: bytes, limits: PATIENT }))).toEqual({
      kind: "misfit",
      differs: "version",
    });
  });

  it("end if they are cancelled before they go on [FR1.resume]", async () => {
    const { bytes } = await freeze("sleeps", { ms: 60_000 });
    const box = await start();
    const world = openWorld(bytes);
    const abort = new AbortController();
    const call = box.call("good", "sleeps", { ...world.call, frozen: bytes, limits: PATIENT, signal: abort.signal });
    abort.abort();
    expect(outputOf(await call)).toEqual({ kind: "cancelled" });
    expect(world.kept()).toBeUndefined();
  });
});
