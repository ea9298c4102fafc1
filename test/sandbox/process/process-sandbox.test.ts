import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { createProcessSandbox, type Invocation, type InvocationOutcome, type Sandbox } from "../../../sandbox/mod.ts";
import type { ProcessRequest } from "../../../sandbox/process/protocol.ts";
import { type ScriptedProcess, scriptedProcesses } from "../../support/scripted-process.ts";
import { INVOCATION, NOTHING_USED, PLUGIN } from "../../support/scripted-worker.ts";

const ISOLATED = { ...PLUGIN, name: "apart", digest: "apart" };
const LIMITS = { ...DEFAULT_LIMITS, wallMs: 3_000 };

describe("a sandbox in a process", () => {
  let host: ReturnType<typeof scriptedProcesses>;
  let sandbox: Sandbox;
  let defects: string[];
  beforeEach(async () => {
    host = scriptedProcesses();
    defects = [];
    sandbox = createProcessSandbox(host.launcher, {
      isIsolated: (name) => name === "apart",
      onDefect: (message) => void defects.push(message),
    });
    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => host.processes.length).toBe(1);
    await load(first(), loading);
  });
  afterEach(() => sandbox.close());

  function first(): ScriptedProcess {
    return at(0);
  }

  function at(index: number): ScriptedProcess {
    const found = host.processes[index];
    if (found === undefined) throw new Error("Process not found");
    return found;
  }

  function last<Type extends ProcessRequest["type"]>(process: ScriptedProcess, type: Type): Extract<ProcessRequest, { type: Type }> {
    const found = process.requests.findLast(({ request }) => request.type === type)?.request;
    if (found === undefined) throw new Error(`The process was sent no "${type}"`);
    return found as Extract<ProcessRequest, { type: Type }>;
  }

  async function load(process: ScriptedProcess, loading: ReturnType<Sandbox["load"]>): Promise<void> {
    await expect.poll(() => process.requests.some(({ request }) => request.type === "load")).toBe(true);
    process.say({ type: "loaded", number: last(process, "load").number, loadMs: 1, imageBytes: 2 });
    expect(await loading).toMatchObject({ ok: true });
  }

  /** Starts a call. */
  function begin(fields: Partial<Invocation> = {}): {
    readonly outcome: Promise<InvocationOutcome>;
    readonly number: number;
    done(process: ScriptedProcess, value?: number): void;
  } {
    const outcome = sandbox.invoke({ ...INVOCATION, limits: LIMITS, ...fields });
    const { number } = last(first(), "call");
    return {
      outcome,
      number,
      done: (process, value = 1) => process.say({ type: "done", number, output: `{"o":${value}}`, used: NOTHING_USED, lines: [] }),
    };
  }

  /** Returns the spare, ready. */
  async function spare(): Promise<ScriptedProcess> {
    host.advance(200);
    expect(host.processes.length).toBe(2);
    // Lets the promise of the ready message settle.
    await Promise.resolve();
    return at(1);
  }

  it("is ignored and ended once it sends an invalid message [B5.process]", async () => {
    const good = await spare();
    const { outcome, number, done } = begin();
    first().say({ type: "done", number, output: 7, used: NOTHING_USED, lines: [] });
    expect(first().killed).toBe(true);
    done(first());
    done(good, 2);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 2 } });
    expect(defects).toEqual(["The sandbox's process sent an invalid message"]);
  });

  it.each<[string, Uint8Array]>([
    ["bytes that are not a frame", new Uint8Array(100).fill(0xff)],
    ["a head larger than its calls may need", new Uint8Array([0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0, 0, 0, 0, ...new Uint8Array(0x40_0000 - 8)])],
    ["a frame larger than any answer", new Uint8Array([0x7f, 0xff, 0xff, 0xff])],
    ["text that is not JSON", new Uint8Array([0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0x7b])],
  ])("is ended for %s [B5.process]", (_what, bytes) => {
    first().write(bytes);
    expect(first().killed).toBe(true);
    expect(defects.length).toBe(1);
  });

  it("cannot answer a call of another process, or request operations for it [B5.process] [B5.worker]", async () => {
    const loading = sandbox.load(ISOLATED);
    await expect.poll(() => host.processes.length).toBe(2);
    await load(at(1), loading);
    const asked: string[] = [];
    const { outcome, number, done } = begin({
      hostCall: ({ name }) => {
        asked.push(name);
        return Promise.resolve({ ok: true, value: null });
      },
    });
    // Another plugin's process, which knows the call's number.
    at(1).say({ type: "operation", number, operation: 1, name: "fs.readFile", text: "{}" });
    at(1).say({ type: "done", number, output: '{"o":"forged"}', used: NOTHING_USED, lines: [["info", "forged"]] });
    expect(asked).toEqual([]);
    done(first());
    expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
  });

  it("enforces a call's limits in the host [B3.output] [B3.logs] [B5.process]", async () => {
    const lines: string[] = [];
    const limits = { ...LIMITS, outputBytes: 10, logBytes: 10 };
    const { outcome, number } = begin({ limits, onLogs: (part) => part.forEach(([, text]) => lines.push(text)) });
    first().say({
      type: "logs",
      number,
      lines: [
        ["info", "12345"],
        // Only the first line fits, with the host's own line about dropped ones.
        ["info", "1".repeat(100)],
        ["info", "7"],
      ],
    });
    first().say({ type: "done", number, output: `"${"x".repeat(9)}"`, used: NOTHING_USED, lines: [] });
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "exhausted", limit: "output" } });
    expect(lines).toEqual(["12345"]);
  });

  it("is ended when it floods the host with unexpected messages [B5.process]", () => {
    for (let index = 0; index < 100_001; index++) first().say({ type: "logs", number: 99_999, lines: [] });
    expect(first().killed).toBe(true);
  });

  it("is ended when it does not read [B5.process]", async () => {
    const good = await spare();
    first().unsentBytes = 600 * 1024 * 1024;
    const { outcome, done } = begin();
    expect(first().killed).toBe(true);
    done(good, 3);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 3 } });
  });

  it("is replaced, and only calls without effects run again [B10.process]", async () => {
    const good = await spare();
    const innocent = begin();
    const active = begin();
    const logged = begin();
    first().say({ type: "operation", number: active.number, operation: 1, name: "fs.readFile", text: "{}" });
    first().say({ type: "logs", number: logged.number, lines: [["info", "seen"]] });
    first().exit("signal SIGKILL");
    expect(await active.outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
    expect(await logged.outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
    // The warm spare has the call now, loaded from the plugin's files.
    expect(good.requests.map(({ request: { type } }) => type)).toEqual(["boot", "load", "call"]);
    innocent.done(good, 4);
    expect(await innocent.outcome).toMatchObject({ ok: true, output: { o: 4 } });
  });

  it("is not restarted forever for a call that ends every process [B4.process]", async () => {
    const { outcome } = begin();
    for (let index = 0; index < 3; index++) at(index).exit(`end ${index}`);
    expect(await outcome).toMatchObject({
      ok: false,
      fault: { kind: "trap", message: "The sandbox's process ended on each of 3 attempts; the log says why" },
    });
    expect(defects).toEqual(["end 0", "end 1", "end 2"]);
    expect(host.processes.length).toBe(3);
  });

  it("is killed when it stops answering, and the spare takes over [B10.process] [B3.kill]", async () => {
    const good = await spare();
    const { outcome, done } = begin();
    for (let second = 0; second < 9; second++) host.advance(1_000);
    expect(first().requests.filter(({ request }) => request.type === "ping").length).toBe(9);
    first().say({ type: "pong" });
    for (let second = 0; second < 10; second++) host.advance(1_000);
    expect(first().killed).toBe(false);
    // The number of pings, one per second of the host's own time.
    for (let time = 0; time < 100; time++) host.starve(100);
    expect(first().killed).toBe(false);
    host.advance(1_000);
    expect(first().killed).toBe(true);
    done(good, 5);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 5 } });
  });

  it("is killed when it does not start, in the host's own time: not while it starves as the host does [B10.starved] [B4.process]", async () => {
    const slow = scriptedProcesses({ isReady: false });
    await sandbox.close();
    sandbox = createProcessSandbox(slow.launcher);
    const loading = sandbox.load(PLUGIN);
    await expect.poll(() => slow.processes.length).toBe(1);
    for (let time = 0; time < 3_000; time++) slow.starve(100);
    expect(slow.processes.map(({ killed }) => killed)).toEqual([false]);
    slow.advance(15_000);
    expect(slow.processes.map(({ killed }) => killed)).toEqual([true, false]);
    slow.processes[1]?.say({ type: "ready" });
    const second = slow.processes[1];
    if (second !== undefined) await load(second, loading);
  });

  it("is killed when it answers pings but finishes no call in time [B3.kill] [B10.process]", async () => {
    const { outcome } = begin();
    for (let second = 0; second < 18; second++) {
      host.advance(1_000);
      first().say({ type: "pong" });
    }
    expect(first().killed).toBe(false);
    host.advance(1_000);
    first().say({ type: "pong" });
    host.advance(1_000);
    expect(first().killed).toBe(true);
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "timeout", limit: "wall", limitMs: 3_000 } });
  });

  it("may wait for the host as long as the host takes [B10.process]", async () => {
    const answer = Promise.withResolvers<{ readonly ok: true; readonly value: null }>();
    const { outcome, number, done } = begin({ hostCall: () => answer.promise });
    first().say({ type: "operation", number, operation: 7, name: "ask", text: "{}" });
    for (let second = 0; second < 100; second++) {
      host.advance(1_000);
      first().say({ type: "pong" });
    }
    answer.resolve({ ok: true, value: null });
    await expect.poll(() => last(first(), "answer")).toEqual({ type: "answer", number, operation: 7, answer: "vnull" });
    done(first());
    expect(await outcome).toMatchObject({ ok: true });
  });

  it("receives a cancellation, which also takes effect if it does not react [T3.process]", async () => {
    const abort = new AbortController();
    const { outcome, number } = begin({ signal: abort.signal });
    abort.abort();
    expect(last(first(), "abort")).toEqual({ type: "abort", number });
    host.advance(2_250);
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "cancelled" } });
  });

  it("stores a base image only if the process made it before it received a plugin [B5.process]", async () => {
    const untouched = await spare();
    const { base = "" } = last(first(), "boot");
    first().say({ type: "base", name: base }, new Uint8Array([6, 6, 6]));
    expect(host.kept.size).toBe(0);
    untouched.say({ type: "base", name: "another" }, new Uint8Array([1]));
    untouched.say({ type: "base", name: base }, new Uint8Array([1, 2, 3]));
    expect([...host.kept]).toEqual([[base, new Uint8Array([1, 2, 3])]]);
  });

  it("is separate for a plugin that never shares, and ends with it [B1.isolation]", async () => {
    const loading = sandbox.load(ISOLATED);
    await expect.poll(() => host.processes.length).toBe(2);
    await load(at(1), loading);
    expect(first().requests.some(({ request }) => request.type === "load" && request.source.name === "apart")).toBe(false);
    sandbox.unload("apart");
    expect(at(1).killed).toBe(true);
    expect(first().killed).toBe(false);
  });

  it("keeps the host's process alive only while it has jobs", async () => {
    expect(first().alive).toBe(false);
    const { outcome, done } = begin();
    expect(first().alive).toBe(true);
    done(first());
    await outcome;
    expect(first().alive).toBe(false);
  });

  it("ends when the sandbox is closed, and its calls are cancelled", async () => {
    const { outcome } = begin();
    await spare();
    await sandbox.close();
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "cancelled" } });
    expect(host.processes.map(({ killed }) => killed)).toEqual([true, true]);
  });

  it("is ended by a defect of the host in handling its message, without an exception [B5.defect]", async () => {
    let isBroken = false;
    const outcome = sandbox.invoke({
      ...INVOCATION,
      get limits() {
        if (!isBroken) return LIMITS;
        isBroken = false;
        throw new Error("a defect");
      },
    });
    const { number } = last(first(), "call");
    isBroken = true;
    expect(() => first().say({ type: "logs", number, lines: [["info", "a line"]] })).not.toThrow();
    expect(isBroken).toBe(false);
    expect(first().killed).toBe(true);
    expect(defects).toEqual(["The sandbox's process sent a message that failed: Error: a defect"]);
    // Another process replaces it.
    await expect.poll(() => host.processes.length).toBe(2);
    void outcome;
  });
});
