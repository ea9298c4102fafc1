import { tool as langChain } from "@langchain/core/tools";
import { Type } from "@sinclair/typebox";
import { dynamicTool, jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiSdkTools, createHost, functionTool, langChainTool, type ToolFactory } from "../../../../host/mod.ts";
import type { ToolSourceName } from "../../../../host/tools/tool.ts";
import { sourceSuite, type SourceUnderTest } from "../../../conformance/source.ts";
import { toolSuite } from "../../../conformance/tool.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

interface Sum {
  readonly a: number;
  readonly b: number;
}
type Signal = { readonly signal?: AbortSignal | undefined };

/** The code of three tools, to be wrapped in the shape of each framework. */
function threeTools(): {
  readonly add: (args: Sum) => object;
  readonly boom: () => never;
  readonly wait: (signal?: AbortSignal) => Promise<never>;
  readonly state: Pick<SourceUnderTest, "added" | "stopped">;
} {
  let count = 0;
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    add({ a, b }) {
      count++;
      return { sum: a + b };
    },
    boom() {
      throw new Error("It broke");
    },
    wait: (signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => {
          resolve();
          reject(new Error("Stopped"));
        }),
      ),
    state: { added: () => count, stopped },
  };
}

async function open(
  source: ToolSourceName,
  made: readonly ToolFactory[],
  state: Pick<SourceUnderTest, "added" | "stopped">,
): Promise<SourceUnderTest> {
  const host = await createHost({ config: false, builtins: false, platform: memoryPlatform() });
  for (const factory of made) host.register(factory, { source });
  return { host, ...state, nameOf: (name) => name, [Symbol.asyncDispose]: () => host.close() };
}

const NUMBERS = z.object({ a: z.int(), b: z.int() });
const EFFECTS = { sideEffects: [] } as const;

sourceSuite("function", async () => {
  const { add, boom, wait, state } = threeTools();
  const made = [
    functionTool(add as never, {
      name: "add",
      description: "Adds two numbers",
      inputSchema: Type.Object({ a: Type.Integer(), b: Type.Integer() }),
      ...EFFECTS,
    }),
    functionTool(boom, { name: "boom", description: "Breaks", ...EFFECTS }),
    functionTool((_args, { signal }) => wait(signal), { name: "wait", description: "Waits", ...EFFECTS }),
  ];
  return await open("function", made, state);
});

sourceSuite("langchain", async () => {
  const { add, boom, wait, state } = threeTools();
  const tools = [
    langChain((args: Sum) => add(args), { name: "add", description: "Adds two numbers", schema: NUMBERS }),
    langChain(boom, { name: "boom", description: "Breaks", schema: z.object({}) }),
    langChain((_args, config: Signal) => wait(config.signal), { name: "wait", description: "Waits", schema: z.object({}) }),
  ];
  return await open(
    "langchain",
    tools.map((one) => langChainTool(one, EFFECTS)),
    state,
  );
});

sourceSuite("ai-sdk", async () => {
  const { add, boom, wait, state } = threeTools();
  const tools = {
    add: tool({ description: "Adds two numbers", inputSchema: NUMBERS, execute: add }),
    boom: tool({ description: "Breaks", inputSchema: z.object({}), execute: (): object => boom() }),
    wait: dynamicTool({
      description: "Waits",
      inputSchema: jsonSchema({ type: "object" }),
      execute: (_args, { abortSignal }) => wait(abortSignal),
    }),
  };
  return await open("ai-sdk", aiSdkTools(tools, EFFECTS), state);
});

toolSuite("a LangChain tool", langChainTool({ name: "empty" }, EFFECTS));

describe("functionTool()", () => {
  it("reads schemas of zod, and of objects that supply a JSON Schema [K1.schema-kinds]", () => {
    const tells = { toJSONSchema: () => ({ type: "object", properties: { a: { type: "string", pattern: "x" } } }) };
    const schemas = [NUMBERS, tells].map(
      (inputSchema) => functionTool(() => 1, { name: "f", description: "F", inputSchema, ...EFFECTS })().definition.inputSchema,
    );
    expect(schemas).toMatchObject([
      { type: "object", properties: { a: { type: "integer" } }, required: ["a", "b"] },
      { type: "object", properties: { a: { type: "string" } } },
    ]);
    const old = { _def: {}, parse: () => 1 };
    expect(() => functionTool(() => 1, { name: "f", description: "F", inputSchema: old, ...EFFECTS })).toThrow("use zod 4.2 or later");
  });
});

describe("langChainTool()", () => {
  it("describes a tool by its name if it has no description, and fails calls if it has no code [K2.unbound]", async () => {
    await using host = await createHost({ config: false, platform: memoryPlatform(), tools: [langChainTool({ name: "later" }, EFFECTS)] });
    expect(host.list().find(({ name }) => name === "later")?.description).toBe("Tool: later");
    expect(await host.call("later")).toMatchObject({ error: { code: "tool_failed", message: "Tool later has no bound callable" } });
  });

  it("tags a tool that checks a part of its arguments itself, shows models all of the schema, and leaves the check to it [S5.opaque] [S5.verbatim] [K2.opaque]", async () => {
    const schema = z.object({ code: z.string().regex(/^(?=A)[A-Z]+$/) });
    const own = langChain(({ code }: { code: string }) => code, { name: "code", description: "Code", schema });
    await using host = await createHost({ config: false, platform: memoryPlatform(), tools: [langChainTool(own, EFFECTS)] });
    expect(host.list({ tags: ["schema:opaque"] }).map(({ name }) => name)).toEqual(["code"]);
    expect(host.definitions("openai", ["code"]).tools[0]?.function.parameters).toMatchObject({
      properties: { code: { type: "string", pattern: "^(?=A)[A-Z]+$" } },
    });
    expect(host.list({ name: "code" })[0]?.checks?.inputSchema.properties).toEqual({ code: { type: "string" } });
    expect((await host.call("code", { code: "ABC" })).output).toBe("ABC");
    expect(await host.call("code", { code: "abc" })).toMatchObject({ ok: false, error: { code: "tool_failed" } });
  });
});

describe("aiSdkTools()", () => {
  it("returns the last of several values, and reports the others as progress [K2.steps]", async () => {
    const steps = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield "one";
        await Promise.resolve();
        yield { at: 2 };
        yield "three";
      },
    });
    await using host = await createHost({ config: false, platform: memoryPlatform(), tools: aiSdkTools({ steps }, EFFECTS) });
    const seen: unknown[] = [];
    const result = await host.call("steps", {}, { onProgress: (value) => void seen.push(value) });
    expect([result.output, seen]).toEqual(["three", ["one", { at: 2 }]]);
  });

  it("refuses a schema that is created asynchronously, with a hint [K2.schema]", () => {
    const late = { inputSchema: { jsonSchema: Promise.resolve({ type: "object" }) } };
    expect(() => aiSdkTools({ late }, EFFECTS)).toThrow('The schema of tool "late" is created asynchronously');
  });
});
