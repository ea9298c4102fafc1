import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRegistry } from "../../../../host/tools/registry.ts";
import type { McpPrompts } from "../../../../host/doors/mcp/mod.ts";
import type { HostEvent } from "../../../../host/mod.ts";
import { mcpHost, type McpHost, type TestPlugin, until, WAYS } from "../../../support/mcp-client.ts";

const OBJECT = { type: "object" } as const;
const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

const DEMO: TestPlugin = {
  manifest: {
    permissions: { write: ["$workspace"], net: ["example.com"] },
    tools: [
      {
        name: "shout",
        title: "Shout",
        description: "Shouts",
        inputSchema: TEXT,
        outputSchema: TEXT,
        sideEffects: [],
        annotations: { readOnlyHint: false, destructiveHint: true },
      },
      {
        name: "list",
        description: "Lists",
        inputSchema: OBJECT,
        outputSchema: { type: "array", items: { type: "integer" } },
        sideEffects: ["read"],
      },
      {
        name: "put",
        description: "Writes",
        inputSchema: TEXT,
        sideEffects: ["write"],
        annotations: { readOnlyHint: true, destructiveHint: false },
      },
      { name: "send", description: "Sends", inputSchema: OBJECT, sideEffects: ["network"] },
      { name: "work", description: "Reports", inputSchema: OBJECT, sideEffects: [] },
      { name: "yields", description: "Yields", inputSchema: OBJECT, sideEffects: [] },
      { name: "wait", description: "Waits", inputSchema: OBJECT, sideEffects: [] },
      { name: "trace", description: "Tells", inputSchema: OBJECT, sideEffects: [] },
      { name: "fail", description: "Fails", inputSchema: OBJECT, sideEffects: [] },
      { name: "secret", description: "Is hidden", inputSchema: OBJECT, sideEffects: [], visibility: { roles: ["boss"] } },
    ],
  },
  main: `
    export const shout = ({ text }) => ({ text: text.toUpperCase() });
    export const list = () => [1, 2];
    export const put = async ({ text }, context) => { await context.workspace.write(text + ".txt", text); return "done"; };
    export const send = () => null;
    export async function* yields() { yield "one"; yield { two: 2 }; return "whole"; }
    export const work = (_args, context) => {
      for (const progress of [0, 50, 100]) context.progress({ progress, total: 100, message: "at " + progress });
      console.warn("careful");
      return "worked";
    };
    export const wait = (_args, context) => new Promise((_, reject) => {
      setTimeout(reject, 60_000);
      context.progress("begun");
      context.signal.addEventListener("abort", () => { console.error("told to stop"); reject(new Error("stopped")); });
    });
    export const trace = (_args, context) => context.traceparent ?? "none";
    export const fail = () => { throw new Error("It broke"); };
    export const secret = () => 1;
  `,
};

/** Host of all tests, which use different names and so do not affect each other. */
let test: McpHost;
beforeAll(async () => {
  test = await mcpHost({ demo: DEMO }, { builtins: false, grants: { demo: { write: true, net: true } } });
});
afterAll(async () => await test[Symbol.asyncDispose]());
let numbers = 0;

/** Returns a text that no other test uses; `demo.put` writes a file of that name. */
function unique(): string {
  numbers += 1;
  return `text${String(numbers)}`;
}

/** Creates a client that gives this answer to every elicitation. */
function answering(
  answer: () => Promise<{ action: "accept" | "decline"; content?: { approve: boolean } }>,
  seen: string[] = [],
): (client: Client) => void {
  return (client) =>
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      seen.push(params.message);
      return await answer();
    });
}

