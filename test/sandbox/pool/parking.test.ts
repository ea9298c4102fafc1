import { afterEach, describe, expect, it } from "vitest";
import type { HostAnswer, HostCallHandler } from "../../../sandbox/mod.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { testCall } from "../../support/bridge-context.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

/** Waits repeatedly in every possible way, and returns what it observed. */
const WAITS = `
let count = 0;
const kept = new Map();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export async function everything({ letter, rounds }) {
  const seen = [];
  globalThis.mine = letter;
  const began = performance.now();
  for (let round = 0; round < rounds; round++) {
    kept.set(round, letter.repeat(1_000));
    await sleep(round);
    await null;
    await Deno.writeTextFile("out-" + letter, letter + round);
    seen.push(await Deno.readTextFile("out-" + letter));
    const file = await Deno.open("out-" + letter, { read: true });
    const part = new Uint8Array(2);
    seen.push(await file.read(part), new TextDecoder().decode(part), await file.read(part));
    file.close();
    const answer = await fetch("https://api.test/" + letter, { method: "POST", body: letter.repeat(200) });
    let length = 0;
    for await (const piece of answer.body) length += piece.length;
    seen.push(answer.status, length);
    seen.push(hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(letter + round))).slice(0, 8));
    const key = await crypto.subtle.importKey("raw", new Uint8Array(16).fill(round), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    seen.push(hex(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(letter))).slice(0, 8));
    const packed = new Blob([letter.repeat(5_000)]).stream().pipeThrough(new CompressionStream("gzip"));
    seen.push((await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text()).length);
    seen.push(await Promise.any([sleep(60_000), sleep(1).then(() => "first"), Promise.reject(new Error("no"))]));
    const stop = AbortSignal.timeout(1);
    seen.push(await new Promise((resolve) => stop.addEventListener("abort", () => resolve(stop.reason.name))));
    seen.push(await Deno.readTextFile("missing").catch((error) => error.name));
    console.log(letter, round);
  }
  if (performance.now() - began < rounds) seen.push("the clock stood still");
  return [...seen, ++count, globalThis.mine, [...kept].map(([round, text]) => [round, text[0], text.length])];
}
export async function sleeps({ ms }) { await sleep(ms); return "woke"; }
export async function reads({ megabytes = 0 }) { const heap = new Uint8Array(megabytes << 20).fill(9); const text = await Deno.readTextFile("x"); return [text, heap.length, heap.at(-1)]; }
export async function counted() { await sleep(1); count++; await sleep(1); return count; }
`;

/** High enough for a loaded machine. */
const PATIENT = { wallMs: 600_000, cpuMs: 120_000 };
const FOUND: HostAnswer = { ok: true, value: null, bytes: new TextEncoder().encode("found") };

