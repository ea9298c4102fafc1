import { describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import type { HostEvent } from "../../../host/audit/events.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

/** A tool that ends only when it is cancelled; `began` lists its calls. */
const began: string[] = [];
const endless = hostTool(
  "endless",
  {},
  (_args, { callId, signal }) =>
    new Promise((_resolve, reject) => {
      began.push(callId);
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    }),
);

async function start(): Promise<{ readonly host: Host; readonly events: HostEvent[] }> {
  began.length = 0;
  const events: HostEvent[] = [];
  const host = await createHost({ platform: memoryPlatform(), tools: [endless], events: { publish: (event) => void events.push(event) } });
  return { host, events };
}

const CANCELLED = { ok: false, error: { code: "cancelled" } };

describe("cancelling", () => {
  it("ends one call; a second cancellation finds none [T3.call]", async () => {
    const { host } = await start();
    await using _closed = host;
    const [one, other] = [host.call("endless", {}, { callId: "one" }), host.call("endless", {}, { callId: "other" })];
    await expect.poll(() => began.length).toBe(2);
    expect(await host.cancelCall("one")).toMatchObject({ ...CANCELLED, callId: "one" });
    expect(await one).toMatchObject(CANCELLED);
    expect(host.result("other")).toBeUndefined();
    expect(await host.cancelCall("one")).toBeUndefined();
    expect(await host.cancelCall("no such call")).toBeUndefined();
    await host.cancelCall("other");
    expect(await other).toMatchObject(CANCELLED);
  });

  it("ends the calls of one turn, including those that wait for a slot [T3.turn]", async () => {
    const { host } = await start();
    await using _closed = host;
    const session = host.session({ concurrency: 1 });
    const turn = host.callAll([{ tool: "endless" }, { tool: "endless" }], { session, turn: "first" });
    await expect.poll(() => began.length).toBe(1);
    const later = host.call("endless", {}, { session, turn: "second", callId: "later" });
    expect(await host.cancelTurn(session, "first")).toMatchObject([CANCELLED, CANCELLED]);
    expect(await turn).toMatchObject([CANCELLED, CANCELLED]);
    await expect.poll(() => began.at(-1)).toBe("later");
    expect(await host.cancelTurn(host.session(), "second")).toEqual([]);
    await host.cancelSession(session.id);
    expect(await later).toMatchObject(CANCELLED);
  });

  it("starts no more calls of a turn, in any mode [T3.turn]", async () => {
    const { host } = await start();
    await using _closed = host;
    const session = host.session();
    for (const mode of ["direct", "chain"] as const) {
      began.length = 0;
      const turn = host.turn([{ tool: "endless" }, { tool: "endless" }], { session, turn: mode, mode, sequential: true });
      await expect.poll(() => began.length).toBe(1);
      expect(await host.cancelTurn(session, mode)).toMatchObject([CANCELLED]);
      expect((await turn).results).toMatchObject([CANCELLED, CANCELLED]);
      expect(began.length).toBe(1);
    }
  });

  it("ends the calls of a session and of its delegated sessions, and emits its end once [T3.session]", async () => {
    const { host, events } = await start();
    await using _closed = host;
    const session = host.session();
    const child = host.session({ parent: session });
    const calls = [host.call("endless", {}, { session }), host.call("endless", {}, { session: child })];
    const other = host.call("endless", {}, { callId: "other" });
    await expect.poll(() => began.length).toBe(3);
    await host.endSession(session);
    expect(await Promise.all(calls)).toMatchObject([CANCELLED, CANCELLED]);
    await host.endSession(session);
    expect(events.filter(({ type, sessionId }) => type === "session.closed" && sessionId === session.id)).toHaveLength(1);
    expect(host.result("other")).toBeUndefined();
    await host.cancelCall("other");
    expect(await other).toMatchObject(CANCELLED);
  });
});

describe("a call's id", () => {
  it("cannot be reused by another session while its call runs [E6.own-id]", async () => {
    const { host, events } = await start();
    await using _closed = host;
    const mine = host.call("endless", {}, { session: host.session(), callId: "one" });
    await expect.poll(() => began.length).toBe(1);
    const other = await host.call("echo", { text: "forged" }, { session: host.session(), callId: "one" });
    expect(other).toMatchObject({
      ok: false,
      error: { code: "invalid_args", message: expect.stringContaining("choose another") as unknown },
    });
    expect(other.callId).not.toBe("one");
    expect(host.result("one")).toBeUndefined();
    expect(events.filter(({ callId }) => callId === "one").map(({ type }) => type)).toEqual(["tool.called"]);
    await host.cancelCall("one");
    expect(await mine).toMatchObject(CANCELLED);
    expect(host.result("one")).toMatchObject(CANCELLED);
  });
});
