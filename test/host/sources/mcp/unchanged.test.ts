import { describe, expect, it } from "vitest";
import { createOperations } from "../../../../host/doors/host-operations.ts";
import type { Host, JsonObject } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { Log } from "../../../../host/platform/platform.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { mcpProject, named } from "../../../support/mcp-project.ts";
import { answerAsDirect, directAnswer, directly, plain, type Through, throughHost, toolAsDirect } from "../../../support/mcp-through.ts";

const SLOWLY = { timeout: 60_000 };
/** The tools change nothing, so no confirmation is needed. */
const READS = { sideEffects: ["read"] };

const NOTES = {
  annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-31T10:00:00+02:00" },
  _meta: { "example.com/key": { deep: [1, { two: null }] } },
};

/** Every kind of answer in the protocol. */
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

/** In the revisions before 2026-07-28, and in that one; the server speaks the former. */
async function bothWays(script: JsonObject) {
  const project = await mcpProject(script, READS);
  const host = await project.open();
  const { command, args } = project.program;
  return {
    host,
    direct: await directly(command, args),
    through: [await throughHost(host), await throughHost(host, { modern: true })] as const,
  };
}

async function call(host: Host, tool: string, args: JsonObject = {}) {
  return await host.call(`mcp__demo.${tool}`, args, ALLOWED);
}

/** A log with the warnings and errors that a host writes for users, beside its events. */
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
  it("are equal, block for block, with any content [K3.unchanged]", SLOWLY, async () => {
    const { host, direct, through } = await bothWays({ tools: Object.keys(ANSWERS).map((name) => named(name)), answers: ANSWERS });
    await using _host = host;
    await using _direct = direct;
    await using older = through[0];
    await using modern = through[1];
    for (const name of Object.keys(ANSWERS)) {
      const wanted = plain(await direct.client.callTool({ name, arguments: {} }));
      for (const { client } of [older, modern]) {
        const got = plain(await client.callTool({ name: `mcp__demo__${name}`, arguments: {} }));
        expect(answerAsDirect(got, wanted), name).toEqual(directAnswer(wanted));
      }
    }
    // A readable block is used if the answer has no blocks.
    expect((await older.client.callTool({ name: "mcp__demo__unsaid", arguments: {} })).content).toEqual([
      { type: "text", text: '{\n  "sum": 3\n}' },
    ]);
  });

  it("keep the text, code and data of protocol errors, without a stack in the log [K3.protocol-error]", SLOWLY, async () => {
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
    expect(await call(host, "mute")).toMatchObject({ error: { message: "The MCP server answered with error -32000" } });
    expect(await through.client.callTool({ name: "mcp__demo__refuses", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "Argument x must be positive" }],
      isError: true,
    });
    expect(written).toEqual([]);
  });

  it("name the server's refused requests to its client [K3.refused]", SLOWLY, async () => {
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
    // A method with an unprintable name counts as unknown, and is not reported.
    expect(await call(host, "ask", { method: "demo/x" })).toMatchObject({ output: "-32601", metadata: {} });
    expect(written).toEqual(
      wishes.map((method) => ["warn", "An MCP server made a request that bascule refuses", { server: "demo", method }]),
    );
  });
});

const SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://example.com/schema",
  type: "object",
  $defs: { name: { type: "string", pattern: "^[a-z]+$" } },
  properties: {
    name: { $ref: "#/$defs/name", description: "Whose" },
    amount: { type: "number", multipleOf: 0.5, exclusiveMinimum: 0 },
    map: { type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: { type: "integer" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, uniqueItems: true },
    maybe: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    one: { oneOf: [{ const: 1 }, { type: "object", required: ["a"] }] },
    not: { not: { type: "null" } },
  },
  required: ["name"],
  allOf: [{ if: { required: ["amount"] }, else: { required: ["pair"] } }],
  unevaluatedProperties: false,
};

