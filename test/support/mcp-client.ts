/** Connects the SDK's client to the MCP door in memory: both protocol eras, over lines and over HTTP. */

import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { transportOf } from "../../host/doors/mcp/lines.ts";
import { createMcpHandler, type McpDoorOptions, type McpHttpCaller, serveMcpLines } from "../../host/doors/mcp/mod.ts";
import { createHost, type Host, type HostOptions, type JsonObject } from "../../host/mod.ts";
import type { MemoryPlatform } from "../../host/platform/memory/memory.ts";
import { createMemoryPair } from "../../host/platform/memory/memory-sockets.ts";
import { memoryPlatformWithWorkers } from "./memory-platform.ts";

export const MODERN = "2026-07-28";

/** All combinations of era and transport. */
export const WAYS: readonly (readonly [era: "legacy" | "modern", over: "lines" | "http"])[] = [
  ["legacy", "lines"],
  ["legacy", "http"],
  ["modern", "lines"],
  ["modern", "http"],
];

/** A plugin: additional members of its manifest, and its module. */
export interface TestPlugin {
  readonly manifest: object;
  readonly main: string;
}

export interface McpHost extends AsyncDisposable {
  readonly host: Host;
  readonly platform: MemoryPlatform;
  /** Writes a plugin's folder; `host.reload()` loads it. */
  plant(name: string, plugin: TestPlugin): void;
  connect(era: "legacy" | "modern", over: "lines" | "http", options?: ConnectOptions): Promise<Client>;
}

export interface ConnectOptions {
  readonly capabilities?: ClientCapabilities;
  readonly door?: Partial<McpDoorOptions>;
  /** Called before the client connects. */
  readonly prepare?: (client: Client) => void;
}

/** Creates a host in memory with these plugins. Closing it closes its clients. */
export async function mcpHost(plugins: Readonly<Record<string, TestPlugin>> = {}, options: HostOptions = {}): Promise<McpHost> {
  const platform = memoryPlatformWithWorkers({ "bascule.json": "{}" });
  const plant = (name: string, { manifest, main }: TestPlugin): void => {
    const whole = { schemaVersion: "1.0", name, version: "1.0.0", description: "Is tested", ...manifest };
    platform.plant(`/workspace/plugins/${name}/manifest.json`, JSON.stringify(whole));
    platform.plant(`/workspace/plugins/${name}/main.ts`, main);
  };
  for (const [name, plugin] of Object.entries(plugins)) plant(name, plugin);
  const host = await createHost({ platform, plugins: "plugins", config: {}, ...options });
  const closers: (() => Promise<void>)[] = [];

  return {
    host,
    platform,
    plant,
    async connect(era, over, { capabilities = {}, door = {}, prepare } = {}) {
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { capabilities, ...(era === "modern" && { versionNegotiation: { mode: { pin: MODERN } } }) },
      );
      prepare?.(client);
      const parts = { host, platform, ...door };
      if (over === "lines") {
        const [near, far] = createMemoryPair();
        const serving = serveMcpLines(near, parts);
        closers.push(() => serving.close());
        await client.connect(transportOf(far));
      } else {
        const handler = createMcpHandler(parts);
        closers.push(() => handler.close());
        await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: fetchOf(handler.fetch) }));
      }
      closers.push(() => client.close());
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers.toReversed()) await close();
      await host.close();
    },
  };
}

/** Creates a `fetch` for a transport that calls the handler instead of the network. */
export function fetchOf(
  answer: (request: Request, caller?: McpHttpCaller) => Promise<Response>,
  caller?: McpHttpCaller,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return (url, init) => answer(new Request(url, init), caller);
}

/** Creates a request of the current protocol revision in its wire format. */
export function modernRequest(
  method: string,
  params: JsonObject = {},
  options: { readonly capabilities?: JsonObject; readonly id?: number } = {},
): Request {
  const { capabilities = { elicitation: {} }, id = 1 } = options;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const name = params["name"] ?? params["uri"];
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
  });
}

/** Reads the response message from JSON or a stream. */
export async function messageOf(response: Response): Promise<{
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}> {
  const text = await response.text();
  const last = text.startsWith("{")
    ? text
    : (text
        .split("\n")
        .findLast((line) => line.startsWith("data: {"))
        ?.slice("data: ".length) ?? "null");
  return JSON.parse(last) as { readonly result?: Readonly<Record<string, unknown>> };
}

/** Waits until a condition holds. @throws {Error} after the deadline */
export async function until(holds: () => boolean, deadlineMs = 15_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error("The condition did not hold in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
