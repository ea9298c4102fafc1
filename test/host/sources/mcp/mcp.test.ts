import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer, fromJsonSchema } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { createHost, type ToolResult } from "../../../../host/mod.ts";
import { ALLOWED, sourceSuite, type SourceUnderTest } from "../../../conformance/source.ts";
import { ADD, mcpProject, named, untilServer } from "../../../support/mcp-project.ts";
import type { MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

/** The official server, in this process. */
async function official(): Promise<
  SourceUnderTest & { readonly server: McpServer; readonly client: Client; readonly platform: MemoryPlatform }
> {
  const server = new McpServer({ name: "official", version: "1" });
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const numbers = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] } as const;
  server.registerTool("add", { description: "Adds two numbers", inputSchema: fromJsonSchema(numbers) }, (args) => {
    const { a, b } = args as { a: number; b: number };
    count++;
    return { content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } };
  });
  server.registerTool("boom", { description: "Breaks" }, () => {
    throw new Error("It broke");
  });
  server.registerTool("wait", { description: "Waits" }, async (ctx) => {
    await new Promise<void>((end) => ctx.mcpReq.signal.addEventListener("abort", () => end()));
    resolve();
    return { content: [] };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(far), client.connect(near)]);
  const platform = memoryPlatform();
  const host = await createHost({ config: false, builtins: false, platform });
  await host.addMcpServer("official", { client });
  return {
    ...{ host, stopped, server, client, platform },
    added: () => count,
    nameOf: (tool) => `mcp__official.${tool}`,
    async [Symbol.asyncDispose]() {
      await host.close();
      await client.close();
    },
  };
}

sourceSuite("mcp", official);

describe("host.addMcpServer()", () => {
  it("assumes that tools write and connect, whatever the server declares [K3.class]", async () => {
    await using under = await official();
    const { host, server } = under;
    const [tool] = host.list({ tags: ["mcp_server:official"] });
    expect(tool).toMatchObject({
      class: "execute",
      sideEffects: ["network", "execute"],
      permissions: { mcp: ["official"] },
      toolkit: "official",
    });
    expect(server.isConnected()).toBe(true);
    const declined = await host.call("mcp__official.add", { a: 1, b: 2 }, { confirm: () => Promise.resolve(false) });
    expect(declined).toMatchObject({ ok: false, error: { code: "user_denied" } });
    expect(under.added()).toBe(0);
  });

  it("records the permission mcp, and respects a layer that denies it [K3.permission]", async () => {
    await using under = await official();
    const { host } = under;
    const remove = host.policy.addLayer("global", { name: "no servers", permissions: { mcp: [] } });
    expect(await host.call("mcp__official.add", { a: 1, b: 2 }, ALLOWED)).toMatchObject({
      ok: false,
      error: { code: "permission_denied" },
    });
    remove();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type, payload } of host.events) {
        if (type === "capability.used") seen.push(`${payload.permission} ${payload.value}`);
        if (type === "tool.completed") return;
      }
    })();
    expect((await host.call("mcp__official.add", { a: 1, b: 2 }, ALLOWED)).ok).toBe(true);
    await reading;
    expect(seen).toEqual(["mcp official"]);
  });

  it("removes the tools of a connection that ends, and reports it [K3.disconnect]", async () => {
    await using under = await official();
    const { host, client } = under;
    const gone = (async () => {
      for await (const event of host.events) if (event.type === "tool.unregistered") return event.payload.tool;
      return undefined;
    })();
    await client.close();
    expect(await gone).toBe("mcp__official.add");
    expect(host.list({ source: "mcp" })).toEqual([]);
    expect(host.mcpServers()).toMatchObject([{ name: "official", state: "closed", tools: [] }]);
  });

  it("follows the list of an adopted client, and holds new tools back [K3.changed] [K3.pinned]", async () => {
    await using under = await official();
    const { host, server, platform } = under;
    server.registerTool("later", { description: "Was not there" }, () => ({ content: [] }));
    await expect
      .poll(() => (platform.advance(1_000), host.mcpServers()[0]?.refused.map(({ tool }) => tool)), { timeout: 15_000, interval: 20 })
      .toEqual(["later"]);
    expect(await host.call("mcp__official.later", {}, ALLOWED)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(await host.acceptMcpTools("official")).toEqual(["later"]);
    expect((await host.call("mcp__official.later", {}, ALLOWED)).ok).toBe(true);
  });

  it("does not reconnect a server that was lost when the host closed [K3.closed]", async () => {
    const memory = memoryPlatform();
    let tries = 0;
    // The memory platform has no processes.
    const servers = {
      ...memory.servers,
      start: (...args: Parameters<typeof memory.servers.start>) => (tries++, memory.servers.start(...args)),
    };
    const host = await createHost({ config: false, builtins: false, platform: { ...memory, servers } });
    expect(await host.addMcpServer("lost", { command: "x" })).toMatchObject({ state: "waiting" });
    memory.advance(1_000);
    await expect.poll(() => [tries, host.mcpServers()[0]?.state], { timeout: 15_000, interval: 5 }).toEqual([2, "waiting"]);
    await host.close();
    memory.advance(60_000);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([tries, host.mcpServers()]).toEqual([2, []]);
  });

  it("trusts a server that declares a tool destructive [K3.class]", async () => {
    await using under = await official();
    const { host, server, platform } = under;
    server.registerTool("wipe", { description: "Wipes", annotations: { destructiveHint: true } }, () => ({ content: [] }));
    await expect
      .poll(() => (platform.advance(1_000), host.list({ source: "mcp" }).find(({ name }) => name === "wipe")?.destructive), {
        timeout: 15_000,
        interval: 20,
      })
      .toBe(true);
    expect(host.list({ source: "mcp" }).filter(({ destructive }) => destructive)).toHaveLength(1);
  });

  it("refuses an invalid configuration and a second server of a name [K3.config]", async () => {
    await using under = await official();
    const { host, client } = under;
    await expect(host.addMcpServer("official", { client })).rejects.toThrow("already");
    await expect(host.addMcpServer("other", { command: "x", url: "https://a.example" })).rejects.toThrow("exactly one");
    await expect(host.addMcpServer("a__b", { command: "x" })).rejects.toThrow("cannot name an MCP server");
    expect(await host.removeMcpServer("official")).toBe(true);
    expect(host.list({ source: "mcp" })).toEqual([]);
  });
});

