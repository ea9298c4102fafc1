import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LAST_LINE_BYTES, LOG_LINE_BYTES } from "../../../sandbox/wire/log-lines.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { partsOf } from "../../../sandbox/engine/image.ts";
import { createSandbox, type Invocation, type Sandbox } from "../../../sandbox/mod.ts";
import { MAXIMUM_STATE_BYTES } from "../../../sandbox/wire/told-state.ts";
import { claim, HELD_KB, WAITING } from "../../../sandbox/wire/protocol.ts";
import { turn } from "../../support/hostile-worker.ts";
import { EMPTY_IMAGE, INVOCATION, NOTHING_USED, PLUGIN, type ScriptedWorker, scriptedWorkers } from "../../support/scripted-worker.ts";

function pagesOf(numbers: readonly number[]): SharedArrayBuffer {
  const pages = new SharedArrayBuffer(numbers.length * (4 + 256));
  partsOf({ pages }).numbers.set(numbers);
  return pages;
}

describe("attack: a worker that sends arbitrary messages", () => {
  let host: ReturnType<typeof scriptedWorkers>;
  let sandbox: Sandbox;
  let defects: string[];
  beforeEach(async () => {
    host = scriptedWorkers();
    defects = [];
    sandbox = createSandbox(host.launcher, { maximumWorkers: 1, engine: "plain", onDefect: (message) => void defects.push(message) });
    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => current().requests.at(-1)?.type).toBe("load");
    current().say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
    expect(await loading).toMatchObject({ ok: true });
  });
  afterEach(() => sandbox.close());

  function current(): ScriptedWorker {
    const worker = host.workers.findLast(({ ended }) => !ended);
    if (worker === undefined) throw new Error("No worker");
    return worker;
  }

  /** Starts a call that the worker has taken. */
  function begin(fields: Partial<Invocation> = {}) {
    const outcome = sandbox.invoke({ ...INVOCATION, ...fields });
    const worker = current();
    const request = worker.requests.at(-1);
    if (request?.type !== "call") throw new Error("No call");
    claim(worker.control, request.ticket);
    const done = { type: "done", number: request.number, output: '{"o":1}', used: NOTHING_USED, lines: [] };
    return { outcome, worker, number: request.number, done };
  }

  it("cannot send malformed messages, and its call continues [B5.worker]", async () => {
    const { outcome, worker, number, done } = begin();
    const failed = { type: "failed", number, used: NOTHING_USED, lines: [] };
    for (const message of [
      undefined,
      "done",
      { type: "constructor" },
      { type: "toString", number },
      { ...done, used: { ...NOTHING_USED, wallMs: Number.NaN } },
      { ...done, used: { ...NOTHING_USED, fuel: -1 } },
      { ...done, lines: [["info"]] },
      { ...done, lines: { length: 2 ** 31 } },
      { ...done, state: { pages: pagesOf([3, 2]), heapEnd: 1 } },
      { ...done, state: { pages: pagesOf([2 ** 31]), heapEnd: 1 } },
      { ...done, state: { pages: pagesOf([1]), heapEnd: 2 ** 40 } },
      { ...failed, fault: { kind: "constructor" } },
      { ...failed, fault: { kind: "threw" } },
      { ...failed, fault: { kind: "no_export", module: "m", export: "e", available: 7 } },
      { ...failed, fault: { kind: "lost" } },
      { type: "refused", number, fault: { kind: "syntax", message: 7 } },
      { type: "operation", number, operation: 1, name: "n", text: "{}", bytes: "no bytes" },
    ])
      worker.say(message);
    worker.say(done);
    expect(await outcome).toEqual({ ok: true, output: { o: 1 }, used: NOTHING_USED });
    expect(defects).toEqual([]);
  });

  it("cannot log more than the call may [B3.logs] [B5.worker]", async () => {
    const lines: string[] = [];
    const { outcome, worker, number, done } = begin({
      limits: { ...DEFAULT_LIMITS, logBytes: 10 * (LOG_LINE_BYTES + 9) - LAST_LINE_BYTES },
      onLogs: (part) => part.forEach(([, text]) => lines.push(text)),
    });
    for (let part = 0; part < 10; part++)
      worker.say({ type: "logs", number, lines: Array.from({ length: 1_000 }, () => ["info", "x".repeat(9)]) });
    worker.say({ ...done, lines: [["info", ""]] });
    expect(await outcome).toMatchObject({ ok: true });
    expect(lines).toEqual(Array.from({ length: 10 }, () => "x".repeat(9)));
  });

  it("cannot return an output above the call's limit, or have state kept for it [B3.output] [B5.worker]", async () => {
    const long = begin({ limits: { ...DEFAULT_LIMITS, outputBytes: 10 } });
    long.worker.say({ ...long.done, output: `"${"x".repeat(9)}"` });
    expect(await long.outcome).toMatchObject({ ok: false, fault: { kind: "exhausted", limit: "output", allowed: 10 } });
    const large = begin();
    const numbers = Array.from({ length: MAXIMUM_STATE_BYTES / 256 + 1 }, (_, page) => page);
    large.worker.say({ ...large.done, state: { pages: pagesOf(numbers), heapEnd: 64 << 20 } });
    expect(await large.outcome).toMatchObject({ ok: true, droppedStateBytes: (MAXIMUM_STATE_BYTES / 256 + 1) * 260 });
  });

  it("is ended when it takes no calls, and the call runs on another worker [B3.kill] [B5.worker]", async () => {
    const outcome = sandbox.invoke(INVOCATION);
    const silent = current();
    for (let second = 0; second < 11; second++) {
      host.advance(1_000);
      await turn();
    }
    expect(silent.ended).toBe(true);
    const again = host.workers.find(({ ended, requests }) => !ended && requests.at(-1)?.type === "call");
    const request = again?.requests.at(-1);
    again?.say({ type: "done", number: request?.type === "call" ? request.number : 0, output: '{"o":2}', used: NOTHING_USED, lines: [] });
    expect(await outcome).toMatchObject({ ok: true, output: { o: 2 } });
  });

  it("that claims to be full loses its call, but not one with effects, and not forever [B3.held] [B5.worker]", async () => {
    const acted = begin();
    acted.worker.say({ type: "operation", number: acted.number, operation: 1, name: "fs.readFile", text: "{}" });
    acted.worker.say({ type: "full", number: acted.number });
    acted.worker.say({ type: "full", number: 2 ** 31 });
    acted.worker.say(acted.done);
    expect(await acted.outcome).toMatchObject({ ok: true });

    const { outcome, worker, number, done } = begin();
    const given = (): number => worker.requests.filter((request) => request.type === "call" && request.number === number).length;
    for (let refusals = 1; refusals < 10; refusals++) {
      worker.say({ type: "full", number });
      host.advance(5);
      expect(given()).toBe(refusals + 1);
    }
    worker.say(done);
    expect(await outcome).toMatchObject({ ok: true });

    const endless = begin();
    for (let refusals = 0; refusals < 1_000; refusals++) {
      worker.say({ type: "full", number: endless.number });
      host.advance(5);
    }
    expect(await endless.outcome).toMatchObject({ ok: false, fault: { kind: "overloaded", because: "memory" } });
  });

  it("gets no more calls than the maximum, however many it claims are waiting [B1.parked] [B5.worker]", async () => {
    const { words } = current().control;
    const given = (): number => current().requests.filter(({ type }) => type === "call").length;
    const calls: Promise<unknown>[] = [];
    for (const [said, limit] of [
      [-1_000_000, 64],
      [2 ** 31 - 1, 1_024],
    ] as const) {
      Atomics.store(words, WAITING, said);
      for (let call = 0; call < 1_100; call++) calls.push(sandbox.invoke(INVOCATION));
      host.advance(5);
      expect(given()).toBe(limit);
    }
    Atomics.store(words, HELD_KB, -1);
    host.advance(5);
    expect(given()).toBe(1_024);
    await sandbox.close();
    await Promise.all(calls);
  });

  it("is not replaced forever for a call that ends every worker before its start [B4.worker]", async () => {
    const outcome = sandbox.invoke(INVOCATION);
    for (let round = 0; round < 3; round++) {
      const worker = current();
      await expect.poll(() => worker.requests.at(-1)?.type).toBe("call");
      worker.say({ type: "broken", message: "RangeError: the image does not fit" });
    }
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "trap", message: "RangeError: the image does not fit" } });
    expect(defects).toEqual(Array.from({ length: 3 }, () => "RangeError: the image does not fit"));
  });
});
