/** Seeds, fixed times and tapes in real workers. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HostAnswer, HostCallHandler, InvocationOutcome, Tape } from "../../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

const PLUGIN = `
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hex = (bytes: ArrayBuffer | Uint8Array) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16)).join("");
export async function everything() {
  const bytes = hex(crypto.getRandomValues(new Uint8Array(100)));
  const begun = performance.now();
  const first = [Math.random(), Date.now(), performance.timeOrigin];
  await sleep(20);
  return [bytes, crypto.randomUUID(), ...first, Math.random(), performance.now() - begun, Date.now(), new Date().toString()];
}
export async function spins() { const end = Date.now() + 30; while (Date.now() < end); return Date.now() - end; }
export async function polls() {
  let over = false;
  setTimeout(() => { over = true; }, 5);
  let polls = 0;
  while (!over) { await Deno.stat("x").catch(() => {}); polls++; }
  return polls > 0;
}
export async function races() {
  const said: string[] = [];
  const reads = ["a", "b", "c", "d"].map(async (name) => said.push(await Deno.readTextFile(name)));
  const timers = [3, 1, 2].map(async (ms) => { await sleep(ms); said.push("timer " + ms); });
  await Promise.all([...reads, ...timers]);
  said.push(Deno.readTextFileSync("e"));
  return said;
}
export async function keys() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]) as CryptoKeyPair;
  const data = new Uint8Array([1, 2, 3]);
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, data);
  const isGood = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, pair.publicKey, signature, data);
  return [hex(await crypto.subtle.exportKey("raw", pair.publicKey)), hex(signature), isGood];
}
export async function waits() { await Deno.readTextFile("a"); await Deno.readTextFile("never"); return "read"; }
export async function loops() { await Deno.readTextFile("a"); for (;;) Math.random(); }
export async function looks() { for (let i = 0; i < 200; i++) await sleep(0); return Date.now() > 0; }
`;

/** Answers in the given order, whatever the order of requests. Names that are not listed are never answered. */
function answering(order: readonly string[]): HostCallHandler {
  const settled = new Map<string, PromiseWithResolvers<void>>(order.map((name) => [name, Promise.withResolvers<void>()]));
  return async ({ args }): Promise<HostAnswer> => {
    const { path } = args as { readonly path: string };
    const name = path.slice(path.lastIndexOf("/") + 1);
    const before = order[order.indexOf(name) - 1];
    if (!order.includes(name)) return await new Promise(() => {});
    if (before !== undefined) await settled.get(before)?.promise;
    settled.get(name)?.resolve();
    return { ok: true, value: null, bytes: new TextEncoder().encode(name) };
  };
}

function tapeOf(outcome: InvocationOutcome): Tape {
  if (outcome.tape === undefined || outcome.tape === "too_long") throw new Error(`No tape: ${outcome.tape}`);
  return outcome.tape;
}

/** The values that a replay must reproduce. */
function facts(outcome: InvocationOutcome): unknown {
  const { fuel, operations, logBytes, outputBytes } = outcome.used;
  return { outcome: outputOf(outcome), fuel, operations, logBytes, outputBytes };
}

