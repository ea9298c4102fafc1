import { asSchema } from "ai";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { convertToOpenAITool, isLangChainTool } from "@langchain/core/utils/function_calling";
import { describe, expect, it } from "vitest";
import {
  createHost,
  createRegistry,
  type Host,
  type JsonSchema,
  type ToolFactory,
  functionTool,
  ToolFailed,
} from "../../../../host/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const FIND: JsonSchema = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 1, description: "What to look for" },
    limit: { type: "integer", exclusiveMinimum: 0, maximum: 10 },
    kind: { const: "file" },
    where: { type: ["string", "array", "null"], items: { type: "string" }, default: null },
  },
  required: ["text"],
};

function tool(name: string, more: Partial<Parameters<typeof functionTool>[1]> = {}, run = (): unknown => ({ found: 1 })): ToolFactory {
  return functionTool(run as never, { name, description: `Does ${name}`, sideEffects: ["read"], ...more });
}

async function hostWith(...tools: readonly ToolFactory[]): Promise<Host> {
  return await createHost({ config: false, builtins: false, platform: memoryPlatform(), tools });
}

describe("host.definitions()", () => {
  it("points at properties of any name [R5.lossy]", async () => {
    const properties = { "a/b~c": { type: "string" } } as const;
    await using host = await hostWith(tool("find", { inputSchema: { type: "object", properties, additionalProperties: false } }));
    expect(host.definitions("openai").lossy.map(({ pointer }) => pointer)).toEqual(["/inputSchema/properties/a~1b~0c"]);
  });

  it("writes the format of each target, and lists what is lost [R5.shapes] [R5.lossy]", async () => {
    const outputSchema: JsonSchema = { type: "object", properties: { found: { type: "integer" } } };
    await using host = await hostWith(tool("find", { title: "Find", inputSchema: FIND, outputSchema }));
    const about = { name: "find", description: "Does find" };
    expect(host.definitions("mcp")).toMatchObject({
      tools: [
        {
          ...about,
          title: "Find",
          inputSchema: FIND,
          outputSchema,
          annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
        },
      ],
      lossy: [],
    });
    const noPlace = (target: string): object[] =>
      ["outputSchema", "title"].map((part) => ({ tool: "find", pointer: `/${part}`, message: `${target} has no place for it` }));
    const notStrict = {
      tool: "find",
      pointer: "/inputSchema",
      message: 'not valid in strict mode: objects must have "additionalProperties": false',
    };
    expect(host.definitions("openai")).toMatchObject({
      tools: [{ type: "function", function: { ...about, parameters: FIND, strict: false } }],
      lossy: [...noPlace("OpenAI"), notStrict],
    });
    expect(host.definitions("openai-responses")).toMatchObject({
      tools: [{ type: "function", ...about, parameters: FIND, strict: false }],
      lossy: [...noPlace("OpenAI responses"), notStrict],
    });
    expect(host.definitions("anthropic")).toMatchObject({ tools: [{ ...about, input_schema: FIND }], lossy: noPlace("Anthropic") });
    expect(host.definitions("gemini")).toMatchObject({
      tools: [
        {
          ...about,
          parametersJsonSchema: {
            type: "object",
            properties: {
              text: { type: "string", description: "What to look for" },
              limit: { type: "integer", minimum: 1, maximum: 10 },
              kind: { enum: ["file"] },
              where: {
                anyOf: [
                  { type: "string", items: { type: "string" } },
                  { type: "array", items: { type: "string" } },
                  { type: "null", items: { type: "string" } },
                ],
              },
            },
            required: ["text"],
          },
        },
      ],
      lossy: [
        ...noPlace("Gemini"),
        { pointer: "/inputSchema/properties/text/minLength", message: 'Gemini has no "minLength"' },
        { pointer: "/inputSchema/properties/where/default", message: 'Gemini has no "default"' },
      ],
    });
  });

  it("sets strict for strict schemas, and changes no schema for it [R5.strict]", async () => {
    const strict: JsonSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
    await using host = await hostWith(
      tool("strict", { inputSchema: strict }),
      tool("optional", { inputSchema: { ...strict, required: [] } }),
      tool("deep", { inputSchema: { ...strict, properties: { a: { type: "array", items: { type: "string", maxLength: 3 } } } } }),
    );
    const { tools, lossy } = host.definitions("openai", ["strict", "optional", "deep"]);
    expect(tools.map(({ function: { strict: isStrict } }) => isStrict)).toEqual([true, false, false]);
    expect(lossy.map(({ pointer }) => pointer)).toEqual(["/inputSchema/properties/a", "/inputSchema/properties/a/items/maxLength"]);
  });

  it("cuts long descriptions, and reports it [R5.lossy]", async () => {
    await using host = await hostWith(tool("wordy", { description: `${"x".repeat(1_022)}😀xx` }));
    const { tools, lossy } = host.definitions("openai");
    expect(tools[0]?.function.description).toBe(`${"x".repeat(1_022)}…`);
    expect(lossy).toContainEqual({ tool: "wordy", pointer: "/description", message: "OpenAI allows 1024 characters: the rest is cut" });
  });

  it("gives every tool a unique name that maps back to it [R2.export-names] [R5.names]", async () => {
    const platform = memoryPlatform();
    await using host = await createHost({ config: false, builtins: false, platform, tools: [tool("words__count"), tool("plain")] });
    // A plugin's tool, as its source registers it; its bare name is the same as the host tool's.
    host.register(
      tool("count", {}, () => "of words"),
      { owner: "words" },
    );
    host.register(
      tool("t".repeat(60), {}, () => "long"),
      { owner: "a-long-name" },
    );
    const { names, call } = host.definitions("anthropic");
    expect(new Set(names.values())).toEqual(new Set(["words__count", "plain", "words.count", `a-long-name.${"t".repeat(60)}`]));
    for (const name of names.keys()) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    expect(names.get("words__count")).toBe("words.count");
    const long = [...names].find(([, qualified]) => qualified.startsWith("a-long-name"))?.[0] ?? "";
    expect((await call(long, {})).output).toBe("long");
    expect((await call("words__count", "{}")).output).toBe("of words");
    expect((await call("unknown", {})).ok).toBe(false);
  });

  it.each(["other", "words.count", "mcp__files__add"])("refuses to call %s, which was not exported [R5.names]", async (name) => {
    const calls: string[] = [];
    const counted = (tools: readonly string[]): readonly ToolFactory[] => tools.map((one) => tool(one, {}, () => void calls.push(one)));
    await using host = await hostWith(...counted(["greet", "other", "mcp__files__add"]));
    host.register(
      tool("count", {}, () => void calls.push("count")),
      { owner: "words" },
    );
    const exported = host.definitions("anthropic", ["greet"]);
    expect(await exported.call(name, {})).toMatchObject({ ok: false, error: { code: "tool_not_found" } });
    expect((await exported.call("greet", {})).ok).toBe(true);
    expect(calls).toEqual(["greet"]);
  });

  it("calls no other tool that took the name since [R5.names]", async () => {
    const calls: string[] = [];
    const greet = (owner: string): ToolFactory => tool("greet", {}, () => void calls.push(owner));
    const registry = createRegistry();
    await using host = await createHost({
      config: false,
      builtins: false,
      platform: memoryPlatform(),
      registry,
      tools: [greet("program")],
    });
    const exported = host.definitions("anthropic", ["greet"]);
    expect((await exported.call("greet", {})).ok).toBe(true);
    registry.unregister("greet");
    host.register(greet("words"), { owner: "words" });
    expect((await host.call("greet")).ok).toBe(true);
    expect(await exported.call("greet", {})).toMatchObject({ ok: false, error: { code: "tool_not_found" } });
    expect(calls).toEqual(["program", "words"]);
  });

  it("exports the requested tools, if the session may see them [R4.export] [R5.names]", async () => {
    await using host = await hostWith(tool("all"), tool("staff", { visibility: { roles: ["staff"] } }));
    expect([...host.definitions("openai").names.keys()]).toEqual(["all"]);
    const staff = host.session({ role: "staff" });
    expect([...host.definitions("openai", undefined, staff).names.keys()]).toEqual(["all", "staff"]);
    expect(() => host.definitions("openai", ["stuff"], staff)).toThrow('Tool "stuff" not found (did you mean "staff"?)');
    expect(() => host.definitions("cobol" as "openai")).toThrow('Cannot export to "cobol"');
  });

  it("returns schemas that the caller may change [R5.shapes]", async () => {
    await using host = await hostWith(tool("find", { inputSchema: FIND }));
    const { tools } = host.definitions("anthropic");
    Object.assign(tools[0]?.input_schema.properties ?? {}, { more: {} });
    tools[0]?.input_schema.required?.push("more");
    expect(host.definitions("anthropic").tools[0]?.input_schema).toEqual(FIND);
  });
});

