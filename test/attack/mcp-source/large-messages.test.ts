import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host, type ToolResult } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createSlices } from "../../../host/platform/threads/slices.ts";
import { shortEvents } from "../../../host/sources/mcp/large-events.ts";
import { createLargeResults } from "../../../host/sources/mcp/large-results.ts";
import { ALLOWED } from "../../conformance/source.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { mcpProject, named } from "../../support/mcp-project.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Maximum characters parsed, written or decoded at once, including the message around them. */
const AT_ONCE = 64 * 1024 + 4_096;
const SECONDS = { timeout: 60_000 };
const TEXT = "ü is a letter of a line with some forty others\n".repeat(5_000);
const KEYS = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`key-${index}`, index]));
const IMAGE = { type: "image", data: "AAAA".repeat(50_000), mimeType: "image/png" } as const;
const BLOCKS = [{ type: "text", text: TEXT }, IMAGE, { type: "resource" }, 7, { type: "text", text: "short" }];
const MANY = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`key-${index}`, index]));

const RESULTS = {
  text: { content: [{ type: "text", text: TEXT }] },
  keys: { content: [], structuredContent: KEYS },
  blocks: { content: BLOCKS, structuredContent: { a: 1 } },
  failed: { content: [{ type: "text", text: TEXT }], isError: true },
  many: { content: [], structuredContent: MANY },
  crowded: { content: Array.from({ length: 10_001 }, () => ({ type: "text", text: "" })) },
};
const LINES = {
  error: `{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":${JSON.stringify(TEXT)}}}`,
  other: `{"jsonrpc":"2.0","id":ID,"result":{"words":[${JSON.stringify(TEXT)}]}}`,
  broken: `{"jsonrpc":"2.0","id":ID,"result":{"content":[${JSON.stringify(TEXT)} 1]}}`,
};
const TOOLS = Array.from({ length: 300 }, (_, index) => named(`tool-${index}`, { description: `${index} ${"d".repeat(400)}` }));

function error(result: ToolResult): unknown {
  return result.ok ? "no error" : [result.error.code, result.error.message];
}

/** Expected results for RESULTS, in the same order. */
const SHOWN = "(unsupported content block of type";
async function checkResults(call: (which: string) => Promise<ToolResult>): Promise<void> {
  using reads = recordHostReads();
  const results: ToolResult[] = [];
  for (const which of Object.keys(RESULTS)) results.push(await call(which));
  expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
  reads[Symbol.dispose]();
  const [text, keys, blocks, failed, many, crowded] = results;
  expect(text).toMatchObject({ ok: true, output: TEXT });
  expect(keys).toMatchObject({ ok: true, output: KEYS });
  expect(blocks).toMatchObject({
    ok: true,
    output: { a: 1 },
    content: [
      { type: "text", text: TEXT },
      IMAGE,
      { type: "text", text: `${SHOWN} "resource")` },
      { type: "text", text: `${SHOWN} "unknown")` },
      { type: "text", text: "short" },
    ],
  });
  expect(failed && error(failed)).toEqual(["tool_failed", `${TEXT.slice(0, 4_000)}…`]);
  expect(many && error(many)).toEqual(["tool_failed", "Cannot read the MCP server's answer: an object in it has more than 10000 members"]);
  expect(crowded && error(crowded)).toEqual(["tool_failed", "The MCP server's answer has more than 10000 content blocks"]);
}

