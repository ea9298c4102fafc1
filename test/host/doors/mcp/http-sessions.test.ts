import { expect, it } from "vitest";
import { createMcpHandler } from "../../../../host/doors/mcp/mod.ts";
import type { Clock } from "../../../../host/platform/platform.ts";
import { mcpHost } from "../../../support/mcp-client.ts";

/** The timers that are armed, of a clock that counts them. */
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

it("holds nothing of a session that its client deleted: no timer, no listener [LV5.mcp-http]", async () => {
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

it("holds nothing of a session that did not come about [LV5.mcp-http]", async () => {
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

it("has its share of each token: one that fills its own leaves the others theirs [LV3.mcp-sessions]", async () => {
  await using test = await mcpHost();
  const handler = createMcpHandler({ host: test.host, platform: test.platform });
  // A session whose client listens to it is not ended for another.
  const listening = async (caller: string): Promise<number> => {
    const opened = await handler.fetch(initialize("2025-06-18"), { id: caller });
    await opened.text();
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
    if (opened.ok)
      await handler.fetch(new Request("http://localhost/mcp", { headers: { ...headers, accept: "text/event-stream" } }), { id: caller });
    return opened.status;
  };
  const greedy: number[] = [];
  for (let session = 0; session < 66; session += 1) greedy.push(await listening("greedy"));
  expect(greedy).toEqual([...Array.from({ length: 64 }, () => 200), 503, 503]);
  expect(await listening("other")).toBe(200);
  await handler.close();
});
