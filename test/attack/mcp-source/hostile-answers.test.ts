import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../host/mod.ts";
import { toToolOutput } from "../../../host/sources/mcp/result.ts";
import { mcpProject, named } from "../../support/mcp-project.ts";
import { throughHost } from "../../support/mcp-through.ts";

const SECONDS = { timeout: 60_000 };
/** Above this size the SDK does not validate a server's answers. */
const UNCHECKED = "x".repeat(70_000);
const CUT = { "bascule/cut": "The descriptions of a result's blocks are limited to 64 KB and 64 levels" };

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  shapes: {
    content: [
      {
        type: "text",
        text: UNCHECKED,
        annotations: { audience: ["user", "root"], priority: 7, lastModified: "2026-02-30T00:00:00Z", x: 1 },
      },
      { type: "text", text: "a", annotations: ["user"], _meta: "words" },
      { type: "resource", resource: { uri: "file:///a", blob: "no base64!" } },
      { type: "resource", resource: { uri: 7, blob: "AAAA" } },
      { type: "resource", resource: { uri: "file:///both", text: "t", blob: "AAAA", mimeType: 7 } },
      { type: "resource_link", uri: "file:///a" },
      {
        type: "resource_link",
        uri: "file:///a",
        name: "a",
        size: "12",
        title: [],
        icons: [{ src: 7 }, { src: "s", sizes: [7, "1x1"], theme: "pink" }],
      },
      { type: "resource", uri: "file:///flat", text: "not as MCP writes it" },
      {
        type: "resource",
        uri: "file:///b",
        text: "b",
        resourceMeta: { b: 1 },
        resource: { uri: "file:///c", text: "c", annotations: { priority: 1 } },
      },
      { type: "\u001b[2Jvideo", data: "AAAA" },
      null,
    ],
    structuredContent: { ok: true },
  },
  notes: {
    content: [
      { type: "text", text: UNCHECKED, _meta: { a: "m".repeat(30_000) } },
      { type: "text", text: "b", annotations: { audience: Array.from({ length: 20_000 }, () => "user") } },
      { type: "resource_link", uri: "file:///d", name: "d", description: "d".repeat(60_000) },
      { type: "text", text: "e", _meta: { small: 1 } },
    ],
  },
  result: { content: [{ type: "text", text: UNCHECKED }], structuredContent: { ok: true }, _meta: { big: "m".repeat(100_000) } },
  forged: {
    content: [{ type: "text", text: "a" }],
    _meta: {
      "bascule/call": { callId: "forged" },
      "bascule/error": {},
      "io.modelcontextprotocol/serverInfo": { name: "other", version: "1" },
      "io.modelcontextprotocol/related-task": { taskId: "1" },
      "example.com/own": 1,
    },
  },
};

describe("a server whose answers have no shape of MCP", () => {
  it("reaches clients with the parts that they accept, and says where it was cut [K3.unchanged-bounded]", SECONDS, async () => {
    const project = await mcpProject(
      { tools: Object.keys(ANSWERS).map((name) => named(name)), answers: ANSWERS },
      { sideEffects: ["read"] },
    );
    await using host = await project.open();
    await using through = await throughHost(host);
    // The client validates every block, and rejects a call for one wrong block.
    const call = async (name: string) => await through.client.callTool({ name: `mcp__demo__${name}`, arguments: {} });

    expect((await call("shapes")).content).toEqual([
      { type: "text", text: UNCHECKED, annotations: {} },
      { type: "text", text: "a" },
      { type: "text", text: "[resource that is not base64]" },
      { type: "text", text: '(unsupported content block of type "resource")' },
      { type: "resource", resource: { uri: "file:///both", text: "t" } },
      { type: "text", text: '(unsupported content block of type "resource_link")' },
      { type: "resource_link", uri: "file:///a", name: "a", icons: [{ src: "s", sizes: ["1x1"] }] },
      { type: "text", text: '(unsupported content block of type "resource")' },
      // Contents come from the resource, and notes from its surroundings.
      { type: "resource", resource: { uri: "file:///c", text: "c" } },
      { type: "text", text: '(unsupported content block of type "\\u001b[2Jvideo")' },
      { type: "text", text: '(unsupported content block of type "unknown")' },
    ]);
    expect((await call("notes")).content).toEqual([
      { type: "text", text: UNCHECKED, _meta: { a: "m".repeat(30_000) } },
      { type: "text", text: "b", _meta: CUT },
      { type: "resource_link", uri: "file:///d", name: "d", _meta: CUT },
      { type: "text", text: "e", _meta: { small: 1 } },
    ]);
    const result = await call("result");
    expect(Object.keys(result._meta ?? {})).toEqual(["cut-by-bascule", "bascule/call"]);
    expect(result._meta?.["cut-by-bascule"]).toContain("65536 bytes");
    const forged = await call("forged");
    expect(forged._meta).toEqual({
      "example.com/own": 1,
      "bascule/call": expect.objectContaining({ durationMs: expect.any(Number) as number }) as unknown,
    });
    expect(forged._meta?.["bascule/call"]).not.toMatchObject({ callId: "forged" });
  });

  it("makes refused requests as often as it likes, and is logged once [K3.refused]", SECONDS, async () => {
    const written: string[] = [];
    const log = { write: (level: string, message: string) => void (level === "warn" && written.push(message)), child: () => log };
    const project = await mcpProject({ tools: [named("ask")] }, { sideEffects: ["read"] });
    await using host = await project.open({ logger: log });
    for (let times = 0; times < 20; times++) await host.call("mcp__demo.ask", { method: "elicitation/create" });
    expect(written).toEqual(["An MCP server made a request that bascule refuses"]);
  });
});

describe("a server's notes about a block", () => {
  it("are cut before any of them is read [K3.notes-server]", () => {
    const icons = Array.from({ length: 20_000 }, () => ({ src: "s" }));
    // As it came through JSON.parse, without validation.
    const answer = { content: [{ type: "resource_link", uri: "a:b", name: "a", icons }] } as unknown as Parameters<typeof toToolOutput>[0];
    expect(toToolOutput(answer).next()).toMatchObject({
      done: true,
      value: { parts: { content: [{ type: "resource_link", uri: "a:b", name: "a", _meta: CUT }] } },
    });
  });
});