describe("attack: messages above 64 KB of a server over stdio", () => {
  it("bypass the protocol's SDK, and results and lists are read in slices [LV2.mcp-sources]", SECONDS, async () => {
    const tools = [named("large"), named("line"), ...TOOLS];
    const project = await mcpProject({ tools, large: RESULTS, lines: LINES });
    await using host = await project.open({ builtins: false });
    const descriptions = host.list({ source: "mcp" }).map(({ description }) => description);
    expect(new Set(descriptions)).toEqual(new Set(tools.map(({ description }) => description)));
    await checkResults(async (which) => await host.call("mcp__demo.large", { which }, ALLOWED));
  });

  it("fail the call that they answer if they are not results [LV2.mcp-sources]", SECONDS, async () => {
    const project = await mcpProject({ tools: [named("line")], lines: LINES });
    await using host = await project.open({ builtins: false });
    using reads = recordHostReads();
    const answers: unknown[] = [];
    for (const which of Object.keys(LINES)) answers.push(error(await host.call("mcp__demo.line", { which }, ALLOWED)));
    expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
    expect(answers).toEqual([
      ["tool_failed", expect.any(String)],
      ["tool_failed", expect.any(String)],
      ["tool_failed", expect.stringMatching(/^Cannot read the MCP server's answer: it is not valid JSON at character \d+$/)],
    ]);
  });
});

/** A server that answers each call with a result in JSON, or as an event. */
async function farServer(kind: "json" | "events"): Promise<string> {
  const texts = Object.fromEntries(Object.entries(RESULTS).map(([which, result]) => [which, JSON.stringify(result)]));
  const others: Readonly<Record<string, string>> = {
    initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"1"}}',
    "tools/list": JSON.stringify({ tools: [named("large")] }),
  };
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const message = body === "" ? {} : (JSON.parse(body) as { id?: number; method?: string; params?: { arguments?: { which: string } } });
      const result = texts[message.params?.arguments?.which ?? ""] ?? others[message.method ?? ""];
      if (message.id === undefined || result === undefined) return response.writeHead(message.id === undefined ? 202 : 404).end();
      const text = `{"jsonrpc":"2.0","id":${message.id},"result":${result}}`;
      const isEvent = kind === "events";
      response.writeHead(200, { "content-type": isEvent ? "text/event-stream; charset=utf-8" : "application/json" });
      // In two lines of data.
      return response.end(
        isEvent ? `: comment\r\nid: 1\r\nevent: message\r\ndata: ${text.slice(0, 17)}\r\ndata:${text.slice(17)}\r\n\r\n` : text,
      );
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function openHost(url: string): Promise<Host> {
  const SILENT = { write: () => {}, child: () => SILENT };
  const host = await createHost({
    ...{ platform: currentPlatform(), config: {}, workspace: await temporaryFolder(), builtins: false, plugins: [] },
    logger: SILENT,
    events: { store: false },
  });
  await host.addMcpServer("far", { url });
  return host;
}

describe("attack: messages above 64 KB of a server over HTTP", () => {
  it.each(["json", "events"] as const)("are read in slices when they arrive as %s [LV2.mcp-sources]", SECONDS, async (kind) => {
    await using host = await openHost(await farServer(kind));
    expect(host.mcpServers()).toMatchObject([{ name: "far", state: "connected" }]);
    await checkResults(async (which) => await host.call("mcp__far.large", { which }, ALLOWED));
  });
});

describe("shortEvents()", () => {
  it.each([1, 2, 3, 7, 100_000])("keeps small events, and replaces large ones, in pieces of %s bytes [LV2.mcp-sources]", async (size) => {
    const large = "ü".repeat(size < 10 ? 40_000 : 70_000);
    const given = [
      "id: 1\n\n",
      "event: a\rdata: ü\rdata\rdata:x\r\r",
      ": only this\r\n\r\n",
      `data: ${large}\r\n\r\n`,
      "\n\ndata: cut o",
    ].join("");
    const bytes = new TextEncoder().encode(size < 10 ? given.replace(large, `${"a".repeat(70_000)}`) : given);
    const { readable, writable } = shortEvents((data) => Promise.resolve(`[${data.length}]`));
    const writer = writable.getWriter();
    const written = (async () => {
      for (let at = 0; at < bytes.length; at += size) await writer.write(bytes.subarray(at, at + size));
      await writer.close();
    })();
    const text = await new Response(readable).text();
    await written;
    expect(text).toBe("id: 1\n\nevent: a\ndata: ü\ndata: \ndata: x\n\n: only this\n\ndata: [70000]\n\n");
  });
});

describe("createLargeResults()", () => {
  it("holds at most 64 MiB of untaken results, and reports it [LV2.mcp-sources]", async () => {
    const { random } = currentPlatform();
    const results = createLargeResults({ random, slices: createSlices(() => 0) }, 1);
    const text = `{"id":1,"result":{"content":["${"x".repeat(8 * 1024 * 1024 - 40)}"]}}`;
    const marks: { readonly result: object }[] = [];
    for (let count = 0; count < 9; count++) marks.push(JSON.parse((await results.shorten(text)) ?? "") as { readonly result: object });
    const client = results.client({
      listTools: () => Promise.reject(new Error("Not asked")),
      callTool: ({ name }) => Promise.resolve({ content: [], ...marks[Number(name)]?.result }),
      close: () => Promise.resolve(),
    });
    await expect(client.callTool({ name: "0" })).rejects.toThrow("more large answers at once than can be held (64 MiB)");
    expect((await client.callTool({ name: "8" })).content).toHaveLength(1);
    await expect(client.callTool({ name: "8" })).rejects.toThrow("more large answers");
  });
});