describe("an MCP server of bascule.json, over stdio", () => {
  it(
    "is started with its own environment only, and its answers are converted [K3.stdio] [K3.environment]",
    { timeout: 60_000 },
    async () => {
      const project = await mcpProject(
        { tools: [ADD, named("env"), named("boom"), named("mixed"), named("ask"), named("big")], greeting: "Hello, I am no JSON" },
        { env: { OWN: "1", TAKEN: { fromEnv: "BASCULE_TEST_NOT_SET" } } },
      );
      await using host = await project.open();
      const call = (tool: string, args = {}): Promise<ToolResult> => host.call(`mcp__demo.${tool}`, args, ALLOWED);
      expect(await call("add", { a: 1, b: 2 })).toMatchObject({ ok: true, output: { sum: 3 }, content: [{ type: "text", text: "3" }] });
      expect((await call("env")).output).toMatch(/^(?:DENO_\w+ )?OWN PATH TAKEN$/);
      expect(await call("boom")).toMatchObject({ ok: false, error: { code: "tool_failed", message: "It broke" } });
      const wordy = await call("boom", { words: "w".repeat(10_000) });
      expect(wordy.ok ? "" : wordy.error.message).toHaveLength(4_001);
      expect((await call("mixed")).content).toEqual([
        { type: "text", text: "two" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "resource", uri: "file:///b", text: "b", mimeType: "text/plain" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      ]);
      // Requests to its client are refused.
      for (const method of ["sampling/createMessage", "elicitation/create", "roots/list"])
        expect((await call("ask", { method })).output, method).toBe("-32601");
      expect(await call("big", { bytes: 2_000_000 })).toMatchObject({ ok: false, error: { code: "resource_exhausted" } });
    },
  );

  it("is restarted when it ends, and its tools are available again [K3.reconnect]", { timeout: 60_000 }, async () => {
    const project = await mcpProject({ tools: [named("die"), named("pid")] });
    await using host = await project.open();
    const first = (await host.call("mcp__demo.pid", {}, ALLOWED)).output;
    expect(await host.call("mcp__demo.die", {}, ALLOWED)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    await untilServer(host, ({ state }) => state === "connected");
    const second = await host.call("mcp__demo.pid", {}, ALLOWED);
    expect(second.ok).toBe(true);
    expect(second.output).not.toBe(first);
    const changes = host.seen.filter(({ type }) => type.startsWith("tool.") && type.endsWith("registered")).map(({ type }) => type);
    expect(changes.slice(-6)).toEqual([
      "tool.registered",
      "tool.registered",
      "tool.unregistered",
      "tool.unregistered",
      "tool.registered",
      "tool.registered",
    ]);
  });

  it("reports why it cannot be started, and delays nothing else [K3.failure]", { timeout: 60_000 }, async () => {
    const project = await mcpProject({ tools: [] }, { command: "/nowhere/at-all", args: [] });
    await using host = await project.open();
    expect(host.mcpServers()).toMatchObject([
      { name: "demo", state: "waiting", tools: [], problem: expect.stringContaining("not found") as string },
    ]);
  });

  it("follows the configuration [K3.config]", { timeout: 60_000 }, async () => {
    const project = await mcpProject({ tools: [ADD, named("env")] }, { tools: ["add"], toolSideEffects: { add: ["read"] } });
    await using host = await project.open();
    expect(host.list({ source: "mcp" }).map(({ name, class: sideEffects }) => [name, sideEffects])).toEqual([["add", "read"]]);
    const { writeFile } = await import("node:fs/promises");
    await writeFile(`${project.folder}/bascule.json`, JSON.stringify({ mcpServers: {} }));
    await host.reload();
    expect([host.list({ source: "mcp" }), host.mcpServers()]).toEqual([[], []]);
  });

  it("requests at most one list a second, and offers the tools of the new one [K3.changed]", { timeout: 60_000 }, async () => {
    const project = await mcpProject({ tools: [ADD, named("changed")] });
    await using host = await project.open();
    await project.script({ tools: [named("changed")] });
    expect((await host.call("mcp__demo.changed", {}, ALLOWED)).ok).toBe(true);
    await untilServer(host, ({ tools }) => tools.join() === "mcp__demo.changed");
  });
});