describe.each(WAYS)("the MCP door, %s revision over %s", (era, over) => {
  it("lists tools by names without dots, sorted, with hints that the plugin cannot influence [I3.tools] [R2.export-names] [R5.mcp]", async () => {
    const client = await test.connect(era, over);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith("demo__"))).toEqual(
      ["fail", "list", "put", "send", "shout", "trace", "wait", "work", "yields"].map((name) => `demo__${name}`),
    );
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints["demo__shout"]).toEqual({ title: "Shout", readOnlyHint: true, destructiveHint: false, openWorldHint: false });
    expect(hints["demo__put"]).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: false });
    expect(hints["demo__send"]).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
    expect(tools.find(({ name }) => name === "demo__shout")).toMatchObject({
      title: "Shout",
      description: "Shouts",
      inputSchema: TEXT,
      outputSchema: TEXT,
    });
  });

  it("returns structured output, and errors as results [I3.output] [X1.to-mcp]", async () => {
    const client = await test.connect(era, over);
    await client.listTools();
    const shouted = await client.callTool({ name: "demo__shout", arguments: { text: "hey" } });
    expect(shouted).toMatchObject({ structuredContent: { text: "HEY" }, isError: false });
    expect(JSON.stringify(shouted.content)).toContain("HEY");
    const listed = await client.callTool({ name: "demo__list", arguments: {} });
    expect(listed.structuredContent).toEqual(era === "modern" ? [1, 2] : { result: [1, 2] });

    // The message uses the client's names of tools.
    await expect(client.callTool({ name: "demo__shuot", arguments: {} })).rejects.toThrow(
      /Tool 'demo__shuot' not found\. Did you mean demo__shout\? Available: \[demo__shout, .*\]/,
    );

    const failed = await client.callTool({ name: "demo__fail", arguments: {} });
    expect(failed).toMatchObject({ isError: true, structuredContent: { error: { code: "tool_failed" } } });
    expect(JSON.stringify(failed.content)).toContain("It broke");
    const wrong = await client.callTool({ name: "demo__shout", arguments: { text: 5 } });
    // The structured content must match the output schema, so the error is in `_meta`.
    expect(wrong).toMatchObject({ isError: true, _meta: { "bascule/error": { code: "invalid_args" } } });
    expect(wrong.structuredContent).toBeUndefined();
    await expect(client.callTool({ name: "demo__nothing", arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });

  it("hides tools that the session's role may not see, and refuses to call them [I3.roles] [R4.mcp]", async () => {
    const client = await test.connect(era, over);
    await expect(client.callTool({ name: "demo__secret", arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    const boss = await test.connect(era, over, { door: { session: { role: "boss" } } });
    expect((await boss.listTools()).tools.map(({ name }) => name)).toContain("demo__secret");
    expect(await boss.callTool({ name: "demo__secret", arguments: {} })).toMatchObject({ isError: false });
  });

  it("sends progress only if the client requests it [I3.progress] [T4.mcp]", async () => {
    const client = await test.connect(era, over);
    const told: unknown[] = [];
    await client.callTool({ name: "demo__work", arguments: {} }, { onprogress: (progress) => told.push(progress) });
    expect(told).toEqual([0, 50, 100].map((progress) => ({ progress, total: 100, message: `at ${progress}` })));
  });

  it("sends what a tool yields as progress, and the whole result in the end [AX4.mcp]", async () => {
    const client = await test.connect(era, over);
    const told: unknown[] = [];
    const result = await client.callTool({ name: "demo__yields", arguments: {} }, { onprogress: (progress) => told.push(progress) });
    expect(told).toEqual([
      { progress: 0, message: "one" },
      { progress: 1, message: '{"two":2}' },
    ]);
    expect(result.content).toEqual([{ type: "text", text: "whole" }]);
  });

  it("cancels the guest when its client cancels the call [I3.cancel] [T3.mcp]", async () => {
    const client = await test.connect(era, over);
    const cancel = new AbortController();
    const [endings, lines] = [endingsOf(test, "demo.wait").length, guestLines(test).length];
    const call = client.callTool({ name: "demo__wait", arguments: {} }, { signal: cancel.signal, onprogress: () => cancel.abort() });
    await expect(call).rejects.toThrow();
    await until(() => endingsOf(test, "demo.wait").length > endings);
    expect(endingsOf(test, "demo.wait").at(-1)).toMatchObject({ code: "cancelled" });
    await until(() => guestLines(test).slice(lines).includes("told to stop"));
  });

  it("passes on a valid trace context, and nothing else [I3.trace]", async () => {
    const client = await test.connect(era, over);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const traced = await client.callTool({ name: "demo__trace", arguments: {}, _meta: { traceparent } });
    expect(traced.content).toEqual([{ type: "text", text: traceparent }]);
    const forged = await client.callTool({ name: "demo__trace", arguments: {}, _meta: { traceparent: "00-x\nforged" } });
    expect(forged.content).toEqual([{ type: "text", text: "none" }]);
  });

  it("asks the client's user once per call, and runs what was confirmed [E5.mcp] [I3.elicitation]", async () => {
    const seen: string[] = [];
    const text = unique();
    const client = await test.connect(era, over, {
      capabilities: { elicitation: {} },
      prepare: answering(() => Promise.resolve({ action: "accept", content: { approve: true } }), seen),
    });
    expect(await client.callTool({ name: "demo__put", arguments: { text } })).toMatchObject({ isError: false });
    expect(await test.platform.files.readText(`/workspace/${text}.txt`)).toBe(text);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('bascule: allow the tool "demo.put" to run?');
    expect(seen[0]).toContain(`Arguments: {"text":"${text}"}`);
  });

  it.each([
    ["declines", { action: "decline" }],
    ["accepts without approving", { action: "accept", content: { approve: false } }],
  ] as const)("does not run a call that the user %s [E4.mcp-deny]", async (_what, answer) => {
    const client = await test.connect(era, over, { capabilities: { elicitation: {} }, prepare: answering(() => Promise.resolve(answer)) });
    const text = unique();
    const result = await client.callTool({ name: "demo__put", arguments: { text } });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: "user_denied" } } });
    expect(await test.platform.files.stat(`/workspace/${text}.txt`)).toBeUndefined();
  });

  it("answers approval_required to a client that cannot ask, and a repeat has the result once the user approved [E6.mcp]", async () => {
    const client = await test.connect(era, over);
    const call = { name: "demo__put", arguments: { text: unique() } };
    const pending = await client.callTool(call);
    const [question] = test.host.confirmations.list();
    expect(pending).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "approval_required", details: { requestId: question?.request.requestId } } },
    });
    expect(JSON.stringify(pending.content)).toContain("call the tool again with the same arguments");
    expect((await client.callTool(call)).structuredContent).toEqual(pending.structuredContent);
    expect(test.host.confirmations.list()).toHaveLength(1);
    test.host.confirmations.answer(question?.request.requestId ?? "", { approve: true, hash: question?.request.hash ?? "" });
    await until(() => test.host.result(callIdOf(pending))?.ok === true);
    expect((await client.callTool(call)).content).toEqual([{ type: "text", text: "done" }]);
    // The result was delivered: a further repeat is a new call.
    expect(await client.callTool(call)).toMatchObject({ structuredContent: { error: { code: "approval_required" } } });
    const [last] = test.host.confirmations.list();
    test.host.confirmations.answer(last?.request.requestId ?? "", { approve: false, hash: last?.request.hash ?? "" });
  });

  it("takes an answer from elsewhere, and withdraws its own confirmation [E4.mcp-first]", async () => {
    const asked = Promise.withResolvers<void>();
    const client = await test.connect(era, over, {
      capabilities: { elicitation: {} },
      prepare: answering(async () => {
        asked.resolve();
        const [question] = test.host.confirmations.list();
        test.host.confirmations.answer(question?.request.requestId ?? "", { approve: true, hash: question?.request.hash ?? "" });
        await until(() => test.host.confirmations.list().length === 0);
        return { action: "decline" };
      }),
    });
    const result = await client.callTool({ name: "demo__put", arguments: { text: unique() } });
    await asked.promise;
    expect(result).toMatchObject({ isError: false });
  });

  it("accepts a bare name for one tool only, and never if the client was told that name for another tool [R2.names]", async () => {
    const registry = createRegistry();
    await using test = await mcpHost({ demo: DEMO }, { builtins: false, registry });
    const other = (owner: string, name: string): void =>
      void test.host.register(
        () => ({ definition: { name, description: "Of another owner", inputSchema: OBJECT, sideEffects: [] }, execute: () => null }),
        { owner },
      );
    add(test, "weather");
    other("other", "forecast");
    const client = await test.connect(era, over);
    for (const name of ["weather", "other__forecast", "forecast"])
      expect(await client.callTool({ name, arguments: {} }), name).toMatchObject({ isError: false });
    registry.unregister("weather");
    other("other", "weather");
    other("third", "forecast");
    for (const name of ["weather", "forecast", "other.forecast", "demo.shout"])
      await expect(client.callTool({ name, arguments: {} }), name).rejects.toMatchObject({ code: -32_602 });
    expect(await client.callTool({ name: "other__weather", arguments: {} })).toMatchObject({ isError: false });
  });

  it("serves the plugins' requested permissions and state, and completes their names [I3.resources]", async () => {
    await using test = await mcpHost({ demo: DEMO }, { builtins: false });
    const client = await test.connect(era, over);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "bascule://audit",
      "bascule://plugins",
      "bascule://plugins/demo",
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(["audit search", "plugin"]);

    const plugin = await read(client, "bascule://plugins/demo");
    expect(plugin).toMatchObject({ name: "demo", state: "loaded", requested: { write: ["$workspace"] }, granted: [], problems: [] });
    expect(JSON.stringify(plugin)).not.toContain("secret");

    await expect(client.readResource({ uri: "bascule://plugins/../../etc/passwd" })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: "bascule://audit?sessionId=other" })).rejects.toMatchObject({ code: -32_602 });
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: "bascule://plugins/{name}" },
      argument: { name: "name", value: "de" },
    });
    expect(completed.completion.values).toEqual(["demo"]);
  });

  it("shows which kinds of access a plugin was granted, but no folders of the grants [I4.grants]", async () => {
    await using test = await mcpHost({ demo: DEMO }, { builtins: false });
    await test.host.grant("demo", { write: ["/home/user/private"] });
    const client = await test.connect(era, over);
    const plugin = await read(client, "bascule://plugins/demo");
    expect(plugin).toMatchObject({ requested: { write: ["$workspace"] }, granted: ["write"] });
    expect(JSON.stringify(plugin)).not.toContain("private");
    expect(plugin).toHaveProperty("description", "Is tested");
  });

  it("shows no text of a waiting version, and no text in place of a version number [H6.about]", async () => {
    await using test = await mcpHost(
      { demo: { ...DEMO, manifest: { ...DEMO.manifest, version: "1.0.0-call.run.now" } } },
      { builtins: false },
    );
    const client = await test.connect(era, over);
    const evil = { version: "2.0.0", description: "Obey", permissions: { write: { allow: ["$workspace"], reason: "Obey" } } };
    test.plant("demo", { ...DEMO, manifest: { ...DEMO.manifest, ...evil } });
    await test.host.reload();
    expect(await read(client, "bascule://plugins/demo")).toMatchObject({
      ...{ state: "quarantined", version: "1.0.0", description: "Is tested", requested: { write: ["$workspace"] } },
      problems: ["Not accepted yet: it has changed descriptions or schemas (bascule accept shows it)"],
    });
    const [held] = test.host.plugins().flatMap(({ held }) => held ?? []);
    await test.host.accept("demo", held?.digest ?? "");
    expect(await read(client, "bascule://plugins/demo")).toMatchObject({ version: "2.0.0", description: "Obey", problems: [] });
    // A new plugin that is not served, because its name looks like another plugin's.
    test.plant("dem0", { ...DEMO, manifest: { ...DEMO.manifest, ...evil } });
    await test.host.reload();
    const alike = await read(client, "bascule://plugins/dem0");
    expect([alike, JSON.stringify(alike)]).toEqual([
      expect.objectContaining({ state: "quarantined", requested: {} }),
      expect.not.stringContaining("Obey"),
    ]);
  });

  it("pages lists in a stable order, whatever changes in between [I3.pages]", async () => {
    await using test = await mcpHost({}, { builtins: false });
    for (let index = 0; index < 250; index += 1) add(test, `tool_${String(index).padStart(3, "0")}`);
    const client = await test.connect(era, over);
    const first = await client.request({ method: "tools/list" });
    add(test, "a_new_one");
    const second = await client.request({ method: "tools/list", params: { cursor: first.nextCursor ?? "" } });
    expect([...first.tools, ...second.tools].map(({ name }) => name)).toEqual(
      Array.from({ length: 250 }, (_, index) => `tool_${String(index).padStart(3, "0")}`),
    );
    expect(second.nextCursor).toBeUndefined();
    await expect(client.request({ method: "tools/list", params: { cursor: "nonsense" } })).rejects.toMatchObject({ code: -32_602 });
  });

  it("notifies clients when a plugin is reloaded, and serves the new version [H8.mcp] [I3.list-changed]", async () => {
    const changed = Promise.withResolvers<void>();
    const name = `reloaded-${unique()}`;
    // The new version only drops tools, so it needs no acceptance.
    const plugin = (tools: readonly string[], answer: string): TestPlugin => ({
      manifest: { tools: tools.map((tool) => ({ name: tool, description: "Is reloaded", inputSchema: OBJECT, sideEffects: [] })) },
      main: `export const stays = () => "${answer}"; export const goes = () => 1;`,
    });
    test.plant(name, plugin(["stays", "goes"], "old"));
    await test.host.reload();
    const client = await test.connect(era, over);
    const own = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map((tool) => tool.name).filter((tool) => tool.startsWith(name));
    expect(await own()).toEqual([`${name}__goes`, `${name}__stays`]);
    expect((await client.callTool({ name: `${name}__stays`, arguments: {} })).content).toEqual([{ type: "text", text: "old" }]);
    if (era === "modern") await client.listen({ toolsListChanged: true });
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    test.plant(name, plugin(["stays"], "new"));
    await test.host.reload();
    await changed.promise;
    expect(await own()).toEqual([`${name}__stays`]);
    expect((await client.callTool({ name: `${name}__stays`, arguments: {} })).content).toEqual([{ type: "text", text: "new" }]);
  });
});

