import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyJson } from "../../../host/primitives/json/json.ts";
import { createHost, type Host, type JsonObject, type ToolResult } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createLargeArguments } from "../../../host/sources/mcp/large-arguments.ts";
import type { McpClient } from "../../../host/sources/mcp/client.ts";
import { ALLOWED } from "../../conformance/source.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { mcpProject, named } from "../../support/mcp-project.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Maximum characters written or parsed at once, including the message around them. */
const AT_ONCE = 64 * 1024 + 4_096;
const SECONDS = { timeout: 60_000 };
const GIVEN: Readonly<Record<string, JsonObject>> = {
  text: { text: 'ü "is" a letter\n'.repeat(20_000), more: 1 },
  members: Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`key-${index}`, [index, null, true]])),
  nested: { list: Array.from({ length: 5_000 }, (_, index) => ({ index, words: "forty letters or so, as most lines have" })) },
  // A value that looks like a placeholder stays unchanged.
  "a mark": { "bascule/large-arguments": "0".repeat(32), text: "x".repeat(70_000) },
  small: { "bascule/large-arguments": "0".repeat(32) },
};

async function checkCalls(host: Host, tool: string): Promise<void> {
  using reads = recordHostReads();
  const results: ToolResult[] = [];
  for (const given of Object.values(GIVEN)) results.push(await host.call(tool, given, ALLOWED));
  expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
  const outputs = results.map((result) => (result.ok ? result.output : result.error));
  expect(outputs).toEqual(Object.values(GIVEN));
}

describe("attack: arguments above 64 KB for a server over stdio", () => {
  it("bypass the protocol's SDK, and are written in slices [LV2.mcp-requests]", SECONDS, async () => {
    const project = await mcpProject({ tools: [named("echo")] });
    await using host = await project.open({ builtins: false });
    await checkCalls(host, "mcp__demo.echo");
  });
});

/** The server below runs on the host's thread here, so its reads are not counted. */
const { parse, stringify } = JSON;

/**
 * A server whose tool returns its arguments.
 * @param seen how calls were sent
 */
async function farServer(seen: (string | undefined)[]): Promise<string> {
  const others: Readonly<Record<string, unknown>> = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } },
    "tools/list": { tools: [named("echo")] },
  };
  const server = createServer((request, response) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part: Uint8Array) => void parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const {
        id,
        method = "",
        params,
      } = parse(body.length === 0 ? "{}" : body.toString()) as {
        readonly id?: number;
        readonly method?: string;
        readonly params?: { readonly arguments?: unknown };
      };
      const isCall = method === "tools/call";
      if (isCall) seen.push(request.headers["content-length"] === String(body.length) ? "whole" : request.headers["transfer-encoding"]);
      const result = isCall ? { content: [], structuredContent: params?.arguments } : others[method];
      if (id === undefined || result === undefined) return response.writeHead(id === undefined ? 202 : 404).end();
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("attack: arguments above 64 KB for a server over HTTP", () => {
  it("are written in slices, with the length that servers require [LV2.mcp-requests]", SECONDS, async () => {
    const SILENT = { write: () => {}, child: () => SILENT };
    await using host = await createHost({
      ...{ platform: currentPlatform(), config: {}, workspace: await temporaryFolder(), builtins: false, plugins: [] },
      logger: SILENT,
      events: { store: false },
    });
    const seen: (string | undefined)[] = [];
    await host.addMcpServer("far", { url: await farServer(seen) });
    await checkCalls(host, "mcp__far.echo");
    expect(seen).toEqual(Object.keys(GIVEN).map(() => "whole"));
  });
});

/** Requests of an SDK that sends a call twice, and once more after the call has ended. */
async function sent(given: JsonObject, inputSchema: JsonObject): Promise<readonly string[]> {
  const large = createLargeArguments(currentPlatform());
  const bodies: string[] = [];
  let last = "";
  const send = async (text: string): Promise<void> => {
    const written = await large.lengthen(text);
    bodies.push(typeof written === "string" ? written : Buffer.concat(written).toString());
  };
  const inner: McpClient = {
    listTools: () => Promise.reject(new Error("Not asked")),
    async callTool(params) {
      last = stringify({ method: "tools/call", params });
      // The cancellation comes while it is written.
      await Promise.all([send(last), send("cancel"), send(last)]);
      return { content: [] } satisfies CallToolResult;
    },
    close: () => Promise.resolve(),
  };
  const copied = copyJson(given, { maxBytes: 1024 * 1024, maxDepth: 64 });
  if (!copied.ok) throw new Error("The arguments are not JSON");
  const toolDefinition = { name: "echo", inputSchema } as unknown as Tool;
  await large.client(inner).callTool({ name: "echo", arguments: copied.value as Record<string, unknown> }, { toolDefinition });
  await send(last);
  return bodies;
}

describe("createLargeArguments()", () => {
  it("writes messages in order, keeps a placeholder during its call, and keeps members for headers [LV2.mcp-requests]", async () => {
    const named = (header: string): JsonObject => ({ type: "string", "x-mcp-header": header });
    const inner = { type: "object", properties: { zone: named("zone"), other: { type: "string" } } };
    const schema = { type: "object", properties: { region: named("region"), inner, long: named("long"), none: named("none") } };
    const given = { region: "eu", inner: { zone: "z", other: "o" }, long: "l".repeat(9_000), text: "x".repeat(70_000) };
    const [first, cancel, second, late = ""] = await sent(given, schema);
    expect(parse(first ?? "")).toEqual({ method: "tools/call", params: { name: "echo", arguments: given } });
    expect([second, cancel]).toEqual([first, "cancel"]);
    expect(parse(late)).toEqual({
      method: "tools/call",
      params: {
        name: "echo",
        arguments: { region: "eu", inner: { zone: "z" }, "bascule/large-arguments": expect.stringMatching(/^[0-9a-f]{32}$/) as string },
      },
    });
  });
});
