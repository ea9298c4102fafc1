import { describe, expect, it } from "vitest";
import { startGuest } from "../engine.ts";

async function run(body: string, context: Record<string, unknown> = {}): Promise<{ outcome: string; now: number; logs: string[] }> {
  const guest = await startGuest({
    source: `export async function tool() { const out = []; const log = (...v) => out.push(v.join(" ")); const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); ${body}; return out }`,
  });
  const began = guest.now;
  const outcome = guest.call({ context });
  const result = { outcome, now: guest.now - began, logs: guest.logs.map(({ text }) => text) };
  guest.dispose();
  return result;
}

async function order(body: string): Promise<unknown> {
  const { outcome } = await run(body);
  expect(outcome.slice(0, 1)).toBe("d");
  return (JSON.parse(outcome.slice(1)) as { o: unknown }).o;
}

describe("timers", () => {
  it("run in order of their due time, then of their start [PB1.timers]", async () => {
    expect(
      await order(
        `for (const ms of [30, 10, 20, 10, 0]) setTimeout(() => log(ms), ms); setTimeout(() => log("second 10"), 10); await sleep(50)`,
      ),
    ).toEqual(["0", "10", "10", "second 10", "20", "30"]);
  });

  it("stay in order when many are started and stopped [PB1.timers]", async () => {
    const body = `
      let seed = 7; const random = (n) => (seed = (seed * 16807) % 2147483647) % n;
      const fired = []; const ids = [];
      for (let i = 0; i < 600; i++) { const due = random(1000); ids.push(setTimeout(() => fired.push(due), due)) }
      for (let i = 0; i < 300; i++) clearTimeout(ids[random(600)]);
      const stopped = 600 - new Set(ids).size; await sleep(2000);
      log(fired.length > 300, fired.every((due, i) => i === 0 || fired[i - 1] <= due), stopped)`;
    expect(await order(body)).toEqual(["true true 0"]);
  });

  it("pass arguments, and treat every invalid delay as 0 [PB1.timers]", async () => {
    expect(
      await order(
        `setTimeout(log, 5, "a", 1); for (const ms of [-1, NaN, undefined, "x", Infinity, 2 ** 31]) setTimeout(() => log("now"), ms); await sleep(6)`,
      ),
    ).toEqual([...Array.from({ length: 6 }, () => "now"), "a 1"]);
  });

  it("let microtasks run between two timers that are due together [PB1.timers]", async () => {
    expect(
      await order(
        `setTimeout(() => { log("one"); Promise.resolve().then(() => log("micro")); queueMicrotask(() => log("queued")) }, 1); setTimeout(() => log("two"), 1); await sleep(5)`,
      ),
    ).toEqual(["one", "micro", "queued", "two"]);
  });

  it("repeat until they are stopped, also by their own callback [PB1.timers]", async () => {
    expect(
      await order(
        `let n = 0; const id = setInterval(() => { log(++n); if (n === 3) clearInterval(id) }, 10); await sleep(100); clearTimeout(undefined); clearInterval("no")`,
      ),
    ).toEqual(["1", "2", "3"]);
  });

  it("can be stopped by either function, which stops no other timer [PB1.timers]", async () => {
    expect(
      await order(
        `const a = setTimeout(() => log("a"), 1); const b = setInterval(() => log("b"), 1); clearInterval(a); clearTimeout(b); setTimeout(() => log("c"), 2); await sleep(5); log(typeof a, a !== b)`,
      ),
    ).toEqual(["c", "number true"]);
  });

  it("take time on the host's clock only [PB1.timers] [B6]", async () => {
    expect((await run(`await sleep(1234)`)).now).toBe(1234);
  });

  it("refuse values that are not functions [PB1.timers]", async () => {
    expect(
      await order(
        `for (const f of [() => setTimeout("code", 1), () => setInterval(), () => queueMicrotask(3)]) try { f() } catch (error) { log(error.name) }`,
      ),
    ).toEqual(["TypeError", "TypeError", "TypeError"]);
  });

  it("end the call above their limit, even if the tool swallows the error [B3.timers]", async () => {
    const { outcome } = await run(`try { for (;;) setTimeout(() => {}, 1000) } catch (error) { return error.message }`, {
      limits: { timers: 20 },
    });
    expect(outcome).toBe('l{"limit":"timers","allowed":20}');
  });

  it("never allow more than the hard ceiling [B3.timers]", async () => {
    const { outcome } = await run(`for (;;) setTimeout(() => {}, 1000)`, { limits: { timers: 1e9 } });
    expect(outcome).toBe('l{"limit":"timers","allowed":1000}');
  });

  it("end the call with an error that a callback throws [B4] [PB1.reportError]", async () => {
    const { outcome } = await run(`setTimeout(() => { throw new RangeError("late") }, 3); await sleep(10)`);
    expect(outcome.slice(0, 1)).toBe("r");
    expect(JSON.parse(outcome.slice(1))).toMatchObject({ name: "RangeError", message: "late" });
  });

  it("end the call with an error that a microtask throws [B4] [PB1.reportError]", async () => {
    const { outcome } = await run(`queueMicrotask(() => { throw "text" }); await sleep(10)`);
    expect(outcome).toBe('r{"name":"Error","message":"Uncaught \\"text\\"","stack":""}');
  });

  it("that the load started count from the beginning of the call [B9]", async () => {
    const guest = await startGuest({
      source: `let fired = 0; setTimeout(() => fired++, 40); export async function tool() { await new Promise((r) => setTimeout(r, 30)); const early = fired; await new Promise((r) => setTimeout(r, 20)); return [early, fired] }`,
    });
    guest.now += 10_000;
    expect(guest.output()).toEqual([0, 1]);
    guest.dispose();
  });

  it("report no due time if none waits, so that a promise that cannot settle is detected [B4]", async () => {
    expect((await run(`await new Promise(() => {})`)).outcome).toBe("never settles");
  });
});
