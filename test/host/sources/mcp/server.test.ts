import type { JSONRPCMessage, Tool, Transport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { createMemoryClock, type MemoryClock } from "../../../../host/platform/memory/memory-clock.ts";
import { createSlices } from "../../../../host/platform/threads/slices.ts";
import type { Log } from "../../../../host/platform/platform.ts";
import { callServerTool, connectClient, listServerTools, type McpClient } from "../../../../host/sources/mcp/client.ts";
import type { Pins } from "../../../../host/sources/mcp/pins.ts";
import { createMcpServer, type McpServer, type McpServerOptions } from "../../../../host/sources/mcp/server.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

type Connect = McpServerOptions["connect"];

/** A server whose connections the test creates. */
function serverOf(
  connect: Connect,
  clock: MemoryClock = createMemoryClock(0),
): { readonly server: McpServer; readonly clock: MemoryClock; readonly replaced: (readonly string[])[] } {
  const pins = new Map<string, Pins>();
  const replaced: (readonly string[])[] = [];
  const server = createMcpServer({
    ...{
      name: "demo",
      config: { toolSideEffects: {} },
      connect,
      reconnects: true,
      clock,
      slices: createSlices(() => 0),
      log: SILENT,
      emit: () => {},
    },
    registry: {
      replaceOwner(_, tools) {
        replaced.push(tools.map(({ definition, binding }) => `${definition.name} ${binding.kind}`));
        return [];
      },
      removeOwner: () => {},
    },
    pins: {
      frozen: false,
      read: (name) => Promise.resolve(pins.get(name)),
      write: (name, now) => Promise.resolve(void pins.set(name, now)),
    },
  });
  return { server, clock, replaced };
}

/** A client that lists these tools, and counts the lists. */
function clientOf(names: () => readonly string[]): McpClient & { lists: number; closed: number } {
  const tool = (name: string): Tool => ({ name, inputSchema: { type: "object" } });
  const client = {
    lists: 0,
    closed: 0,
    listTools: () => {
      client.lists += 1;
      return Promise.resolve({ tools: names().map(tool) });
    },
    callTool: () => Promise.reject(new Error("Not called")),
    close: () => Promise.resolve(void (client.closed += 1)),
  };
  return client;
}

describe("createMcpServer()", () => {
  it("closes a connection that was lost while it was made, and makes another [K3.reconnect]", async () => {
    const made = [clientOf(() => ["a"]), clientOf(() => ["a", "b"])];
    let connections = 0;
    const { server, clock } = serverOf(async ({ onClosed }) => {
      const client = made[connections++];
      if (client === undefined) throw new Error("No more");
      if (connections === 1) onClosed();
      return await Promise.resolve(client);
    });
    await server.started;
    expect(server.status()).toMatchObject({ state: "waiting", tools: [] });
    expect(made.map(({ lists, closed }) => [lists, closed])).toEqual([
      [0, 1],
      [0, 0],
    ]);
    clock.advance(1_000);
    await expect.poll(() => server.status()).toMatchObject({ state: "connected", tools: ["mcp__demo.a", "mcp__demo.b"] });
    await server.close();
    expect(made.map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it("replaces nothing if a server reports a change and lists the same tools, in any order [K3.changed]", async () => {
    let tell = (): void => {};
    let names: readonly string[] = ["a", "b"];
    const client = clientOf(() => names);
    const { server, clock, replaced } = serverOf(({ onChanged }) => {
      tell = onChanged;
      return Promise.resolve(client);
    });
    await server.started;
    const first = ["a factory", "b factory"];
    expect([client.lists, replaced]).toEqual([1, [first]]);
    for (const listed of [
      ["a", "b"],
      ["b", "a"],
      ["a", "b"],
    ]) {
      names = listed;
      await listedAgain();
    }
    // Nor does reading the accepted tools again.
    await server.refresh();
    expect(replaced).toEqual([first]);
    expect(server.status().tools.toSorted()).toEqual(["mcp__demo.a", "mcp__demo.b"]);

    names = ["a", "b", "c"];
    await listedAgain();
    await expect.poll(() => replaced).toEqual([first, [...first, "c unavailable"]]);
    await server.accept();
    expect(replaced.slice(2)).toEqual([[...first, "c factory"]]);
    await listedAgain();
    await server.refresh();
    expect(replaced).toHaveLength(3);
    await server.close();

    async function listedAgain(): Promise<void> {
      const { lists } = client;
      tell();
      // The end of the previous list may still be pending; then it waits.
      await expect.poll(() => (clock.advance(1_000), client.lists)).toBe(lists + 1);
    }
  });

  it("follows changes even if a list of the previous connection is still pending [K3.changed]", async () => {
    const told: (() => void)[] = [];
    const ended: (() => void)[] = [];
    const names = ["a"];
    const first = clientOf(() => names);
    const second = clientOf(() => names);
    const { server, clock } = serverOf(({ onChanged, onClosed }) => {
      told.push(onChanged);
      ended.push(onClosed);
      return Promise.resolve(told.length === 1 ? first : second);
    });
    await server.started;
    const never = Promise.withResolvers<never>();
    Object.assign(first, { listTools: () => (void (first.lists += 1), never.promise) });
    told[0]?.();
    clock.advance(1_000);
    await expect.poll(() => first.lists).toBe(2);
    ended[0]?.();
    clock.advance(1_000);
    await expect.poll(() => server.status().state).toBe("connected");
    names.push("b");
    told[1]?.();
    never.reject(new Error("The connection was closed"));
    // The consequences of the rejection have happened now.
    await new Promise((resolve) => setImmediate(resolve));
    told[1]?.();
    clock.advance(1_000);
    await expect.poll(() => server.status().tools).toEqual(["mcp__demo.a", "mcp__demo.b"]);
    expect(second.lists).toBe(2);
    await server.close();
  });

  it("backs off from a server that cannot be reached, up to a minute [K3.reconnect]", async () => {
    const attempts: number[] = [];
    const clock = createMemoryClock(0);
    const { server } = serverOf(() => {
      attempts.push(clock.now());
      return Promise.reject(new Error("Not there"));
    }, clock);
    await server.started;
    const seconds = [0, 1, 3, 7, 15, 31, 63, 123, 183];
    for (const [index, at] of seconds.entries()) {
      clock.advance(at * 1_000 - clock.now());
      await expect.poll(() => attempts.length).toBe(index + 1);
      // A server that has just failed has set its timer now.
      await expect.poll(() => server.status().state).toBe("waiting");
    }
    expect(attempts).toEqual(seconds.map((second) => second * 1_000));
    await server.close();
    clock.advance(600_000);
    expect(attempts).toHaveLength(seconds.length);
  });
});

describe("callServerTool()", () => {
  it("never treats a request for input as a result [K3.refused]", async () => {
    const tool: Tool = { name: "a", inputSchema: { type: "object" } };
    const requested = { signal: new AbortController().signal, onProgress: () => {} };
    const answering = (answer: unknown): McpClient => ({ ...clientOf(() => []), callTool: () => Promise.resolve(answer as never) });
    const asked = { resultType: "input_required", inputRequests: { a: { method: "elicitation/create" }, b: { method: "made/up" } } };
    await expect(callServerTool(answering(asked), tool, {}, requested)).rejects.toMatchObject({
      code: "tool_failed",
      message: "The MCP server requires elicitation/create of its client for this call, which bascule refuses",
      details: { refused: ["elicitation/create"] },
    });
    await expect(callServerTool(answering({ resultType: "input_required" }), tool, {}, requested)).rejects.toThrow("requires more input");
    expect(await callServerTool(answering({ content: [] }), tool, {}, requested)).toEqual({ content: [] });
  });
});

describe("connectClient()", () => {
  /** A server in plain messages. */
  function transportOf(answer: (method: string) => unknown, sent: JSONRPCMessage[]): Transport {
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(transport.onclose?.()),
      send(message) {
        sent.push(message);
        if ("method" in message && "id" in message) {
          const result = answer(message.method);
          const { id } = message;
          queueMicrotask(() =>
            // The SDK checks shapes.
            transport.onmessage?.(
              (result === undefined
                ? { jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } }
                : { jsonrpc: "2.0", id, result }) as JSONRPCMessage,
            ),
          );
        }
        return Promise.resolve();
      },
    };
    return transport;
  }

  const INITIALIZED = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };

  it("offers no client capabilities, and bounds lists [K3.capabilities] [K3.bounded]", async () => {
    const sent: JSONRPCMessage[] = [];
    let pages = 0;
    const transport = transportOf((method) => {
      if (method === "initialize") return INITIALIZED;
      if (method !== "tools/list") return undefined;
      pages += 1;
      return { tools: [{ name: `t${pages}`, inputSchema: { type: "object" } }], nextCursor: `${pages}` };
    }, sent);
    const signal = new AbortController().signal;
    const client = await connectClient({
      transport,
      signal,
      timeoutMs: 10_000,
      onChanged: () => {},
      onClosed: () => {},
      onRefused: () => {},
    });
    expect(sent.find((message) => "method" in message && message.method === "initialize")).toMatchObject({ params: { capabilities: {} } });
    await expect(listServerTools(client, signal, 10_000)).rejects.toThrow();
    expect(pages).toBeLessThanOrEqual(20);
    await client.close();
  });
});
