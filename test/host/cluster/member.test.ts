import { describe, expect, it } from "vitest";
import type { ClusterCall } from "../../../host/cluster/accepted-call.ts";
import { createTestCluster, resultOf } from "../../support/cluster.ts";

const lost = { ok: true, text: expect.stringContaining('"details":{"retryable":false,"lost":true,"mayHaveHappened":true}') };

describe("a cluster", () => {
  it("runs a call on a member, and returns its result [CL1.call]", async () => {
    const cluster = createTestCluster();
    const seen: ClusterCall[] = [];
    await cluster.member("alpha", async (call) => {
      seen.push(call);
      return resultOf(2);
    });
    const caller = await cluster.caller("web");
    expect(await cluster.settle(cluster.call(caller))).toEqual({ ok: true, text: '{"ok":true,"output":2}' });
    expect(seen).toMatchObject([{ callId: "call-0001", tool: "demo.work", caller: "web", owner: "me", args: { n: 1 }, timeoutMs: 60_000 }]);
  });

  it("answers unavailable at once if no member holds the plugin [CL1.none]", async () => {
    const cluster = createTestCluster();
    const { member } = await cluster.member("alpha", async () => resultOf(1));
    member.hold(new Set());
    const caller = await cluster.caller("web");
    const before = cluster.platform.clock.now();
    expect(await cluster.settle(cluster.call(caller))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining('no member of the cluster "test" holds this version of the plugin') },
    });
    expect(cluster.platform.clock.now() - before).toBeLessThan(200);
  });

  it("runs a call once, however often it is repeated, and refuses other arguments under its id [CL2.once]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    const run = async (): Promise<Uint8Array> => resultOf((runs += 1));
    await cluster.member("alpha", run);
    await cluster.member("beta", run);
    const caller = await cluster.caller("web");
    const other = await cluster.caller("batch");
    const calls = [caller, other, caller, other, caller, other].map((host) => cluster.call(host));
    const ends = await cluster.settle(Promise.all(calls));
    expect(new Set(ends.map((end) => (end.ok ? end.text : end.error.message)))).toEqual(new Set(['{"ok":true,"output":1}']));
    expect(await cluster.settle(cluster.call(other))).toEqual({ ok: true, text: '{"ok":true,"output":1}' });
    expect(runs).toBe(1);
    expect(await cluster.settle(cluster.call(caller, { args: { n: 2 } }))).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(await cluster.settle(cluster.call(caller, { owner: "another" }))).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(runs).toBe(1);
  });

  it("ends the call of a dead member as lost, once for every caller, and runs it nowhere else [CL2.lost]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    const run = (): Promise<Uint8Array> => {
      runs += 1;
      return new Promise(() => undefined);
    };
    await cluster.member("alpha", run);
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => runs === 1);
    await cluster.member("beta", run);
    cluster.server.cut("alpha");
    expect(await cluster.settle(calling)).toMatchObject(lost);
    expect(await cluster.settle(cluster.call(caller))).toMatchObject(lost);
    expect(runs).toBe(1);
  });

  it("runs an idempotent call again after its member died, and drops the late result [CL2.idempotent]", async () => {
    const cluster = createTestCluster();
    let finish: ((result: Uint8Array) => void) | undefined;
    await cluster.member("alpha", () => new Promise((resolve) => (finish = resolve)), { isIdempotent: true });
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    await cluster.member("beta", async () => resultOf("beta"), { isIdempotent: true });
    cluster.server.cut("alpha");
    expect(await cluster.settle(calling)).toMatchObject({ text: '{"ok":true,"output":"beta"}' });
    cluster.server.heal("alpha");
    finish?.(resultOf("alpha"));
    await cluster.pass(5_000);
    expect(await cluster.settle(cluster.call(caller))).toMatchObject({ text: '{"ok":true,"output":"beta"}' });
    expect(cluster.defects.filter((text) => text.includes("has another result"))).toHaveLength(1);
  });

  it("keeps the call of a member that is only cut off for a moment, and of one whose server was away [CL2.partition]", async () => {
    const cluster = createTestCluster();
    let finish: ((result: Uint8Array) => void) | undefined;
    let runs = 0;
    const run = (): Promise<Uint8Array> => {
      runs += 1;
      return new Promise((resolve) => (finish = resolve));
    };
    await cluster.member("alpha", run, { isIdempotent: true });
    await cluster.member("beta", run, { isIdempotent: true });
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => runs === 1);
    // Every heartbeat expires meanwhile.
    cluster.server.cut();
    await cluster.pass(15_000);
    finish?.(resultOf("late"));
    cluster.server.heal();
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"late"}' });
    expect(runs).toBe(1);
  });

  it("cancels at the guest [CL3.cancel]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    let isCancelled = false;
    await cluster.member("alpha", ({ signal }) => {
      runs += 1;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(resultOf((isCancelled = true)))));
    });
    const caller = await cluster.caller("web");
    const stop = new AbortController();
    const calling = cluster.call(caller, { signal: stop.signal });
    await cluster.until(() => runs === 1);
    stop.abort();
    expect(await cluster.settle(calling)).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await cluster.until(() => isCancelled);
  });

  it("passes yielded values in order, and holds the tool back while the reader is slow [CL3.credit]", async () => {
    const cluster = createTestCluster();
    let sent = 0;
    await cluster.member("alpha", async ({ onYield, onProgress }) => {
      onProgress("begins");
      for (; sent < 500; sent++) await onYield({ sent });
      return resultOf("end");
    });
    const caller = await cluster.caller("web");
    const got: unknown[] = [];
    const progress: unknown[] = [];
    let letGo: () => void = () => undefined;
    const open = new Promise<void>((resolve) => (letGo = resolve));
    const calling = cluster.call(caller, {
      onProgress: (value) => void progress.push(value),
      onYield: async (value) => {
        got.push(value);
        await open;
        return undefined;
      },
    });
    await cluster.pass(30_000);
    expect({ got: got.length, progress, isHeld: sent < 70 }).toEqual({ got: 1, progress: ["begins"], isHeld: true });
    letGo();
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"end"}' });
    expect(got).toEqual(Array.from({ length: 500 }, (_, index) => ({ sent: index })));
  });

  it("sends large arguments, values and results through the bucket of large values [CL3.large]", async () => {
    const cluster = createTestCluster();
    const large = "x".repeat(700_000);
    await cluster.member("alpha", async ({ args, onYield }) => {
      await onYield(args);
      return resultOf(args);
    });
    const caller = await cluster.caller("web");
    const got: unknown[] = [];
    const onYield = async (value: unknown): Promise<undefined> => void got.push(value);
    const end = await cluster.settle(cluster.call(caller, { args: { large }, onYield }));
    expect(end).toEqual({ ok: true, text: JSON.stringify({ ok: true, output: { large } }) });
    expect(got).toEqual([{ large }]);
  });

  it("accepts callers that it lists, and results of members that the caller lists [CL6.listed]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    await cluster.member("alpha", async () => resultOf((runs += 1)));
    const stranger = await cluster.open("stranger", undefined);
    expect(await cluster.settle(cluster.call(stranger))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining(`${stranger.identity.publicKey} is not listed`) },
    });
    expect(runs).toBe(0);
    delete cluster.members["alpha"];
    const caller = await cluster.caller("web");
    expect(await cluster.settle(cluster.call(caller))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("is not listed") },
    });
  });

  it("leaves calls to others when it is full, also of few calls with large arguments [CL3.bounded]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    const ends: (() => void)[] = [];
    await cluster.member("alpha", () => {
      runs += 1;
      return new Promise((resolve) => ends.push(() => resolve(resultOf(1))));
    });
    const caller = await cluster.caller("web");
    const large = "x".repeat(15 * 1024 * 1024);
    const calls = Array.from({ length: 20 }, (_, index) => cluster.call(caller, { callId: `call-${index}`, args: { large } }));
    const all = Promise.all(calls);
    await cluster.pass(5_000);
    // 15 MB weigh as much as 16 calls.
    expect(runs).toBe(16);
    for (const end of ends) end();
    const got = await cluster.settle(all);
    expect(got.filter((end) => end.ok).length).toBe(16);
    expect(got.flatMap((end) => (end.ok ? [] : end.error.code))).toEqual(Array.from({ length: 4 }, () => "overloaded"));
  });

  it("records a defect of the member as the result, and does not run the call again [CL2.defect]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    await cluster.member("alpha", () => {
      runs += 1;
      return Promise.reject(new Error("a defect"));
    });
    const caller = await cluster.caller("web");
    const internal = { ok: true, text: expect.stringContaining('"code":"internal"') };
    expect(await cluster.settle(cluster.call(caller))).toMatchObject(internal);
    expect(await cluster.settle(cluster.call(caller))).toMatchObject(internal);
    expect(runs).toBe(1);
  });

  it("finishes what it has accepted before it leaves [CL7.drain]", async () => {
    const cluster = createTestCluster();
    let finish: ((result: Uint8Array) => void) | undefined;
    const { member } = await cluster.member("alpha", () => new Promise((resolve) => (finish = resolve)));
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    const draining = member.drain(30_000).then(() => member.close());
    expect(await cluster.settle(cluster.call(caller, { callId: "call-0002" }))).toMatchObject({
      ok: false,
      error: { code: "unavailable" },
    });
    finish?.(resultOf(7));
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":7}' });
    await cluster.settle(draining);
  });
});
