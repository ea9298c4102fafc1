import { afterEach, describe, expect, it } from "vitest";
import { findRejectionHook } from "../../../sandbox/engine/rejection-hook.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const PLUGIN = `
  const wait = () => new Promise((done) => setTimeout(done, 1));
  Promise.reject(new Error("while it loads"));
  export function returned() { Promise.reject(new Error("floating")); return 1; }
  export async function job() { (async () => { await null; throw new TypeError("in a job") })(); await wait(); return 2; }
  export async function timer() { new Promise((_, reject) => setTimeout(reject, 1, "in a timer")); await wait(); await wait(); return 3; }
  export async function derived() { Promise.resolve().then(() => { throw "derived" }); return 4; }
  export async function host() { void Deno.readTextFile("x"); await wait(); await Deno.readTextFile("y").catch(() => {}); return 5; }
  export function never() { return new Promise(async () => { throw new Error("why it never settles") }); }
  export function thrown() { Promise.reject("left"); throw new Error("the tool's own"); }
  export async function handled() {
    const early = Promise.reject(1);
    const failing = async () => { throw 2 };
    try { await failing() } catch {}
    await Promise.allSettled([failing(), Promise.reject(3)]);
    await null;
    early.catch(() => {});
    return 6;
  }
  export async function prevented() {
    const seen = [];
    addEventListener("unhandledrejection", (event) => { event.preventDefault(); seen.push([event.constructor.name, event.reason, event.promise instanceof Promise]); queueMicrotask(() => seen.push("job")); });
    Promise.reject("mine");
    await wait(); await wait();
    return seen;
  }
  export function flood() { for (let i = 0; i < 5_000; i++) Promise.reject(i); return 7; }
  export function hostile() { Promise.reject(new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })); Map.prototype.set = Map.prototype.delete = () => { throw 3 }; Promise.reject(4); return 8; }
  export async function quiet() {
    const failing = () => new ReadableStream({ pull() { throw new Error("source") } });
    await new Response(failing()).text().catch(() => {});
    await failing().pipeTo(new WritableStream()).catch(() => {});
    await Promise.all(failing().tee().map((branch) => branch.cancel()));
    new ReadableStream().getReader().releaseLock();
    await fetch("http://example.com/").catch(() => {});
    await Deno.writeFile("x", new ReadableStream()).catch(() => {});
    await crypto.subtle.digest("nope", new Uint8Array(1)).catch(() => {});
    const stop = new AbortController(); const stopped = Deno.readFile("x", { signal: stop.signal }); stop.abort(); await stopped.catch(() => {});
    await wait();
    return 9;
  }`;

let box: TestSandbox;
afterEach(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

async function run(name: string): Promise<{ readonly output: unknown; readonly told: readonly string[] }> {
  const told: string[] = [];
  const outcome = await box.call("left", name, { onLog: (level, text) => void told.push(`${level} ${text.split("\n")[0]}`) });
  return { output: outputOf(outcome), told };
}

const uncaught = (text: string): string => `error Uncaught (in promise) ${text}`;

describe("unhandled rejections", () => {
  it("are logged, whatever the outcome of the call [B4.rejections] [B6.log]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    expect(await box.load("left", PLUGIN)).toMatchObject({ ok: true });
    expect(await run("returned")).toEqual({ output: 1, told: [uncaught("Error: floating")] });
    expect(await run("job")).toEqual({ output: 2, told: [uncaught("TypeError: in a job")] });
    expect(await run("timer")).toEqual({ output: 3, told: [uncaught("in a timer")] });
    expect(await run("derived")).toEqual({ output: 4, told: [uncaught("derived")] });
    expect(await run("host")).toEqual({ output: 5, told: [uncaught("NotCapable: Nothing is granted here")] });
    expect(await run("never")).toEqual({ output: { kind: "never_settles" }, told: [uncaught("Error: why it never settles")] });
    expect(await run("thrown")).toMatchObject({ output: { kind: "threw", message: "the tool's own" }, told: [uncaught("left")] });
  });

  it("exclude rejections handled within the same turn, and those of the platform itself [B4.rejections]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("left", PLUGIN);
    expect(await run("handled")).toEqual({ output: 6, told: [] });
    expect(await run("quiet")).toEqual({ output: 9, told: [] });
  });

  it("are dispatched to listeners first, as in Deno [PB1.events]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("left", PLUGIN);
    expect(await run("prevented")).toEqual({ output: [["PromiseRejectionEvent", "mine", true], "job"], told: [] });
  });

  it("do not flood the log, and hostile reasons do no harm [B3.logs] [B5.primordials]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("left", PLUGIN);
    const { output, told } = await run("flood");
    expect([output, told]).toEqual([7, Array.from({ length: 10 }, (_, index) => uncaught(`${index}`))]);
    expect(await run("hostile")).toEqual({ output: 8, told: [uncaught("[Cannot be shown: 1]"), uncaught("4")] });
  });

  it("are not reported by the published engine, which works otherwise [B4.rejections]", async () => {
    box = startSandbox({ maximumWorkers: 1, engine: "plain" });
    await box.load("left", PLUGIN);
    expect(await run("returned")).toEqual({ output: 1, told: [] });
  });
});

describe("findRejectionHook()", () => {
  it("rejects a runtime with another layout [B4.rejections]", () => {
    box = startSandbox();
    const words = (...values: number[]): Uint32Array => Uint32Array.from(values);
    expect(findRejectionHook(words(9, 0, 0, 0, 0), words(9, 7, 0, 0, 0))).toBe(3);
    expect(() => findRejectionHook(words(9, 0, 0, 0), words(9, 7, 0, 5))).toThrow("Cannot find the engine's rejection hook");
    expect(() => findRejectionHook(words(0, 0, 0, 0), words(7, 0, 7, 0))).toThrow("Cannot find the engine's rejection hook");
    expect(() => findRejectionHook(words(0), words(0))).toThrow("Cannot find the engine's rejection hook");
  });
});