describe("the time and randomness of a call", { timeout: 120_000 }, () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox({ maximumWorkers: 2 });
    expect(await box.load("plugin", PLUGIN)).toMatchObject({ ok: true });
  }, 120_000);
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("are equal in two calls with the same seed and time, and differ otherwise [B6.seed]", async () => {
    const env = { seed: "one", timeMs: Date.UTC(2026, 0, 2) };
    const [a, b] = [
      await box.call("plugin", "everything", { conditions: env }),
      await box.call("plugin", "everything", { conditions: env }),
    ];
    expect(facts(b)).toEqual(facts(a));
    expect(outputOf(a)).toMatchObject({ 3: Date.UTC(2026, 0, 2), 7: Date.UTC(2026, 0, 2) + 20 });
    const rows = [
      a,
      await box.call("plugin", "everything", { conditions: { ...env, seed: "two" } }),
      await box.call("plugin", "everything"),
    ];
    for (const column of [0, 1, 2, 5]) expect(new Set(rows.map((row) => (outputOf(row) as unknown[])[column])).size).toBe(3);
  });

  it("use the machine's time in a seeded call, and its randomness in a call with a fixed time [B6.apart]", async () => {
    const before = Date.now();
    const [seeded, again] = [
      await box.call("plugin", "everything", { conditions: { seed: "x" } }),
      await box.call("plugin", "everything", { conditions: { seed: "x" } }),
    ];
    expect((outputOf(seeded) as unknown[]).slice(0, 3)).toEqual((outputOf(again) as unknown[]).slice(0, 3));
    expect((outputOf(seeded) as number[])[3]).toBeGreaterThanOrEqual(before - 1);
    const [timed, other] = [
      await box.call("plugin", "everything", { conditions: { timeMs: 5 } }),
      await box.call("plugin", "everything", { conditions: { timeMs: 5 } }),
    ];
    expect((outputOf(timed) as unknown[])[0]).not.toBe((outputOf(other) as unknown[])[0]);
    expect((outputOf(timed) as unknown[]).slice(6)).toEqual((outputOf(other) as unknown[]).slice(6));
  });

  it.each(["abcd", "dcba", "badc"])("depend on answers and not on their timing if the time is fixed: %s [B6.order]", async (order) => {
    const env = { seed: "s", timeMs: 0 };
    const outcome = await box.call("plugin", "races", { conditions: env, hostCall: answering([...order, "e"]) });
    expect(outputOf(outcome)).toEqual(["a", "timer 1", "b", "timer 2", "c", "timer 3", "d", "e"]);
  });

  it("advance a fixed time for loops that wait for it [B6.passes]", async () => {
    const env = { timeMs: 0 };
    const hostCall: HostCallHandler = () => Promise.resolve({ ok: false, error: { name: "NotFound", message: "x" } });
    expect(outputOf(await box.call("plugin", "spins", { conditions: env }))).toBe(0);
    expect(outputOf(await box.call("plugin", "polls", { conditions: env, hostCall }))).toBe(true);
  });

  it.each(["everything", "spins", "keys", "looks"])("replay %s from its tape, with the same fuel [B8.tape]", async (name) => {
    const env = { seed: name, keepsTape: true };
    const first = await box.call("plugin", name, { conditions: env });
    expect(first.ok).toBe(true);
    const second = await box.call("plugin", name, { conditions: { ...env, tape: tapeOf(first) } });
    expect(facts(second)).toEqual(facts(first));
  });

  it.each(["abcde", "dcbae", "badce"])("replay the same order of answers and timers: %s [B8.order]", async (order) => {
    const env = { seed: order, keepsTape: true };
    const first = await box.call("plugin", "races", { conditions: env, hostCall: answering([...order]) });
    for (const other of ["abcde", "dcbae"]) {
      const second = await box.call("plugin", "races", { conditions: { ...env, tape: tapeOf(first) }, hostCall: answering([...other]) });
      expect(facts(second)).toEqual(facts(first));
    }
  });

  it.each(["waits", "loops"])("end a replay where the clock ended the call: %s [B8.stop]", async (name) => {
    const env = { seed: "s", keepsTape: true };
    const call = { hostCall: answering(["a"]), limits: { wallMs: 150 } };
    let first = await box.call("plugin", name, { ...call, conditions: env });
    // On a loaded machine the host may end the worker before the worker notices the time, and the tape is lost.
    while (first.tape === undefined) first = await box.call("plugin", name, { ...call, conditions: env });
    expect(first).toMatchObject({ ok: false, fault: { kind: "timeout" } });
    const second = await box.call("plugin", name, { ...call, limits: {}, conditions: { ...env, tape: tapeOf(first) } });
    expect(outputOf(second)).toEqual(outputOf(first));
  });

  it("report that a call diverged from its tape [B8.differs]", async () => {
    const env = { seed: "s", keepsTape: true };
    const first = await box.call("plugin", "races", { conditions: env, hostCall: answering(["a", "b", "c", "d", "e"]) });
    const tape = tapeOf(first);
    for (const wrong of [
      { ...tape, entries: [] },
      { ...tape, entries: [7] },
      { ...tape, looks: [] },
    ]) {
      const second = await box.call("plugin", "races", {
        conditions: { ...env, tape: wrong },
        hostCall: answering(["a", "b", "c", "d", "e"]),
      });
      expect(outputOf(second)).toEqual({ kind: "differs" });
    }
  });
});
