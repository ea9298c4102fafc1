import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createAskedCalls } from "../../../host/dispatch/asked-calls.ts";
import { createRemembered } from "../../../host/dispatch/remembered.ts";
import { createRecentResults, sizeOf } from "../../../host/dispatch/recent-results.ts";
import { createSession } from "../../../host/call/session.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";
import { testHost } from "../../support/test-host.ts";
import { hostTool } from "../../support/tools.ts";

/** Creates a tool whose calls end on `release`, and counts the concurrent ones. */
function gated(): { readonly tool: ReturnType<typeof hostTool>; readonly most: () => number; readonly began: number[]; release(): void } {
  let running = 0;
  let most = 0;
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const began: number[] = [];
  const tool = hostTool("slow", {}, async (args) => {
    began.push((args as { n: number }).n);
    most = Math.max(most, ++running);
    await gate;
    running -= 1;
    return args;
  });
  return { tool, began, most: () => most, release: () => open() };
}

const requests = (count: number): { readonly tool: string; readonly args: { readonly n: number } }[] =>
  Array.from({ length: count }, (_, n) => ({ tool: "slow", args: { n } }));

describe("callAll()", () => {
  it("runs up to the session's cap at once, with results in the order of the requests [D4]", async () => {
    const slow = gated();
    const host = testHost({ tools: [slow.tool] });
    const all = host.calls.callAll(requests(10));
    await expect.poll(() => slow.began.length).toBe(4);
    slow.release();
    expect((await all).map(({ output }) => output)).toEqual(requests(10).map(({ args }) => args));
    expect(slow.most()).toBe(4);
  });

  it("runs the calls one by one on request [D4.sequential]", async () => {
    const slow = gated();
    slow.release();
    const host = testHost({ tools: [slow.tool] });
    await host.calls.callAll(requests(5), { sequential: true });
    expect(slow.most()).toBe(1);
    expect(slow.began).toEqual([0, 1, 2, 3, 4]);
  });

  it("answers overloaded if the queue is full [D4.queue]", async () => {
    const slow = gated();
    const session = createSession({ id: "s", workspace: WORKSPACE, concurrency: 1, queue: 2 });
    const host = testHost({ tools: [slow.tool], session });
    const all = host.calls.callAll(requests(5));
    await expect.poll(() => host.events.filter(({ type }) => type === "tool.failed").length).toBe(2);
    slow.release();
    expect((await all).map((result) => (result.ok ? "ok" : result.error.code))).toEqual(["ok", "ok", "ok", "overloaded", "overloaded"]);
  });

  it("never uses another session's slots [D4]", async () => {
    const slow = gated();
    const session = createSession({ id: "one", workspace: WORKSPACE, concurrency: 1 });
    const other = createSession({ id: "two", workspace: WORKSPACE, concurrency: 1 });
    const host = testHost({ tools: [slow.tool] });
    const all = Promise.all([host.calls.callAll(requests(2), { session }), host.calls.callAll(requests(2), { session: other })]);
    await expect.poll(() => slow.began.length).toBe(2);
    slow.release();
    await all;
    expect(slow.most()).toBe(2);
  });
});

