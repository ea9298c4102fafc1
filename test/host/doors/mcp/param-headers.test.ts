import { describe, expect, it } from "vitest";
import { createMcpHandler } from "../../../../host/doors/mcp/mod.ts";
import { functionTool } from "../../../../host/mod.ts";
import { mcpHost, messageOf, modernRequest } from "../../../support/mcp-client.ts";

const TOOL = functionTool((args: object) => Object.keys(args).length, {
  name: "where",
  description: "Where",
  sideEffects: [],
  inputSchema: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      level: { type: "integer", "x-mcp-header": "Level" },
      deep: { type: "object", properties: { dry: { type: "boolean", "x-mcp-header": "Dry" } } },
      list: { type: "array", "x-mcp-header": "List" },
      bad: { type: "string", "x-mcp-header": "not a header" },
      text: { type: "string" },
    },
  },
});

/** Calls a tool with these arguments and headers. Returns the status and the error's code. */
async function call(args: object, headers: Readonly<Record<string, string>>, name: string = "where"): Promise<readonly unknown[]> {
  await using test = await mcpHost({}, { builtins: false, tools: [TOOL] });
  const handler = createMcpHandler(test);
  const request = modernRequest("tools/call", { name, arguments: { ...args } });
  for (const [header, value] of Object.entries(headers)) request.headers.set(header, value);
  const response = await handler.fetch(request);
  const { error } = await messageOf(response);
  await handler.close();
  return [response.status, error?.code, error?.message];
}

const FITS = [200, undefined, undefined];
const wrong = (message: string): readonly unknown[] => [400, -32_020, message];

describe("arguments that clients repeat in headers", () => {
  it.each([
    ["unchanged", { region: "eu" }, { "Mcp-Param-Region": "eu" }],
    ["in Base64", { region: "zürich" }, { "Mcp-Param-Region": "=?base64?esO8cmljaA==?=" }],
    ["with an incomplete wrapping, which is plain text", { region: "=?base64?eA==" }, { "Mcp-Param-Region": "=?base64?eA==" }],
    ["as a number in another notation", { level: 42 }, { "Mcp-Param-Level": "42.0" }],
    ["deep", { deep: { dry: false } }, { "Mcp-Param-Dry": "false" }],
    ["without an argument in the call", {}, { "Mcp-Param-Region": "eu" }],
    ["without a header if the schema names no valid one", { list: [1], bad: "x", text: "y" }, {}],
    ["beside large arguments", { region: "eu", text: "x".repeat(100_000) }, { "Mcp-Param-Region": "eu" }],
  ])("are accepted %s [I3.param-headers]", async (_how, args, headers) => {
    expect(await call(args, headers)).toEqual(FITS);
  });

  it.each([
    ["is missing", { region: "eu" }, {}, 'Missing header Mcp-Param-Region for the argument "region"'],
    ["differs", { region: "eu" }, { "Mcp-Param-Region": "us" }, 'The header Mcp-Param-Region differs from the argument "region"'],
    ["is not Base64", { region: "x" }, { "Mcp-Param-Region": "=?base64?eA=?=" }, "The header Mcp-Param-Region is not valid Base64"],
    ["is not UTF-8", { region: "x" }, { "Mcp-Param-Region": "=?base64?/w==?=" }, "The header Mcp-Param-Region is not valid Base64"],
    ["is missing for a nested argument", { deep: { dry: true } }, {}, 'Missing header Mcp-Param-Dry for the argument "deep.dry"'],
    [
      "is missing beside large arguments",
      { region: "eu", text: "x".repeat(100_000) },
      {},
      'Missing header Mcp-Param-Region for the argument "region"',
    ],
  ])("cause a refusal if a header %s [I3.param-headers]", async (_how, args, headers, message) => {
    expect(await call(args, headers)).toEqual(wrong(message));
  });
});
