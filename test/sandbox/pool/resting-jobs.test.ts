import { afterEach, describe, expect, it } from "vitest";
import type { HostAnswer, HostCallHandler } from "../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestCall, type TestSandbox } from "../../support/sandbox.ts";

/** Without a meter, a native loop can only be ended with its worker, and is not suspended for others. */
const HELD = { parking: "always", engine: "plain", maximumWorkers: 1 } as const;
const BAD = `
export function runaway() { const holes = []; holes.length = 2 ** 32 - 1; return holes.indexOf(1); }
export const sing = () => "ready";
`;
const GOOD = `
let count = 0;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const heap = new Map();
export async function acts({ letter }, context) {
  heap.set(letter, letter.repeat(10_000));
  console.log("began", letter);
  await Deno.writeTextFile("out", letter);
  count++;
  const seen = [await Deno.readTextFile("first"), await Promise.all([Deno.readTextFile("second"), sleep(20)])];
  console.log("ends", letter);
  return [letter, count, seen, heap.get(letter).length, context.signal.aborted];
}
export async function sleeps({ ms }) { await Deno.writeTextFile("out", "x"); await sleep(ms); return "woke"; }
export async function holdsKey() { await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", false, ["encrypt"]); return await Deno.readTextFile("first"); }
export const sing = () => "heard";
`;
const PATIENT = { wallMs: 600_000, cpuMs: 120_000 };

/** Answers each operation when the test calls `answer`. */
function answering(): {
  readonly asked: string[];
  readonly hostCall: HostCallHandler;
  answer(path: string): void;
} {
  const asked: string[] = [];
  const open = new Map<string, (answer: HostAnswer) => void>();
  return {
    asked,
    hostCall({ name, args }) {
      const path = name === "fs.writeFile" ? name : String(Reflect.get(Object(args), "path"));
      asked.push(path);
      if (name === "fs.writeFile") return Promise.resolve({ ok: true, value: null });
      return new Promise((resolve) => open.set(path, resolve));
    },
    answer(path) {
      const bytes = new TextEncoder().encode(path);
      open.get(path)?.({ ok: true, value: null, bytes });
    },
  };
}

describe("calls that wait while a guest holds their worker", { timeout: 120_000 }, () => {
  let box: TestSandbox;
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  async function start(): Promise<void> {
    box = startSandbox(HELD);
    await box.load("bad", BAD);
    await box.load("good", GOOD);
    // After a first call, everything that the plugin's calls need is loaded.
    expect(outputOf(await box.call("bad", "sing"))).toBe("ready");
  }

  /** Resolves when the host has processed the worker's earlier messages, including the resting calls. */
  async function hear(): Promise<void> {
    expect(outputOf(await box.call("good", "sing"))).toBe("heard");
  }

  /** Keeps the worker busy until the call is ended. */
  function hold(call: TestCall = {}): { readonly over: Promise<unknown>; stop(): void } {
    const abort = new AbortController();
    const over = box.call("bad", "runaway", { limits: PATIENT, signal: abort.signal, ...call }).then(outputOf);
    return { over, stop: () => abort.abort() };
  }

  it("resume elsewhere when their answer arrives, with their state and effects [LV4.moves] [B2.parked]", async () => {
    await start();
    const { hostCall, asked, answer } = answering();
    const lines: string[] = [];
    const call = box.call("good", "acts", { args: { letter: "a" }, hostCall, limits: PATIENT, onLog: (_level, text) => lines.push(text) });
    await expect.poll(() => asked).toEqual(["fs.writeFile", "first"]);
    await hear();
    const held = hold();
    answer("first");
    await expect.poll(() => asked, { timeout: 60_000 }).toEqual(["fs.writeFile", "first", "second"]);
    answer("second");
    const outcome = await call;
    expect(outputOf(outcome)).toEqual(["a", 1, ["first", ["second", null]], 10_000, false]);
    expect(lines).toEqual(["began a", "ends a"]);
    expect(outcome.used).toMatchObject({ operations: 3, pendingOperations: 1, argumentBytes: 14 });
    held.stop();
    expect(await held.over).toEqual({ kind: "cancelled" });
  });

  it("keep answers from before their worker was held, and their due timers [LV4.moves]", async () => {
    await start();
    const { hostCall, asked, answer } = answering();
    const call = box.call("good", "acts", { args: { letter: "b" }, hostCall, limits: PATIENT });
    const asleep = box.call("good", "sleeps", { args: { ms: 200 }, hostCall, limits: PATIENT });
    await expect.poll(() => asked.length).toBe(3);
    await hear();
    const held = hold();
    // Before the host can notice that the worker is held.
    answer("first");
    await expect.poll(() => asked.includes("second"), { timeout: 60_000 }).toBe(true);
    answer("second");
    expect(outputOf(await call)).toEqual(["b", 1, ["first", ["second", null]], 10_000, false]);
    expect(outputOf(await asleep)).toBe("woke");
    held.stop();
    await held.over;
  });

  it("survive their worker, and repeat no effect [LV1.innocent] [B10.moves]", async () => {
    await start();
    const { hostCall, asked, answer } = answering();
    const call = box.call("good", "acts", { args: { letter: "c" }, hostCall, limits: PATIENT });
    await expect.poll(() => asked).toEqual(["fs.writeFile", "first"]);
    await hear();
    expect(await hold({ limits: { cpuMs: 50 } }).over).toMatchObject({ kind: "timeout", limit: "cpu" });
    answer("first");
    await expect.poll(() => asked, { timeout: 60_000 }).toEqual(["fs.writeFile", "first", "second"]);
    answer("second");
    expect(outputOf(await call)).toEqual(["c", 1, ["first", ["second", null]], 10_000, false]);
    expect(asked).toEqual(["fs.writeFile", "first", "second"]);
  });

  it("are cancelled and end at their deadline wherever they are [T3.parked] [B3.wall]", async () => {
    await start();
    const { hostCall, asked } = answering();
    const abort = new AbortController();
    const cancelled = box.call("good", "acts", { args: { letter: "f" }, hostCall, signal: abort.signal, limits: PATIENT });
    const late = box.call("good", "sleeps", { args: { ms: 600_000 }, hostCall, limits: { wallMs: 1_000 } });
    await expect.poll(() => asked.length).toBe(3);
    await hear();
    const held = hold();
    abort.abort();
    expect(outputOf(await cancelled)).toEqual({ kind: "cancelled" });
    expect(outputOf(await late)).toEqual({ kind: "timeout", limit: "wall", limitMs: 1_000 });
    held.stop();
    await held.over;
  });

  it("stay if part of them belongs to their worker, and are lost with it [B10.lost]", async () => {
    await start();
    const { hostCall, asked } = answering();
    const call = box.call("good", "holdsKey", { hostCall, limits: PATIENT });
    await expect.poll(() => asked).toEqual(["first"]);
    await hear();
    expect(await hold({ limits: { cpuMs: 50 } }).over).toMatchObject({ kind: "timeout", limit: "cpu" });
    expect(outputOf(await call)).toEqual({ kind: "lost" });
  });
});
