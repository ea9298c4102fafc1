import { describe, expect, it } from "vitest";
import type { ClusterCall } from "../../../host/cluster/accepted-call.ts";
import type { MemoryPacket } from "../../../host/platform/memory/memory-bus.ts";
import { createTestCluster, resultOf } from "../../support/cluster.ts";

/** A network in which a connection can be frozen: nothing arrives, and the server does not notice. */
function freezable(): { readonly frozen: Set<string>; readonly network: (packet: MemoryPacket) => void; thaw(): void } {
  const frozen = new Set<string>();
  const held: MemoryPacket[] = [];
  return {
    frozen,
    network(packet) {
      if (frozen.has(packet.from) || frozen.has(packet.to)) held.push(packet);
      else queueMicrotask(() => packet.deliver());
    },
    thaw() {
      frozen.clear();
      for (const packet of held.splice(0)) packet.deliver();
    },
  };
}

describe("a call of a hostile or unlucky cluster", () => {
  it("is not run again by a member that leaves before its result is recorded [CL2.leaving]", async () => {
    let isLeaving = false;
    const late: MemoryPacket[] = [];
    const cluster = createTestCluster((packet) => {
      const isRecord = packet.from === "alpha" && packet.what.includes("-calls update");
      if (isLeaving && packet.to === "alpha" && packet.what.startsWith("bascule.test.member.")) late.push(packet);
      else if (packet.what.startsWith("drain")) return;
      else if (!isRecord) queueMicrotask(() => packet.deliver());
    });
    let runs = 0;
    let finish: ((result: Uint8Array) => void) | undefined;
    const { member } = await cluster.member("alpha", () => {
      runs += 1;
      return new Promise((resolve) => (finish = resolve));
    });
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    isLeaving = true;
    finish?.(resultOf(1));
    await cluster.pass(3_000);
    expect(late.length).toBeGreaterThan(0);
    const closing = member.close();
    // The call ends without a record, and then the request arrives.
    await cluster.pass(3_000);
    for (const packet of late.splice(0)) packet.deliver();
    await cluster.settle(closing);
    expect(await cluster.settle(calling)).toMatchObject({ ok: false, error: { details: { lost: true } } });
    expect(runs).toBe(1);
  });

  it("ends with one result if the host that runs it fails, and is not run again [CL2.defect]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    await cluster.member("alpha", async () => {
      runs += 1;
      throw new Error("a defect of the host");
    });
    const caller = await cluster.caller("web");
    const stop = new AbortController();
    const calling = cluster.call(caller, { signal: stop.signal });
    await Promise.race([cluster.settle(calling), cluster.pass(60_000).then(() => stop.abort())]);
    expect(await cluster.settle(calling)).toMatchObject({ ok: true, text: expect.stringContaining('"code":"internal"') });
    expect(runs).toBe(1);
  });

  it("goes to another member if its own is frozen, and the server does not notice [CL2.frozen]", async () => {
    const net = freezable();
    const cluster = createTestCluster(net.network);
    let finish: ((result: Uint8Array) => void) | undefined;
    await cluster.member("alpha", () => new Promise((resolve) => (finish = resolve)), { isIdempotent: true });
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    await cluster.member("beta", async () => resultOf("beta"), { isIdempotent: true });
    await cluster.pass(10_000);
    net.frozen.add("alpha");
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"beta"}' });
    net.thaw();
    finish?.(resultOf("alpha"));
    await cluster.pass(5_000);
    expect(await cluster.settle(cluster.call(caller))).toEqual({ ok: true, text: '{"ok":true,"output":"beta"}' });
  });

  it("continues on another member after many yielded values [CL3.resumed]", async () => {
    const cluster = createTestCluster();
    const yields =
      (most: number, after: () => Promise<Uint8Array>) =>
      async ({ onYield }: ClusterCall): Promise<Uint8Array> => {
        for (let index = 0; index < most; index++) await onYield(index);
        return await after();
      };
    const got: unknown[] = [];
    await cluster.member(
      "alpha",
      yields(100, () => new Promise(() => undefined)),
      { isIdempotent: true },
    );
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller, { onYield: async (value) => void got.push(value) });
    await cluster.settle(cluster.pass(1_000));
    await cluster.until(() => got.length === 100);
    await cluster.member(
      "beta",
      yields(120, async () => resultOf("end")),
      { isIdempotent: true },
    );
    await cluster.pass(10_000);
    cluster.server.cut("alpha");
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"end"}' });
    expect(got).toEqual(Array.from({ length: 120 }, (_, index) => index));
  });

  it("keeps its result if the server loses the record while it runs [CL2.storeLost]", async () => {
    const cluster = createTestCluster();
    let finish: ((result: Uint8Array) => void) | undefined;
    let runs = 0;
    const { link } = await cluster.member("alpha", () => {
      runs += 1;
      return new Promise((resolve) => (finish = resolve));
    });
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    await removeRecord(link);
    finish?.(resultOf("kept"));
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"kept"}' });
    expect(runs).toBe(1);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])(
    "is lost, and not run again, if the server loses the record before the result arrives (idempotent: %s) [CL2.storeLost]",
    async (isIdempotent, most) => {
      let isHeld = true;
      const cluster = createTestCluster((packet) => {
        if (!isHeld || !packet.what.endsWith(".result")) queueMicrotask(() => packet.deliver());
      });
      let runs = 0;
      const { link, member } = await cluster.member("alpha", async () => resultOf((runs += 1)), { isIdempotent });
      const caller = await cluster.caller("web");
      const calling = cluster.call(caller);
      await cluster.until(() => runs === 1);
      await cluster.settle(cluster.pass(1_000));
      expect(member.calls).toBe(0);
      await removeRecord(link);
      isHeld = false;
      const end = await cluster.settle(calling);
      expect(end.ok ? end.text : end.error.message).toContain(
        isIdempotent ? '"output":2' : "the server of the cluster has lost its record",
      );
      expect(runs).toBe(most);
    },
  );

  it("is kept if the server lost the record, and its member comes back later than the others [CL2.storeLost]", async () => {
    const cluster = createTestCluster();
    let finish: ((result: Uint8Array) => void) | undefined;
    let runs = 0;
    const run = (): Promise<Uint8Array> => {
      runs += 1;
      return new Promise((resolve) => (finish = resolve));
    };
    await cluster.member("alpha", run);
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    const { link } = await cluster.member("beta", run);
    cluster.server.cut();
    await cluster.pass(1_000);
    cluster.server.heal("beta");
    await cluster.settle(removeRecord(link));
    cluster.server.heal("web");
    await cluster.pass(4_000);
    cluster.server.heal("alpha");
    finish?.(resultOf("kept"));
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"kept"}' });
    expect(runs).toBe(1);
  });

  it("is not reported as over while its caller was frozen for a while [CL2.callerFrozen]", async () => {
    const net = freezable();
    const cluster = createTestCluster(net.network);
    let finish: ((result: Uint8Array) => void) | undefined;
    await cluster.member("alpha", () => new Promise((resolve) => (finish = resolve)));
    const caller = await cluster.caller("web");
    const calling = cluster.call(caller);
    await cluster.until(() => finish !== undefined);
    await cluster.pass(1_000);
    finish?.(resultOf("there"));
    // One long turn of the clock, as after SIGCONT: timers come first, then the messages that arrived meanwhile.
    cluster.platform.advance(25_000);
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":"there"}' });
  });

  it("says that it may have happened if a member that the caller does not list has answered [CL6.unlisted]", async () => {
    const cluster = createTestCluster();
    let runs = 0;
    await cluster.member("alpha", async () => resultOf((runs += 1)), { isListed: false });
    const caller = await cluster.caller("web");
    expect(await cluster.settle(cluster.call(caller))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("is not listed"), details: { lost: true, mayHaveHappened: true } },
    });
    expect(runs).toBe(1);
  });
});

async function removeRecord(link: {
  calls(): Promise<{ remove(key: string): Promise<void>; keys(prefix: string): Promise<readonly string[]> }>;
}): Promise<void> {
  const calls = await link.calls();
  for (const key of await calls.keys("")) await calls.remove(key);
}