describe("exported objects", () => {
  const greet = (args: { readonly name: string }): unknown => {
    if (args.name === "unknown") throw new ToolFailed("Unknown name");
    return { hello: args.name };
  };
  const inputSchema: JsonSchema = { type: "object", properties: { name: { type: "string", minLength: 2 } }, required: ["name"] };
  const greeter = functionTool(greet as never, { name: "greet", description: "Greets", sideEffects: [], inputSchema });

  it("run in the AI SDK, which validates arguments with the host [R5.ai-sdk]", async () => {
    await using host = await hostWith(greeter);
    const { greet: exported } = host.definitions("ai-sdk").tools;
    const schema = asSchema(exported?.inputSchema);
    expect(await schema.jsonSchema).toEqual(inputSchema);
    expect(await schema.validate?.({ name: "me" })).toEqual({ success: true, value: { name: "me" } });
    expect(await schema.validate?.({ name: "x" })).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("/name") as string },
    });
    expect(await exported?.execute({ name: "me" })).toEqual({ hello: "me" });
    await expect(exported?.execute({ name: "unknown" })).rejects.toMatchObject({ code: "tool_failed", message: "Unknown name" });
    await expect(exported?.execute({ name: "me" }, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    // Validates as any other library would.
    const { validate, jsonSchema } = exported?.inputSchema["~standard"] ?? {};
    expect([validate?.({ name: "me" }), jsonSchema?.input()]).toEqual([{ value: { name: "me" } }, inputSchema]);
  });

  it("are bound and invoked in LangChain, directly and as its own classes [R5.langchain]", async () => {
    await using host = await hostWith(greeter);
    const [exported] = host.definitions("langchain").tools;
    if (exported === undefined) throw new Error("nothing was exported");
    expect(isLangChainTool(exported)).toBe(true);
    expect(convertToOpenAITool(exported)).toEqual({
      type: "function",
      function: { name: "greet", description: "Greets", parameters: inputSchema },
    });
    const call = { type: "tool_call", id: "call-1", name: "greet", args: { name: "me" } } as const;
    expect(await exported.invoke({ name: "me" })).toBe('{"hello":"me"}');
    expect(await exported.invoke(call)).toBe('{"hello":"me"}');
    const own = new DynamicStructuredTool(exported);
    expect(await own.invoke({ name: "me" })).toBe('{"hello":"me"}');
    expect(await own.invoke(call)).toMatchObject({ tool_call_id: "call-1", content: '{"hello":"me"}' });
    await expect(own.invoke({ name: "unknown" })).rejects.toThrow("Unknown name");
    await expect(exported.invoke({ name: 1n })).rejects.toMatchObject({ code: "invalid_args" });
  });
});