describe("createCalls()", () => {
  it("remembers the result of a call by its id", async () => {
    const host = testHost({ tools: [hostTool("say")] });
    const result = await host.call("say", { a: 1 }, { callId: "mine" });
    expect(host.calls.result("mine")).toBe(result);
    expect(host.calls.result("other")).toBeUndefined();
  });

  it("forgets results older than the last thousand, and keeps the latest of an id", async () => {
    const results = createRecentResults(1_000);
    const host = testHost({ tools: [hostTool("say")] });
    const [first, again] = [await host.call("say", { a: 1 }, { callId: "mine" }), await host.call("say", { a: 2 }, { callId: "mine" })];
    results.add(first);
    results.add(again);
    expect(results.get("mine")).toBe(again);
    for (let number = 0; number < 999; number++) results.add({ ...first, callId: String(number) });
    expect(results.get("mine")).toBe(again);
    for (let number = 0; number < 1_001; number++) results.add({ ...first, callId: `later ${number}` });
    expect([results.get("mine"), results.get("later 1")?.callId]).toEqual([undefined, "later 1"]);
  });

  it("keeps fewer results if they are large in memory, even if their JSON is short [E6, X6]", async () => {
    const host = testHost({ tools: [hostTool("say")] });
    const { ...base } = await host.call("say", {});
    const empty = Array.from({ length: 350_000 }, () => []);
    for (const large of [{ output: empty }, { arguments: empty }, { output: "x".repeat(8 * 1024 * 1024) }, { metadata: { empty } }]) {
      const results = createRecentResults(1_000);
      const add = (number: number): void => results.add({ ...base, ...large, callId: String(number) } as typeof base);
      for (let number = 0; number < 12; number++) add(number);
      const kept = Array.from({ length: 12 }, (_, number) => results.get(String(number))).filter((result) => result !== undefined);
      expect(kept.length).toBeLessThan(9);
      expect(results.get("11")).toBeDefined();
    }
  });

  it("weighs a list without listing its keys, which takes ten times as long [X6.cost]", async () => {
    const host = testHost({ tools: [hostTool("say")] });
    const result = await host.call("say", {});
    const list = new Proxy([[], "text", 1], { ownKeys: () => expect.unreachable() });
    // The object's own size, plus its entry in the list.
    expect(sizeOf({ ...result, arguments: list as never }) - sizeOf({ ...result, arguments: null as never })).toBe(
      48 + 3 * 8 + 48 + 8 + 8 - 8,
    );
  });

  it("keeps a bounded number and size of ended entries, and all entries that have not ended [E6.bounded]", () => {
    const remembered = createRemembered<{ readonly id: string }>(3, 100);
    const put = (id: string, bytes?: number, owner = "me"): void => {
      const value = { id };
      remembered.set(id, value, owner);
      if (bytes !== undefined) remembered.ended(id, value, bytes);
    };
    const kept = (): string =>
      Array.from("abcdefghij")
        .filter((id) => remembered.get(id)?.id === id && remembered.has(id))
        .join("");
    put("a");
    for (const id of ["b", "c", "d"]) put(id, 10);
    expect(kept()).toBe("acd");
    put("e", 95);
    expect(kept()).toBe("ae");
    // A replaced entry releases its size, and its own end has no effect.
    const old = { id: "e" };
    remembered.set("e", old, "me");
    put("e", 5);
    remembered.ended("e", old, 1_000);
    put("f", 95);
    expect(kept()).toBe("aef");
    remembered.delete("f");
    put("g", 95);
    expect(kept()).toBe("aeg");
  });

  it("never evicts another owner's results because an owner has many, or large ones [E6.bounded]", () => {
    const [me, other] = ["me", "other"];
    for (const [most, mostBytes] of [
      [4, 1_000],
      [1_000, 4],
    ] as const) {
      const remembered = createRemembered<string>(most, mostBytes);
      const put = (id: string, owner: string): void => {
        remembered.set(id, id, owner);
        remembered.ended(id, id, 1);
      };
      for (const id of ["a", "b"]) put(id, me);
      for (const id of ["c", "d", "e", "f", "g"]) put(id, other);
      expect(Array.from("abcdefg").filter((id) => remembered.has(id))).toEqual(["a", "b", "f", "g"]);
    }
    const remembered = createRemembered<string>(1_000, 100);
    for (const [id, owner, bytes] of [
      ["a", me, 1],
      ["b", me, 1],
      ["c", me, 1],
      ["d", other, 60],
      ["e", other, 60],
    ] as const) {
      remembered.set(id, id, owner);
      remembered.ended(id, id, bytes);
    }
    expect(Array.from("abcde").filter((id) => remembered.has(id))).toEqual(["a", "b", "c", "e"]);
  });

  it("forgets large results of calls that waited for a confirmation [E6.bounded]", async () => {
    const host = testHost({ tools: [hostTool("say")] });
    const { ...base } = await host.call("say", {});
    const asked = createAskedCalls();
    const session = { id: "s" };
    const large = { ...base, output: "x".repeat(8 * 1024 * 1024) } as typeof base;
    for (let number = 0; number < 9; number++)
      await asked.add({ callId: String(number), tool: "say", args: { number }, session }, base, Promise.resolve(large));
    const found = await Promise.all(
      Array.from({ length: 9 }, (_, number) => asked.find({ callId: String(number), tool: "say", args: { number }, session })),
    );
    expect(found.map((result) => result !== undefined)).toEqual([...Array.from({ length: 6 }, () => false), true, true, true]);
  });

  it("cancels a call when its caller's signal aborts, also before it begins, and removes its listener afterwards", async () => {
    const waiting = hostTool(
      "slow",
      {},
      (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    );
    const host = testHost({ tools: [waiting, hostTool("say")] });
    const stop = new AbortController();
    const running = host.call("slow", {}, { signal: stop.signal });
    await expect.poll(() => host.types()).toContain("tool.called");
    expect(await host.call("say", {}, { signal: stop.signal })).toMatchObject({ ok: true });
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(await host.call("say", {}, { signal: stop.signal })).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  it("cancels running calls on close, and refuses new ones [T5]", async () => {
    const stubborn = hostTool(
      "slow",
      {},
      (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    );
    const host = testHost({ tools: [stubborn] });
    const running = host.call("slow");
    await expect.poll(() => host.types()).toContain("tool.called");
    const closed = host.calls.close(100);
    expect(await host.call("slow")).toMatchObject({ ok: false, error: { code: "unavailable" } });
    host.platform.advance(100);
    await closed;
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
  });
});