describe("prompts of an embedding program", () => {
  it.each(WAYS)("are announced when their list changes, if the program reports it, %s revision over %s [I3.prompts]", async (era, over) => {
    let tell = (): void => undefined;
    let listeners = 0;
    const names = ["first"];
    const onChange = (listener: () => void): (() => void) => {
      tell = listener;
      listeners += 1;
      return () => void (listeners -= 1);
    };
    const prompts: McpPrompts = { list: () => names.map((name) => ({ name })), get: () => undefined, onChange };
    await using own = await mcpHost({});
    const client = await own.connect(era, over, { door: { prompts } });
    expect(client.getServerCapabilities()?.prompts).toEqual({ listChanged: true });
    const changed = Promise.withResolvers<void>();
    if (era === "modern") await client.listen({ promptsListChanged: true });
    client.setNotificationHandler("notifications/prompts/list_changed", () => changed.resolve());
    names.push("second");
    tell();
    await changed.promise;
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["first", "second"]);
    await own[Symbol.asyncDispose]();
    expect(listeners).toBe(0);
    await using quiet = await mcpHost({});
    const { onChange: _onChange, ...fixed } = prompts;
    expect((await quiet.connect(era, over, { door: { prompts: fixed } })).getServerCapabilities()?.prompts).toEqual({});
  });
});

