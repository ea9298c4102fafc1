import { expect, it } from "vitest";
import { createMcpHandler, type McpHandler } from "../../../../host/doors/mcp/mod.ts";
import { functionTool } from "../../../../host/mod.ts";
import type { Clock } from "../../../../host/platform/platform.ts";
import { mcpHost } from "../../../support/mcp-client.ts";

/** Wraps a clock to count its armed timers. */
function counting(clock: Clock): { readonly clock: Clock; armed(): number } {
  let armed = 0;
  const after: Clock["after"] = (delayMs, task) => {
    armed += 1;
    let isOver = false;
    const over = (): void => {
      if (!isOver) armed -= 1;
      isOver = true;
    };
    const stop = clock.after(delayMs, () => {
      over();
      task();
    });
    return () => {
      over();
      stop();
    };
  };
  return { clock: { ...clock, after }, armed: () => armed };
}

function initialize(protocolVersion: unknown): Request {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  return post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
}

function post(body: object, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
  });
}

it("keeps no timer and no listener of a session that its client deleted [LV5.mcp-http]", async () => {
  await using test = await mcpHost();
  const counted = counting(test.platform.clock);
  const handler = createMcpHandler({ host: test.host, platform: { ...test.platform, clock: counted.clock } });
  const before = counted.armed();
  const opened = await handler.fetch(initialize("2025-06-18"));
  await opened.text();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
  expect(counted.armed()).toBe(before + 1);
  const deleted = await handler.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers: session }));
  expect([deleted.status, counted.armed()]).toEqual([200, before]);
  expect((await handler.fetch(post({ jsonrpc: "2.0", id: 2, method: "ping" }, session))).status).toBe(404);
  await handler.close();
});

it("keeps nothing of a session that failed to open [LV5.mcp-http]", async () => {
  await using test = await mcpHost();
  const counted = counting(test.platform.clock);
  const handler = createMcpHandler({ host: test.host, platform: { ...test.platform, clock: counted.clock } });
  const before = counted.armed();
  const request = initialize("2025-06-18");
  request.headers.set("accept", "text/plain");
  const refused = await handler.fetch(request);
  await refused.text();
  expect([refused.status, counted.armed()]).toEqual([406, before]);
  await handler.close();
});

/** Opens a stream on a session, which keeps the session in use. */
async function listening(handler: McpHandler, id: string): Promise<number> {
  const opened = await handler.fetch(initialize("2025-06-18"), { id });
  await opened.text();
  if (!opened.ok) return opened.status;
  const headers = { ...sessionOf(opened), accept: "text/event-stream" };
  return (await handler.fetch(new Request("http://localhost/mcp", { headers }), { id })).status;
}

function sessionOf(opened: Response): Readonly<Record<string, string>> {
  return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
}

it("limits sessions per token: a token over its limit is refused with 429, and other tokens keep theirs [LV3.mcp-sessions]", async () => {
  await using test = await mcpHost();
  const handler = createMcpHandler({ host: test.host, platform: test.platform });
  const greedy: number[] = [];
  for (let session = 0; session < 66; session += 1) greedy.push(await listening(handler, "greedy"));
  expect(greedy).toEqual([...Array.from({ length: 64 }, () => 200), 429, 429]);
  expect(await listening(handler, "other")).toBe(200);
  const refused = await handler.fetch(initialize("2025-06-18"), { id: "greedy" });
  expect(await refused.json()).toEqual({
    jsonrpc: "2.0",
    error: {
      code: -32_000,
      message:
        'The token has reached its limit of 64 sessions in use: end one with DELETE, or allow more with "server.limits.sessions" in bascule.json',
    },
    id: null,
  });
  await handler.close();
});

it("serves as many sessions per token as configured [I3.sessions]", async () => {
  await using test = await mcpHost();
  const handler = createMcpHandler({ host: test.host, platform: test.platform, maxSessions: 2 });
  const statuses: number[] = [];
  for (let session = 0; session < 3; session += 1) statuses.push(await listening(handler, "one"));
  expect(statuses).toEqual([200, 200, 429]);
  await handler.close();
});

it("ends the least recently used session, not the oldest [I3.sessions]", async () => {
  await using test = await mcpHost();
  const handler = createMcpHandler({ host: test.host, platform: test.platform, maxSessions: 3 });
  const open = async (): Promise<Readonly<Record<string, string>>> => {
    const opened = await handler.fetch(initialize("2025-06-18"));
    await opened.text();
    return sessionOf(opened);
  };
  const ping = async (session: Readonly<Record<string, string>>): Promise<number> => {
    const response = await handler.fetch(post({ jsonrpc: "2.0", id: 2, method: "ping" }, session));
    await response.text();
    return response.status;
  };
  const [first, second, third] = [await open(), await open(), await open()];
  expect([await ping(second), await ping(first)]).toEqual([200, 200]);
  const fourth = await open();
  expect([await ping(first), await ping(second), await ping(third), await ping(fourth)]).toEqual([200, 200, 404, 200]);
  await handler.close();
});

it("does not end a session whose call is running, even if its connection broke [I3.sessions]", async () => {
  const gate = Promise.withResolvers<void>();
  const wait = functionTool(() => gate.promise.then(() => "late"), { name: "wait", description: "Waits", sideEffects: [] });
  await using test = await mcpHost({}, { tools: [wait] });
  const handler = createMcpHandler({ host: test.host, platform: test.platform, maxSessions: 1 });
  const opened = await handler.fetch(initialize("2025-06-18"));
  await opened.text();
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } };
  await (await handler.fetch(post(call, sessionOf(opened)))).body?.cancel();
  const more = async (): Promise<number> => (await handler.fetch(initialize("2025-06-18"))).status;
  expect(await more()).toBe(429);
  gate.resolve();
  await expect.poll(more).toBe(200);
  await handler.close();
});

it("does not forget a caller with an open request: with too many of them, a further caller is refused [I3.callers]", async () => {
  await using test = await mcpHost();
  const handler = createMcpHandler({ host: test.host, platform: test.platform });
  for (let caller = 0; caller < 64; caller += 1) expect(await listening(handler, `caller ${caller}`)).toBe(200);
  expect(await listening(handler, "one too many")).toBe(429);
  expect(await listening(handler, "caller 0")).toBe(200);
  await handler.close();
});
