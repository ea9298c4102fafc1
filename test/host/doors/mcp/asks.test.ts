import { expect, it } from "vitest";
import { type Asks, CannotAsk } from "../../../../host/call/asks.ts";
import { mcpHost, modernRequest, messageOf, until, WAYS } from "../../../support/mcp-client.ts";
import { createMcpHandler } from "../../../../host/doors/mcp/mod.ts";
import type { ToolFactory } from "../../../../host/tools/tool.ts";

const NAME: Asks = {
  who: { kind: "form", message: "Who?", schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
};

function asker(asks: Asks): ToolFactory {
  return () => ({
    definition: { name: "asks", description: "Asks", inputSchema: { type: "object" }, sideEffects: [] },
    execute: async (_args, { ask }) => (await ask?.(asks)) ?? null,
  });
}

it.each(WAYS)("lets a host tool ask the client's user during a call, %s revision over %s [I3.ask]", async (era, over) => {
  await using test = await mcpHost({}, { builtins: false, tools: [asker(NAME)] });
  const client = await test.connect(era, over, {
    capabilities: { elicitation: {} },
    prepare: (made) =>
      made.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: { name: `${params.message} Ada` } })),
  });
  expect((await client.callTool({ name: "asks", arguments: {} })).structuredContent).toEqual({
    who: { action: "accept", content: { name: "Who? Ada" } },
  });
});

it("shows the user a host tool's message without terminal control characters [I3.inert]", async () => {
  const message = "Who?\x1b[2J\u202e\nYou";
  const asks: Asks = { who: { kind: "form", message, schema: { type: "object", properties: {} } } };
  await using test = await mcpHost({}, { builtins: false, tools: [asker(asks)] });
  const handler = createMcpHandler(test);
  const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", { name: "asks", arguments: {} })));
  expect(result).toMatchObject({ inputRequests: { who: { params: { message: "Who?\\x1b[2J\\u{202e}\nYou" } } } });
  await handler.close();
});

it("asks again if an answer does not match its schema, which is not compiled to code [I3.ask-checked] [S4.mcp]", async () => {
  await using test = await mcpHost({}, { builtins: false, tools: [asker(NAME)] });
  const handler = createMcpHandler(test);
  const call = { name: "asks", arguments: {} };
  let { result } = await messageOf(await handler.fetch(modernRequest("tools/call", call)));
  for (const who of [{ action: "accept", content: { name: 5 } }, { action: "accept", content: {} }, { action: "accept" }, 5]) {
    const retry = { ...call, requestState: result?.["requestState"] as string, inputResponses: { who } };
    ({ result } = await messageOf(await handler.fetch(modernRequest("tools/call", retry))));
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { who: {} } });
  }
  const last = { ...call, requestState: result?.["requestState"] as string, inputResponses: { who: { action: "decline" } } };
  ({ result } = await messageOf(await handler.fetch(modernRequest("tools/call", last))));
  expect(result).toMatchObject({ structuredContent: { who: { action: "decline" } } });
  await handler.close();
});

it("uses answers sent with the call for its first question, whatever their names, and asks the next [I3.ask-early]", async () => {
  const twice: ToolFactory = () => ({
    definition: { name: "asks", description: "Asks", inputSchema: { type: "object" }, sideEffects: [] },
    execute: async (_args, { ask }) => [(await ask?.(NAME)) ?? null, (await ask?.(NAME)) ?? null],
  });
  await using test = await mcpHost({}, { builtins: false, tools: [twice] });
  const handler = createMcpHandler(test);
  const call = { name: "asks", arguments: {} };
  const early = { who: { action: "accept", content: { name: "Ada" } }, other: { action: "accept", content: {} } };
  const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", { ...call, inputResponses: early })));
  expect(result).toMatchObject({ resultType: "input_required", inputRequests: { who: {} } });
  const retry = { ...call, requestState: result?.["requestState"] as string, inputResponses: { who: { action: "decline" } } };
  const { result: last } = await messageOf(await handler.fetch(modernRequest("tools/call", retry)));
  const [said] = (last?.["content"] ?? []) as readonly { readonly text: string }[];
  expect(JSON.parse(said?.text ?? "")).toEqual([{ who: { action: "accept", content: { name: "Ada" } } }, { who: { action: "decline" } }]);
  await handler.close();
});

it("takes no answer to a confirmation before the user was asked [E5.early]", async () => {
  const name = "remove";
  const remove: ToolFactory = () => ({
    definition: { name, description: "Removes", inputSchema: { type: "object" }, sideEffects: ["write"], destructive: true },
    execute: () => "removed",
  });
  await using test = await mcpHost({}, { builtins: false, tools: [remove] });
  const handler = createMcpHandler(test);
  const { result: asked } = await messageOf(await handler.fetch(modernRequest("tools/call", { name, arguments: {} })));
  const [question = ""] = Object.keys(asked?.["inputRequests"] as object);
  const inputResponses = { [question]: { action: "accept", content: { approve: true, decision: "allow" } } };
  const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", { name, arguments: {}, inputResponses })));
  expect([question === "", result?.["resultType"]]).toEqual([false, "input_required"]);
  await handler.close();
});

it("reports the client capability that a call needs [I3.ask-capability]", async () => {
  await using test = await mcpHost({}, { builtins: false, tools: [asker({ roots: { kind: "roots" } })] });
  const handler = createMcpHandler(test);
  const { error } = await messageOf(await handler.fetch(modernRequest("tools/call", { name: "asks", arguments: {} })));
  expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { roots: {} } } });
  await handler.close();
});

it("holds no slot while it waits for the user, so that other calls continue [D4.ask]", async () => {
  await using test = await mcpHost({}, { builtins: false, tools: [asker(NAME)] });
  const client = await test.connect("legacy", "lines", {
    capabilities: { elicitation: {} },
    prepare: (made) => made.setRequestHandler("elicitation/create", async () => await new Promise(() => {})),
  });
  let asked = 0;
  test.host.register(() => ({
    definition: { name: "quick", description: "Answers", inputSchema: { type: "object" }, sideEffects: [] },
    execute: () => (asked += 1),
  }));
  const gone = new AbortController();
  const waiting = Array.from({ length: 8 }, () =>
    client.callTool({ name: "asks", arguments: {} }, { signal: gone.signal }).catch(() => {}),
  );
  expect((await client.callTool({ name: "quick", arguments: {} })).isError).toBe(false);
  gone.abort();
  await Promise.all(waiting);
});

it("is available neither to plugins nor without a client to ask [I3.ask-host-only]", async () => {
  const plugin = {
    manifest: { tools: [{ name: "tries", description: "Tries", inputSchema: { type: "object" }, sideEffects: [] }] },
    main: "export const tries = (_args, context) => typeof context.ask;",
  };
  await using test = await mcpHost({ demo: plugin }, { builtins: false, tools: [asker(NAME)] });
  const client = await test.connect("modern", "lines", { capabilities: { elicitation: {} } });
  expect((await client.callTool({ name: "demo__tries", arguments: {} })).content).toEqual([{ type: "text", text: "undefined" }]);
  expect(await test.host.call("asks")).toMatchObject({ ok: true, output: null });
  await until(() => new CannotAsk(["model"]).message.includes("model"));
});
