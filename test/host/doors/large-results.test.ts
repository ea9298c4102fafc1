import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { serveRunner } from "../../../host/doors/ipc/serve-runner.ts";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { openSocketDoor } from "../../../host/doors/socket/socket.ts";
import { connectToHost } from "../../../host/doors/socket/socket-client.ts";
import { createMemoryPair } from "../../../host/platform/memory/memory-sockets.ts";
import { httpDoor, type HttpDoorUnderTest } from "../../support/http-door.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { mcpHost, type McpHost, WAYS } from "../../support/mcp-client.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const AT_ONCE = 64 * 1024 + 4_096;
const LIST = Array.from({ length: 60_000 }, (_, index) => `é"${index}`);
const OBJECT = { all: LIST };
const DATA = "AAAA".repeat(50_000);
const MAIN = `
const list = () => Array.from({ length: 60000 }, (_, index) => "é\\"" + index);
export const many = () => list();
export const members = () => ({ all: list() });
export const count = ({ list }) => list.length;
export const tells = (_, context) => {
  for (const step of [0, list(), "small", list(), 3]) context.progress(step);
  return "told";
};
export const text = () => "é\\"".repeat(60000);
export const image = (_, context) =>
  context.output({ output: 1, content: [{ type: "image", data: "AAAA".repeat(50000), mimeType: "image/png" }, { type: "image", data: "!".repeat(100000), mimeType: "image/png" }] });
`;
const NAMES = ["count", "many", "members", "tells", "text", "image"];
const TOOLS = NAMES.map((name) => ({
  name,
  description: "Answers much",
  inputSchema: { type: "object" },
  sideEffects: [],
  ...(name === "many" && { outputSchema: { type: "array", items: { type: "string" } } }),
}));
const MANIFEST = { schemaVersion: "1.0", name: "large", version: "1.0.0", description: "Answers much", tools: TOOLS };

describe("a result above 64 KB, over HTTP", { timeout: 60_000 }, () => {
  let door: HttpDoorUnderTest;
  beforeAll(async () => {
    const platform = memoryPlatformWithWorkers({ "plugins/large/manifest.json": JSON.stringify(MANIFEST), "plugins/large/main.ts": MAIN });
    door = await httpDoor({ platform, plugins: "/workspace/plugins" });
  });
  afterAll(async () => await door[Symbol.asyncDispose]());

  /** Returns the body as bytes, and the largest text that was parsed, written or decoded at once. */
  async function bytesOf(
    path: string,
    request: Parameters<HttpDoorUnderTest["request"]>[1],
  ): Promise<{ readonly text: string; readonly longest: number }> {
    using reads = recordHostReads();
    const response = await door.request(path, request);
    const bytes = await response.arrayBuffer();
    const longest = reads.longest();
    return { text: new TextDecoder().decode(bytes), longest };
  }

  it("is the answer, byte for byte, also when requested later [LV2.http]", async () => {
    const call = await bytesOf("/v1/calls", { body: { tool: "large.many", callId: "large-http-1" } });
    expect(JSON.parse(call.text)).toMatchObject({ ok: true, output: LIST });
    const later = await bytesOf("/v1/calls/large-http-1", {});
    expect(JSON.parse(later.text)).toMatchObject({ ok: true, output: LIST });
    const text = await bytesOf("/v1/calls", { body: { tool: "large.text" } });
    expect(JSON.parse(text.text)).toMatchObject({ ok: true, output: 'é"'.repeat(60_000) });
    const image = await bytesOf("/v1/calls", { body: { tool: "large.image" } });
    expect(JSON.parse(image.text)).toMatchObject({ output: 1, content: [{ data: DATA }, { data: "!".repeat(100_000) }] });
    for (const { longest } of [call, later, text, image]) expect(longest).toBeLessThanOrEqual(AT_ONCE);
  });

  it("is the last event of a stream, on one line [LV2.http]", async () => {
    const { text, longest } = await bytesOf("/v1/calls", { body: { tool: "large.many" }, fields: { accept: "text/event-stream" } });
    const data = text.split("\n").find((line) => line.startsWith("data: {") && line.includes('"output"'));
    expect(JSON.parse(data?.slice("data: ".length) ?? "")).toMatchObject({ ok: true, output: LIST });
    expect(text.endsWith("\n\n")).toBe(true);
    expect(longest).toBeLessThanOrEqual(AT_ONCE);
  });

  it("comes after all progress, which is as large, in order and written in slices [LV2.progress]", async () => {
    const { text, longest } = await bytesOf("/v1/calls", { body: { tool: "large.tells" }, fields: { accept: "text/event-stream" } });
    const told = text
      .split("\n")
      .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice("data: ".length)) as unknown] : []));
    expect(told).toEqual([{ callId: expect.any(String) }, 0, LIST, "small", LIST, 3, expect.objectContaining({ output: "told" })]);
    expect(longest).toBeLessThanOrEqual(AT_ONCE);
  });

  it("is among the results of a turn [LV2.http]", async () => {
    const opened = await door.ask("/v1/sessions", { body: {} });
    const turn = await bytesOf(`/v1/sessions/${opened.body["sessionId"] as string}/turns`, {
      body: { calls: [{ tool: "large.many" }, { tool: "large.text" }] },
    });
    expect(JSON.parse(turn.text)).toMatchObject({ results: [{ output: LIST }, { output: 'é"'.repeat(60_000) }] });
    expect(turn.longest).toBeLessThanOrEqual(AT_ONCE);
  });

  it("reaches clients of the socket and runners as one line [LV2.lines]", async () => {
    const { host, platform } = door;
    const about = { version: "0", pid: 1 };
    const socket = await openSocketDoor({
      platform,
      stateDirectory: "/workspace/.bascule-test",
      open: () => ({
        ...createOperations({ host, files: platform.files, slices: platform.slices, session: host.session(), about }),
        end: async () => {},
      }),
    });
    const remote = await connectToHost(platform, "/workspace/.bascule-test");
    const result = await remote?.operations.call({ tool: "large.many", args: {} }, { signal: new AbortController().signal });
    expect(result).toMatchObject({ ok: true, output: LIST });
    const told: unknown[] = [];
    const onProgress = (value: unknown): void => void told.push(value);
    await remote?.operations.call({ tool: "large.tells", args: {} }, { signal: new AbortController().signal, onProgress });
    expect(told).toEqual([0, LIST, "small", LIST, 3]);
    remote?.close();
    await socket.close();

    const [near, far] = createMemoryPair();
    const answered = new Promise<string>((resolve) => far.onLine(resolve));
    const served = serveRunner({ connection: near, slices: platform.slices, call: ({ tool, args }) => host.call(tool, args) });
    far.send('{"op":"tool_call","tool_call_id":"1","tool":"large.many"}');
    expect(JSON.parse(await answered)).toEqual({
      op: "tool_response",
      tool_call_id: "1",
      ok: true,
      result: LIST,
      metadata: { duration_ms: expect.any(Number) },
    });
    far.close();
    await served;
  });
});