const WHOLE: JsonObject = {
  name: "whole",
  title: "The whole",
  description: "Says all that a tool can say",
  inputSchema: SCHEMA,
  outputSchema: {
    type: "object",
    properties: { at: { type: "string", format: "date-time", pattern: "Z$" } },
    dependentRequired: { at: ["by"] },
  },
  annotations: { title: "Whole", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  icons: [{ src: "data:image/png;base64,AAAA", mimeType: "image/png", sizes: ["48x48"] }],
  execution: { taskSupport: "forbidden" },
  _meta: { "example.com/ui": { page: "ui://page" }, "bascule/plugin": "forged" },
};

describe("an MCP server's list, direct and at every door", () => {
  it("is equal through the MCP door: schemas, titles, icons and _meta [S5.verbatim] [K3.unchanged]", SLOWLY, async () => {
    const bare = { name: "bare", inputSchema: { type: "object" } };
    const { host, direct, through } = await bothWays({ tools: [WHOLE, named("plain"), bare] });
    await using _host = host;
    await using _direct = direct;
    await using older = through[0];
    await using modern = through[1];
    const wanted = (await direct.client.listTools()).tools.map(plain).toSorted(byName);
    const listedBy = async ({ client }: Through): Promise<readonly JsonObject[]> =>
      (await client.listTools()).tools
        .map(plain)
        .filter(({ name }) => (name as string).startsWith("mcp__demo__"))
        .toSorted(byName);
    const got = await listedBy(older);
    // The newer revision has no field for tasks.
    expect(await listedBy(modern)).toEqual(got.map(({ execution: _none, ...tool }) => tool));
    const { "bascule/plugin": _forged, ...meta } = WHOLE["_meta"] as JsonObject;
    const wantedHere = wanted.map((tool) => (tool["name"] === "whole" ? { ...tool, _meta: meta } : tool));
    expect(got.map((tool, at) => plain(toolAsDirect(tool, wanted[at] ?? {}, "demo")))).toEqual(wantedHere);
    // Hints are set by the host, and the server cannot forge them.
    expect(got.at(-1)).toMatchObject({
      annotations: { title: "Whole", readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      _meta: { ...meta, "bascule/annotations": WHOLE["annotations"] as JsonObject },
    });
  });

  it(
    "is equal in lists, in info, over HTTP and for models, and members that a target drops are reported [S5.verbatim] [R5.lossy]",
    SLOWLY,
    async () => {
      const project = await mcpProject({ tools: [WHOLE] }, READS);
      await using host = await project.open();
      const { files, slices } = currentPlatform();
      const operations = createOperations({ host, files, slices, session: host.session(), about: { version: "0", pid: 1 } });
      const [listed] = host.list({ source: "mcp" });
      const info = await operations.info("mcp__demo.whole");
      const view = info.kind === "tool" ? info.tool : undefined;
      const [mcp] = host.definitions("mcp", ["whole"]).tools;
      const [anthropic] = host.definitions("anthropic", ["whole"]).tools;
      for (const schema of [listed?.inputSchema, view?.inputSchema, mcp?.inputSchema]) expect(schema).toEqual(SCHEMA);
      for (const schema of [listed?.outputSchema, view?.outputSchema, mcp?.outputSchema]) expect(schema).toEqual(WHOLE["outputSchema"]);
      expect(host.definitions("langchain", ["whole"]).tools[0]?.schema).toEqual(SCHEMA);
      expect(host.definitions("ai-sdk", ["whole"]).tools["mcp__demo__whole"]?.inputSchema["~standard"].jsonSchema.input()).toEqual(SCHEMA);
      const { allOf: _allOf, ...rest } = SCHEMA;
      expect(anthropic?.input_schema).toEqual(rest);
      expect(host.definitions("anthropic", ["whole"]).lossy.map(({ pointer }) => pointer)).toEqual([
        "/outputSchema",
        "/title",
        "/inputSchema/allOf",
      ]);
      expect(host.definitions("openai", ["whole"]).tools[0]?.function).toMatchObject({ parameters: rest, strict: false });
      const gemini = host.definitions("gemini", ["whole"]);
      expect(gemini.tools[0]?.parametersJsonSchema).toMatchObject({
        $defs: { name: { type: "string" } },
        properties: { name: { $ref: "#/$defs/name" }, one: { oneOf: [{ enum: [1] }, { type: "object", required: ["a"] }] } },
      });
      expect(gemini.lossy.map(({ pointer }) => pointer).toSorted()).toEqual([
        "/inputSchema/$defs/name/pattern",
        "/inputSchema/allOf",
        "/inputSchema/properties/amount/exclusiveMinimum",
        "/inputSchema/properties/amount/multipleOf",
        "/inputSchema/properties/map/patternProperties",
        "/inputSchema/properties/maybe/default",
        "/inputSchema/properties/name/description beside $ref",
        "/inputSchema/properties/not/not",
        "/inputSchema/properties/pair/uniqueItems",
        "/inputSchema/unevaluatedProperties",
        "/outputSchema",
        "/title",
      ]);
    },
  );

  it("is checked as far as tool schemas allow, and otherwise by the server [S5.opaque]", SLOWLY, async () => {
    const answers = { whole: { content: [{ type: "text", text: "{}" }], structuredContent: { at: "never" } } };
    const project = await mcpProject({ tools: [WHOLE], answers }, READS);
    await using host = await project.open();
    const [listed] = host.list({ source: "mcp" });
    expect(listed?.checks).toEqual({
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", description: "Whose" },
          amount: { type: "number", exclusiveMinimum: 0 },
          map: { type: "object" },
          pair: { type: "array" },
          maybe: { type: ["string", "null"], default: null },
          one: {},
          not: {},
        },
        required: ["name"],
      },
      outputSchema: { type: "object", properties: { at: { type: "string", format: "date-time" } } },
    });
    expect(listed?.tags).toContain("schema:opaque");
    expect(await call(host, "whole", { name: 7 })).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    // The value violates only the pattern, which the server checks; the format of the answer is checked here.
    expect(await call(host, "whole", { name: "A1" })).toMatchObject({ ok: false, error: { code: "invalid_output" } });
  });

  it("is hidden from models until it is accepted, its _meta and icons included [K3.pinned]", SLOWLY, async () => {
    const project = await mcpProject({ tools: [WHOLE] }, READS);
    await (await project.open()).close();
    await project.script({ tools: [{ ...WHOLE, icons: [{ src: "https://evil.example/a.png" }], _meta: { "example.com/ui": "evil" } }] });
    await using host = await project.open();
    expect(host.mcpServers()[0]?.refused).toMatchObject([
      { tool: "whole", reason: expect.stringContaining("its _meta, icons changed") as string },
    ]);
    expect(JSON.stringify([host.list(), host.definitions("mcp").tools])).not.toContain("evil");
    expect(JSON.stringify(host.mcpServers()[0]?.waiting?.changes)).toContain("evil.example");
  });
});

function byName(one: JsonObject, other: JsonObject): number {
  return (one["name"] as string) < (other["name"] as string) ? -1 : 1;
}