describe("calls that wait", () => {
  let box: TestSandbox;
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  async function everything(letter: string, rounds: number): Promise<unknown> {
    const platform = memoryPlatform(
      {},
      {
        network: {
          names: { "api.test": ["93.184.215.14"] },
          serve: ({ body }) => ({ fields: [], body: new TextDecoder().decode(body).repeat(50) }),
        },
      },
    );
    const call = testCall({ platform, cwd: WORKSPACE, permissions: { net: ["api.test"], read: [WORKSPACE], write: [WORKSPACE] } });
    const lines: string[] = [];
    const outcome = await box.call("waits", "everything", {
      args: { letter, rounds },
      context: { cwd: WORKSPACE },
      limits: PATIENT,
      hostCall: ({ name, args, bytes }) => call.answer(name, args, bytes),
      onLog: (_level, text) => void lines.push(text),
    });
    call.context.exchanges.closeAll();
    return [outputOf(outcome), lines];
  }

  it.each([
    ["metered", 2],
    ["plain", 1],
  ] as const)(
    "observe no difference if they are parked at every await, on the %s engine [B2.parked] [B2.fresh]",
    async (engine, rounds) => {
      const outputs: unknown[] = [];
      for (const parking of ["needed", "always"] as const) {
        await using own = startSandbox({ engine, parking, maximumWorkers: 1 });
        box = own;
        await box.load("waits", WAITS);
        outputs.push(await Promise.all([everything("a", rounds), everything("b", rounds)]));
        expect(box.defects).toEqual([]);
      }
      expect(outputs[1]).toEqual(outputs[0]);
      const lines = (letter: string): string[] => Array.from({ length: rounds }, (_, round) => `${letter} ${round}`);
      expect(outputs[0]).toMatchObject([
        [expect.arrayContaining(["a0", "first", "TimeoutError", "NotFound", 1, "a", 10_000]), lines("a")],
        [expect.arrayContaining(["b0", "first", "TimeoutError", "NotFound", 1, "b", 10_000]), lines("b")],
      ]);
    },
    120_000,
  );

  it("wait by the thousand in one worker, while another plugin is answered [B1.parked] [B10.fair]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("waits", WAITS);
    await box.load("canary", "export function sing({ note }) { return note; }");
    const answers: (() => void)[] = [];
    const hostCall: HostCallHandler = () => new Promise((resolve) => answers.push(() => resolve(FOUND)));
    expect(outputOf(await box.call("canary", "sing", { args: { note: -1 } }))).toBe(-1);
    const before = process.memoryUsage.rss();
    const calls = Array.from({ length: 1_000 }, () => box.call("waits", "reads", { hostCall, limits: PATIENT }));
    await expect.poll(() => answers.length, { timeout: 60_000 }).toBe(1_000);
    for (let note = 0; note < 20; note++) expect(outputOf(await box.call("canary", "sing", { args: { note } }))).toBe(note);
    // A thousand instances would use 5 GB.
    expect(process.memoryUsage.rss() - before).toBeLessThan(600 << 20);
    expect(box.workersStarted).toBeLessThanOrEqual(3);
    for (const answer of answers.toReversed()) answer();
    const outputs = (await Promise.all(calls)).map(outputOf);
    expect(outputs.every((output) => JSON.stringify(output) === '["found",0,null]')).toBe(true);
  }, 120_000);

  it("are cancelled and end at their deadline while parked [T3.parked] [B3.wall]", async () => {
    box = startSandbox({ parking: "always" });
    await box.load("waits", WAITS);
    const abort = new AbortController();
    const cancelled = box.call("waits", "sleeps", { args: { ms: 60_000 }, signal: abort.signal });
    const late = box.call("waits", "sleeps", { args: { ms: 60_000 }, limits: { wallMs: 50 } });
    expect(await late).toMatchObject({
      ok: false,
      fault: { kind: "timeout", limit: "wall", limitMs: 50 },
      used: { memoryBytes: expect.any(Number) },
    });
    abort.abort();
    expect(outputOf(await cancelled)).toEqual({ kind: "cancelled" });
    expect(outputOf(await box.call("waits", "sleeps", { args: { ms: 1 } }))).toBe("woke");
  }, 120_000);

  it("get their large heap back, and resume elsewhere when their worker is ended [B2.parked] [B10.moves]", async () => {
    box = startSandbox({ parking: "always", maximumWorkers: 1, engine: "plain" });
    await box.load("waits", WAITS);
    await box.load("bad", "export function runaway() { return new Array(6e7) + '' + new Array(6e7); }");
    const answers: (() => void)[] = [];
    const hostCall: HostCallHandler = () => new Promise((resolve) => answers.push(() => resolve(FOUND)));
    const large = box.call("waits", "reads", { args: { megabytes: 40 }, hostCall, limits: PATIENT });
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(1);
    answers.shift()?.();
    expect(outputOf(await large)).toEqual(["found", 40 << 20, 9]);

    const acted = box.call("waits", "reads", { hostCall, limits: PATIENT });
    const innocent = box.call("waits", "sleeps", { args: { ms: 300 } });
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(1);
    expect(outputOf(await box.call("bad", "runaway", { limits: { cpuMs: 50 } }))).toMatchObject({ kind: "timeout" });
    answers.shift()?.();
    expect(outputOf(await acted)).toEqual(["found", 0, null]);
    expect(answers).toEqual([]);
    expect(outputOf(await innocent)).toBe("woke");
  }, 120_000);

  it("keep the state of their session, and their worker if they are isolated [B2.session] [B1.isolation]", async () => {
    box = startSandbox({ parking: "always", maximumWorkers: 1, isIsolated: (name) => name === "waits" });
    await box.load("waits", WAITS);
    const counted = Array.from({ length: 4 }, () => box.call("waits", "counted", { session: "s" }));
    const others = Array.from({ length: 4 }, () => box.call("waits", "counted"));
    expect((await Promise.all(counted)).map(outputOf)).toEqual([1, 2, 3, 4]);
    expect((await Promise.all(others)).map(outputOf)).toEqual([1, 1, 1, 1]);
  }, 120_000);
});