describe.each(WAYS)("a result above 64 KB, over MCP (%s, %s)", { timeout: 60_000 }, (era, over) => {
  let server: McpHost;
  beforeAll(async () => {
    server = await mcpHost({ large: { manifest: { tools: TOOLS }, main: MAIN } });
  });
  afterAll(async () => await server[Symbol.asyncDispose]());

  it("answers a call with arguments above 64 KB, which bypass the protocol's SDK [LV2.arguments]", async () => {
    const client = await server.connect(era, over);
    const args = { list: Array.from({ length: 40_000 }, (_, index) => index) };
    const parsed: number[] = [];
    const { parse } = JSON;
    using _spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      parsed.push(text.length);
      return parse(text, reviver) as unknown;
    });
    const counted = await client.callTool({ name: "large__count", arguments: args });
    expect([counted.content, Math.max(...parsed) <= AT_ONCE]).toEqual([[{ type: "text", text: "40000" }], true]);
  });

  it("comes after all progress, which is sent cut [LV2.progress]", async () => {
    const client = await server.connect(era, over);
    const told: unknown[] = [];
    await client.callTool({ name: "large__tells", arguments: {} }, { onprogress: ({ message }) => told.push(message) });
    const begun = expect.stringMatching(/^\["é\\"0","é\\"1",/);
    // The last number is dropped: it is not above the count of the progress without numbers.
    expect(told).toEqual([undefined, begun, "small", begun]);
  });

  it("has text and structured content like a smaller one, but compact [LV2.mcp]", async () => {
    const client = await server.connect(era, over);
    await client.listTools();
    const members = await client.callTool({ name: "large__members", arguments: {} });
    expect(members).toMatchObject({ content: [{ type: "text", text: JSON.stringify(OBJECT) }], structuredContent: OBJECT });
    const many = await client.callTool({ name: "large__many", arguments: {} });
    expect(many.content).toEqual([{ type: "text", text: JSON.stringify(LIST) }]);
    expect(many.structuredContent).toEqual(era === "legacy" ? { result: LIST } : LIST);
    const image = await client.callTool({ name: "large__image", arguments: {} });
    expect(image.content).toEqual([
      { type: "image", data: DATA, mimeType: "image/png" },
      { type: "text", text: "[image that is not base64]" },
    ]);
  });
});
