import { afterEach, describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createHost, type Host } from "../../../host/mod.ts";
import { createNetwork } from "../../../host/platform/network/network.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import { httpServer, rawServer } from "../../support/hostile-server.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const schema = { type: "object", properties: { url: { type: "string" } }, required: ["url"] };

const MANIFEST = {
  schemaVersion: "1.0",
  name: "pages",
  version: "1.0.0",
  description: "Fetches pages",
  permissions: { net: true },
  tools: [
    { name: "get", description: "Fetches", inputSchema: schema, sideEffects: ["network"] },
    {
      name: "get_checked",
      description: "Fetches",
      export: "get",
      inputSchema: schema,
      sideEffects: ["network"],
      requires: [{ capability: "net", arg: "url" }],
    },
    { name: "quiet", description: "Says it does nothing", export: "get", inputSchema: schema, sideEffects: [] },
    { name: "read", description: "Says it reads", export: "get", inputSchema: schema, sideEffects: ["read"] },
  ],
};

const MAIN = "export async function get({ url }) { const r = await fetch(url); return `${r.status} ${r.url} ${await r.text()}`; }";

/** Starts a host with files in memory, this machine's network and real workers. */
async function start(net: Permissions["net"] | undefined, events: HostEvent[] = []): Promise<Host> {
  const memory = memoryPlatform(
    { "plugins/pages/manifest.json": JSON.stringify(MANIFEST), "plugins/pages/main.ts": MAIN },
    { workers: createWorkerLauncher() },
  );
  const platform = { ...memory, network: createNetwork({ resolve: async () => ["127.0.0.1"] }) };
  const host = await createHost({
    platform,
    plugins: ["plugins"],
    config: { confirmation: { default: { network: "auto" } } },
    ...(net !== undefined && { grants: { pages: { net } } }),
  });
  hosts.push(host);
  void (async () => {
    for await (const event of host.events) events.push(event);
  })();
  return host;
}

describe("a plugin that fetches", () => {
  it("reaches granted hosts, and every request is an event [C6, PA8]", async () => {
    const server = await httpServer((_request, response) => response.end("hello"));
    const events: HostEvent[] = [];
    const host = await start([`127.0.0.1:${server.port}`], events);
    expect(await host.call("get", { url: server.origin })).toMatchObject({ ok: true, output: `200 ${server.origin}/ hello` });
    await expect
      .poll(() => events.find(({ type }) => type === "capability.used")?.payload)
      .toMatchObject({
        permission: "net",
        value: `127.0.0.1:${server.port}`,
        decision: "granted",
      });
    await expect.poll(server.open).toBe(0);
  });

  it("gets an error that names the missing grant [C10, X3]", async () => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const host = await start(["api.test"]);
    const result = await host.call("get", { url: server.origin });
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: "tool_failed",
        message: expect.stringContaining(`Requires net access to "127.0.0.1:${server.port}"`) as string,
        hint: { command: `bascule grant pages --allow-net=127.0.0.1:${server.port}` },
      },
    });
    expect(server.connections()).toBe(0);
  });

  it("is checked before it runs if an argument names the URL [C5]", async () => {
    const server = await httpServer((_request, response) => response.end("hello"));
    const host = await start([`127.0.0.1:${server.port}`]);
    expect(await host.call("get_checked", { url: "http://169.254.169.254/latest" })).toMatchObject({
      error: { code: "net_denied", hint: { command: "bascule grant pages --allow-net=169.254.169.254:80" } },
    });
    const written = `HTTP://127.1:${server.port}/a/../b`;
    expect(await host.call("get_checked", { url: written })).toMatchObject({ ok: true, output: `200 ${server.origin}/b hello` });
  });

  it("has no network in a tool that does not declare it, whatever the plugin's grants [P8]", async () => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const host = await start([`127.0.0.1:${server.port}`]);
    for (const tool of ["quiet", "read"]) {
      expect(await host.call(tool, { url: server.origin })).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining("which the class layer does not allow") as string },
      });
    }
    expect(server.connections()).toBe(0);
  });

  it("leaves no connection open after a cancellation or a timeout [T3, B4]", async () => {
    const server = await rawServer((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    const host = await start([`127.0.0.1:${server.port}`]);
    const cancel = new AbortController();
    const cancelled = host.call("get", { url: server.origin }, { signal: cancel.signal });
    await expect.poll(server.open).toBe(1);
    cancel.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await expect.poll(server.open).toBe(0);
    expect(await host.call("get", { url: server.origin }, { timeoutMs: 200 })).toMatchObject({ ok: false, error: { code: "timeout" } });
    await expect.poll(server.open).toBe(0);
  });
});
