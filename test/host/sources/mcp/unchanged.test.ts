import { describe, expect, it } from "vitest";
import type { Host, JsonObject } from "../../../../host/mod.ts";
import type { Log } from "../../../../host/platform/platform.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { mcpProject, named } from "../../../support/mcp-project.ts";
import { answerAsDirect, directAnswer, directly, plain, throughHost } from "../../../support/mcp-through.ts";

const SLOWLY = { timeout: 60_000 };
/** Nothing of it changes anything, so that nobody is asked. */
const READS = { sideEffects: ["read"] };

const NOTES = {
  annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-31T10:00:00+02:00" },
  _meta: { "example.com/key": { deep: [1, { two: null }] } },
};

/** Every kind of answer that the protocol has. */
const ANSWERS: Readonly<Record<string, JsonObject>> = {
  texts: {
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
  },
  noted: { content: [{ type: "text", text: "noted", ...NOTES }] },
  blob: {
    content: [
      {
        type: "resource",
        resource: { uri: "file:///a.bin", blob: "AAEC", mimeType: "application/octet-stream", _meta: { inner: 1 } },
        ...NOTES,
      },
      { type: "resource", resource: { uri: "file:///a.txt", text: "words", mimeType: "text/plain" } },
    ],
  },
  links: {
    content: [
      {
        ...{ type: "resource_link", uri: "file:///a", name: "a", title: "A", description: "Is a file", mimeType: "text/plain", size: 12 },
        icons: [{ src: "data:image/png;base64,AAAA", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
        ...NOTES,
      },
    ],
  },
  media: {
    content: [
      { type: "image", data: "AAAA", mimeType: "image/png", ...NOTES },
      { type: "audio", data: "AAAA", mimeType: "audio/wav", ...NOTES },
    ],
  },
  structured: { content: [{ type: "text", text: "3" }], structuredContent: { sum: 3 }, _meta: { "example.com/cost": 7 } },
  unsaid: { content: [], structuredContent: { sum: 3 } },
  empty: { content: [] },
  failed: {
    content: [
      { type: "text", text: "Not found" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "Try another" },
    ],
    structuredContent: { error: "E_NOT_FOUND", tried: ["a", "b"] },
    isError: true,
    _meta: { "example.com/request": "r-1" },
  },
  mute: { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], isError: true },
  long: {
    content: [
      { type: "text", text: "t".repeat(100_000), ...NOTES },
      { type: "resource", resource: { uri: "file:///big", blob: "AAAA".repeat(20_000), _meta: { inner: 1 } } },
    ],
    structuredContent: { list: Array.from({ length: 2_000 }, (_, at) => ({ at })) },
    _meta: { "example.com/cost": 7 },
  },
  "long-failure": { content: [{ type: "text", text: "f".repeat(100_000) }], structuredContent: { code: 1 }, isError: true },
};

async function bothWays(script: JsonObject, server: JsonObject = READS) {
  const project = await mcpProject(script, server);
  const host = await project.open();
  const { command, args } = project.program;
  return { host, direct: await directly(command, args), through: await throughHost(host) };
}

async function call(host: Host, tool: string, args: JsonObject = {}) {
  return await host.call(`mcp__demo.${tool}`, args, ALLOWED);
}

/** What a host writes for people, beside its events. */
function warnings(): { readonly written: unknown[]; readonly log: Log } {
  const written: unknown[] = [];
  const log: Log = {
    write(level, message, fields) {
      if (level === "warn" || level === "error") if (fields?.["event"] === undefined) written.push([level, message, fields]);
    },
    child: () => log,
  };
  return { written, log };
}

describe("answers of an MCP server, direct and through the MCP door", () => {
  it("are the same, block for block, whatever is in them [K3.unchanged]", SLOWLY, async () => {
    const { host, direct, through } = await bothWays({ tools: Object.keys(ANSWERS).map((name) => named(name)), answers: ANSWERS });
    await using _host = host;
    await using _direct = direct;
    await using _through = through;
    for (const name of Object.keys(ANSWERS)) {
      const wanted = plain(await direct.client.callTool({ name, arguments: {} }));
      const got = plain(await through.client.callTool({ name: `mcp__demo__${name}`, arguments: {} }));
      expect(answerAsDirect(got, wanted), name).toEqual(directAnswer(wanted));
    }
    // What stands in for no blocks at all is one that can be read.
    expect((await through.client.callTool({ name: "mcp__demo__unsaid", arguments: {} })).content).toEqual([
      { type: "text", text: '{\n  "sum": 3\n}' },
    ]);
  });

  it("have errors of the protocol with their text, code and data, and no stack in the log [K3.protocol-error]", SLOWLY, async () => {
    const errors = {
      refuses: { code: -32_602, message: "Argument x must be positive", data: { x: -1 } },
      mute: { code: -32_000, message: "" },
    };
    const { written, log } = warnings();
    const project = await mcpProject({ tools: [named("refuses"), named("mute")], errors }, READS);
    await using host = await project.open({ logger: log });
    await using through = await throughHost(host);
    expect(await call(host, "refuses")).toMatchObject({
      ok: false,
      error: {
        code: "tool_failed",
        message: "Argument x must be positive",
        details: { mcp: { code: -32_602, data: { x: -1 } } },
      },
    });
    expect(await call(host, "mute")).toMatchObject({ error: { message: "The MCP server answered with the error -32000" } });
    expect(await through.client.callTool({ name: "mcp__demo__refuses", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "Argument x must be positive" }],
      isError: true,
    });
    expect(written).toEqual([]);
  });

  it("name what the server asked of its client and did not get [K3.refused]", SLOWLY, async () => {
    const { written, log } = warnings();
    const project = await mcpProject({ tools: [named("ask"), named("insist")] }, READS);
    await using host = await project.open({ logger: log });
    const wishes = ["elicitation/create", "sampling/createMessage", "roots/list"];
    for (const method of wishes) {
      expect(await call(host, "ask", { method })).toMatchObject({ ok: true, output: "-32601", metadata: { refused: [method] } });
      const failed = await call(host, "insist", { method });
      expect(failed.content).toEqual([
        { type: "text", text: `bascule refuses ${method} to MCP servers` },
        { type: "text", text: `(during this call the server asked its client for ${method}, which bascule refuses)` },
      ]);
    }
    // A method that is nothing to name is unknown, and nothing is said of it.
    expect(await call(host, "ask", { method: "demo/x" })).toMatchObject({ output: "-32601", metadata: {} });
    expect(written).toEqual(
      wishes.map((method) => ["warn", "An MCP server asked its client for something that it does not get", { server: "demo", method }]),
    );
  });
});
