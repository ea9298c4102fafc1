import { describe, expect, it } from "vitest";
import { sealEnvelope } from "../../../host/cluster/envelope.ts";
import { callSubject, INLINE_BYTES } from "../../../host/cluster/names.ts";
import type { MemoryPacket } from "../../../host/platform/memory/memory-bus.ts";
import { createTestCluster, DIGEST, resultOf } from "../../support/cluster.ts";

const SUBJECT = callSubject("test", DIGEST);

describe("a member on a hostile network", () => {
  it("answers only to inboxes, and not into the buckets of the server [CL6.reply]", async () => {
    const sent: string[] = [];
    const cluster = createTestCluster((packet) => {
      sent.push(packet.what);
      queueMicrotask(() => packet.deliver());
    });
    await cluster.member("alpha", async () => resultOf(1));
    const stranger = await cluster.open("stranger", undefined);
    const key = "$KV.bascule-test-calls.0000";
    stranger.link.bus.publish(SUBJECT, sealEnvelope(stranger.identity, SUBJECT, { kind: "call" }), key);
    stranger.link.bus.publish(SUBJECT, sealEnvelope(stranger.identity, SUBJECT, { kind: "call" }), "_INBOX.9");
    await cluster.until(() => sent.includes("_INBOX.9"));
    expect(sent).not.toContain(key);
  });

  it("writes few lines about messages that it refuses [CL6.refusals]", async () => {
    const cluster = createTestCluster();
    await cluster.member("alpha", async () => resultOf(1));
    const stranger = await cluster.open("stranger", undefined);
    const refused = (): readonly string[] => cluster.defects.filter((text) => text.includes("is refused"));
    for (let count = 0; count < 1_000; count++) stranger.link.bus.publish(SUBJECT, new Uint8Array(1_000));
    await cluster.pass(1_000);
    expect(refused()).toHaveLength(1);
    await cluster.pass(10_000);
    stranger.link.bus.publish(SUBJECT, new Uint8Array(1_000));
    await cluster.pass(1_000);
    expect(refused()).toEqual([expect.any(String), expect.stringContaining("(and 999 others before)")]);
  });

  it("holds a bounded number of bytes of requests that wait for the server [CL6.bytes]", async () => {
    const held: MemoryPacket[] = [];
    let isHeld = false;
    const answered = new Set<string>();
    const cluster = createTestCluster((packet) => {
      if (packet.to === "web" && packet.what.startsWith("_INBOX.many")) answered.add(packet.what);
      if (isHeld && packet.what.includes("-calls create")) held.push(packet);
      else queueMicrotask(() => packet.deliver());
    });
    await cluster.member("alpha", async () => resultOf(1));
    const { link, identity } = await cluster.caller("web");
    const many: number[] = [];
    link.bus.subscribe("_INBOX.many.*", { onMessage: () => void many.push(1) });
    isHeld = true;
    const wanted = {
      kind: "call",
      callId: "call-0001",
      hash: "0".repeat(64),
      digest: DIGEST,
      tool: "demo.work",
      owner: "me",
      timeoutMs: 1_000,
    };
    const header = { ...wanted, inbox: "_INBOX.9", taken: 0, hasArguments: true, isKnown: false, at: cluster.platform.clock.now() };
    const bytes = sealEnvelope(identity, SUBJECT, header, new Uint8Array(INLINE_BYTES));
    for (let count = 0; count < 300; count++) link.bus.publish(SUBJECT, bytes, `_INBOX.many.${count}`);
    await cluster.pass(2_000);
    for (const packet of held.splice(0)) packet.deliver();
    isHeld = false;
    await cluster.pass(10_000);
    expect(many.length).toBeGreaterThan(0);
    expect(many.length).toBeLessThan(150);
  });

  it("drops progress while a large value is on its way to the server [CL3.progress]", async () => {
    let isHeld = true;
    const held: MemoryPacket[] = [];
    const cluster = createTestCluster((packet) => {
      if (isHeld && packet.what.includes("-values put")) held.push(packet);
      else queueMicrotask(() => packet.deliver());
    });
    await cluster.member("alpha", async ({ onProgress }) => {
      onProgress("x".repeat(700_000));
      for (let count = 0; count < 10_000; count++) onProgress(count);
      return resultOf(1);
    });
    const caller = await cluster.caller("web");
    const got: unknown[] = [];
    const calling = cluster.call(caller, { onProgress: (value) => void got.push(value) });
    await cluster.until(() => held.length > 0);
    isHeld = false;
    for (const packet of held.splice(0)) packet.deliver();
    expect(await cluster.settle(calling)).toEqual({ ok: true, text: '{"ok":true,"output":1}' });
    expect(got.slice(1)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("lets its caller go at once while large arguments are on their way [CL3.upload]", async () => {
    let isUploading = false;
    const cluster = createTestCluster((packet) => {
      if (packet.what.includes("-values put")) isUploading = true;
      else queueMicrotask(() => packet.deliver());
    });
    await cluster.member("alpha", async () => resultOf(1));
    const caller = await cluster.caller("web");
    const stop = new AbortController();
    const calling = cluster.call(caller, { args: { large: "x".repeat(700_000) }, signal: stop.signal });
    let code = "";
    void calling.then((end) => (code = end.ok ? "" : end.error.code));
    await cluster.until(() => isUploading);
    stop.abort();
    // The clock stands still: no wait ends by itself.
    await cluster.until(() => code === "cancelled");
  });
});
