import { describe, expect, it } from "vitest";
import { createMcpHandler } from "../../../../host/doors/mcp/mod.ts";
import { createRecentEvents } from "../../../../host/doors/mcp/recent-events.ts";
import { createHost, functionTool } from "../../../../host/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const URL = "http://127.0.0.1/mcp";
const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

describe("a stream of a legacy revision over HTTP", () => {
  it("resumes where its connection broke, for its own session only [I3.resume]", async () => {
    const gate = Promise.withResolvers<void>();
    const tool = functionTool(() => gate.promise.then(() => "late"), { name: "wait", description: "Waits", sideEffects: [] });
    await using host = await createHost({ config: false, builtins: false, platform: memoryPlatform(), tools: [tool] });
    const handler = createMcpHandler({ host, platform: memoryPlatform() });
    const post = (body: object, session: object = {}): Promise<Response> =>
      handler.fetch(
        new Request(URL, { method: "POST", headers: { ...HEADERS, ...session }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      );
    const open = async (): Promise<object> => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const opened = await post({ id: 0, method: "initialize", params });
      await opened.text();
      return { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "", "Mcp-Protocol-Version": "2025-11-25" };
    };
    const session = await open();
    const stream = (await post({ id: 1, method: "tools/call", params: { name: "wait", arguments: {} } }, session)).body?.getReader();
    const first = new TextDecoder().decode((await stream?.read())?.value);
    const [, id = ""] = /^id: (\S+)$/mu.exec(first) ?? [];
    expect(id).not.toBe("");
    await stream?.cancel();
    gate.resolve();
    const resume = (last: string, of: object): Promise<Response> =>
      handler.fetch(new Request(URL, { headers: { Accept: "text/event-stream", "Last-Event-ID": last, ...of } }));
    // The resumed stream waits for the answer.
    const rest = await (await resume(id, session)).text();
    expect(rest).toContain('"late"');
    expect(rest).toContain('"id":1');
    // Event ids are small numbers, counted per session.
    const other = await resume(id, await open());
    expect(await other.text()).not.toContain("late");
    expect((await resume("nonsense", session)).status).toBe(400);
    await handler.close();
  });

  it("is ended during a long call if the door polls, and resumes when its client reconnects [I3.poll]", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const run = (): Promise<string> => {
      begun.resolve();
      return gate.promise.then(() => "late");
    };
    const tool = functionTool(run, { name: "wait", description: "Waits", sideEffects: [] });
    const platform = memoryPlatform();
    await using host = await createHost({ config: false, builtins: false, platform, tools: [tool] });
    const handler = createMcpHandler({ host, platform, pollAfterMs: 1_000 });
    const post = (body: object, session: object = {}): Promise<Response> =>
      handler.fetch(
        new Request(URL, { method: "POST", headers: { ...HEADERS, ...session }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      );
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const opened = await post({ id: 0, method: "initialize", params });
    await opened.text();
    const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "", "Mcp-Protocol-Version": "2025-11-25" };
    const response = await post({ id: 1, method: "tools/call", params: { name: "wait", arguments: {} } }, session);
    await begun.promise;
    platform.advance(1_000);
    const [, id = ""] = /^id: (\S+)\nretry: 1000\ndata: \n\n$/u.exec(await response.text()) ?? [];
    expect(id).not.toBe("");
    gate.resolve();
    const headers = { Accept: "text/event-stream", "Last-Event-ID": id, ...session };
    expect(await (await handler.fetch(new Request(URL, { headers }))).text()).toContain('"late"');
    await handler.close();
  });

  it("keeps a bounded number of events, and refuses to resume after a dropped one [I3.resume-bounded]", async () => {
    const events = createRecentEvents(3, 1_000);
    const message = (text: string) => ({ jsonrpc: "2.0", method: "notifications/message", params: { text } }) as const;
    const ids = [];
    for (const text of ["a", "b", "c", "d"]) ids.push(await events.storeEvent(text === "c" ? "other" : "mine", message(text)));
    const [a = "", b = "", , d = ""] = ids;
    const after = async (id: string): Promise<readonly string[]> => {
      const seen: string[] = [];
      await events.replayEventsAfter(id, { send: (own) => Promise.resolve(void seen.push(own)) });
      return seen;
    };
    expect(await after(b)).toEqual([d]);
    expect(await events.getStreamIdForEventId?.(a)).toBeUndefined();
    await expect(after(a)).rejects.toThrow("no longer kept");
    await events.storeEvent("mine", message("x".repeat(2_000)));
    expect(await events.getStreamIdForEventId?.(d)).toBeUndefined();
  });
});