describe("legacy clients of the MCP door", () => {
  it.each(["lines", "http"] as const)("receive a guest's log lines at the level that they set, over %s [I3.logging]", async (over) => {
    const client = await test.connect("legacy", over);
    const told: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void told.push(params));
    await client.setLoggingLevel("error");
    await client.callTool({ name: "demo__work", arguments: {} });
    await client.setLoggingLevel("info");
    await client.callTool({ name: "demo__work", arguments: {} });
    expect(told).toEqual([{ level: "warning", logger: "demo__work", data: "careful" }]);
  });

  it.each(["lines", "http"] as const)("narrow file grants by their current roots, over %s [C2.roots] [I3.roots]", async (over) => {
    await using test = await mcpHost(
      {
        demo: {
          manifest: {
            permissions: { read: true },
            tools: [
              {
                name: "look",
                description: "Reads",
                inputSchema: { type: "object", properties: { path: { type: "string" } } },
                sideEffects: ["read"],
              },
            ],
          },
          main: "export const look = ({ path }) => Deno.readTextFile(path);",
        },
      },
      { builtins: false, grants: { demo: { read: ["/workspace/in", "/workspace/out"] } } },
    );
    for (const folder of ["in", "out", "other"]) test.platform.plant(`/workspace/${folder}/a.txt`, folder);
    let roots = ["file:///workspace/in", "file:///workspace/other"];
    const client = await test.connect("legacy", over, {
      capabilities: { roots: { listChanged: true } },
      prepare: (made) => made.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) })),
    });
    const look = async (folder: string): Promise<boolean | undefined> =>
      (await client.callTool({ name: "demo__look", arguments: { path: `/workspace/${folder}/a.txt` } })).isError;
    // A root does not grant anything.
    expect([await look("in"), await look("out"), await look("other")]).toEqual([false, true, true]);
    roots = ["file:///workspace/out"];
    await client.sendRootsListChanged();
    expect([await look("in"), await look("out")]).toEqual([true, false]);
    roots = ["file://elsewhere/workspace", "file:///workspace/**"];
    await client.sendRootsListChanged();
    expect([await look("in"), await look("out")]).toEqual([true, true]);
    roots = ["no root at all"];
    await client.sendRootsListChanged();
    expect(await look("in")).toBe(true);
    roots = [];
    expect(await look("in")).toBe(false);
  });

  it("are notified of a resource that they subscribed to [I3.subscribe]", async () => {
    const told: string[] = [];
    const client = await test.connect("legacy", "lines");
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
    await client.subscribeResource({ uri: "bascule://plugins/demo" });
    await test.host.grant("demo", { write: ["$workspace"] });
    await until(() => told.length > 0);
    expect(told).toEqual(["bascule://plugins/demo"]);
    await client.unsubscribeResource({ uri: "bascule://plugins/demo" });
    await test.host.revoke("demo");
    await client.ping();
    expect(told).toHaveLength(1);
  });
});

/** Returns how the calls of a tool failed, oldest first. */
function endingsOf({ platform }: McpHost, tool: string): readonly unknown[] {
  return platform.recorded.log
    .map(({ fields }) => fields["event"] as HostEvent | undefined)
    .flatMap((event) => (event?.type === "tool.failed" && event.payload.tool === tool ? [event.payload] : []));
}

function guestLines(test: McpHost): readonly unknown[] {
  return test.platform.recorded.log.filter(({ message }) => message === "guest").map(({ fields }) => fields["text"]);
}

function callIdOf({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): string {
  const call = _meta?.["bascule/call"] as { readonly callId: string } | undefined;
  return call?.callId ?? "";
}

function add(test: McpHost, name: string): void {
  test.host.register(() => ({
    definition: { name, description: "Is one of many", inputSchema: OBJECT, sideEffects: [] },
    execute: () => null,
  }));
}

async function read(client: Client, uri: string): Promise<Readonly<Record<string, unknown>>> {
  const [content] = (await client.readResource({ uri })).contents;
  if (content === undefined || !("text" in content)) throw new Error("Not text");
  return JSON.parse(content.text) as Readonly<Record<string, unknown>>;
}
