import { Type } from "@sinclair/typebox";
import { describe, expect, it } from "vitest";
import { functionTool } from "../../../host/sources/function.ts";
import type { Tool } from "../../../host/tools/tool.ts";
import { sharesInstance, toolSuite } from "../../conformance/tool.ts";
import { testHost } from "../../support/test-host.ts";

const double = functionTool(({ n }: { n: number }) => 2 * n, {
  name: "double",
  description: "Doubles a number",
  inputSchema: Type.Object({ n: Type.Number() }),
  sideEffects: [],
});

toolSuite("double", double);

describe("functionTool()", () => {
  it("creates a tool from a function with a TypeBox schema [K1]", async () => {
    const host = testHost({ tools: [double] });
    expect(await host.call("double", { n: 21 })).toMatchObject({ ok: true, output: 42, route: "host" });
    expect(await host.call("double", { n: "x" })).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(JSON.parse(JSON.stringify(host.registry.get("double").definition.inputSchema))).toEqual({
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    });
  });

  it("passes a full JSON Schema 2020-12 on, checks what the subset can express, and tags the tool [K1.whole, S5.verbatim]", async () => {
    const own = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "address", type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
      properties: {
        address: { $ref: "#/$defs/address", description: "Where" },
        way: { enum: ["phone", "email"] },
        pair: { prefixItems: [{ type: "string" }, true], items: false },
        region: { type: "string", "x-mcp-header": "Region" },
      },
      allOf: [{ anyOf: [{ required: ["way"] }, { required: ["address"] }] }],
      if: { properties: { way: { const: "phone" } } },
      else: { required: ["region"] },
      dependentRequired: { pair: ["way"] },
      additionalProperties: false,
    };
    const whole = functionTool((args: unknown) => args as string, {
      name: "whole",
      description: "Whole",
      inputSchema: own,
      sideEffects: [],
      tags: ["mine"],
    });
    const host = testHost({ tools: [whole] });
    const [listing] = host.registry.list({ name: "whole" });
    expect([listing?.inputSchema, listing?.tags, listing?.checks]).toEqual([
      own,
      ["mine", "schema:opaque", "source:function"],
      {
        inputSchema: {
          type: "object",
          properties: {
            address: { type: "object", properties: { city: { type: "string" } }, required: ["city"], description: "Where" },
            way: { enum: ["phone", "email"] },
            pair: {},
            region: { type: "string" },
          },
        },
      },
    ]);
    expect(await host.call("whole", { address: {} })).toMatchObject({ error: { code: "invalid_args" } });
    expect(await host.call("whole", { anything: 1 })).toMatchObject({ ok: true, output: { anything: 1 } });
  });

  it("checks a full output schema [K1.whole] [AX5.output]", async () => {
    const own = { type: "object", properties: { at: { $ref: "#/$defs/at" } }, $defs: { at: { type: "number", multipleOf: 2 } } };
    const answer = functionTool(({ at }: { readonly at: number | string }) => ({ at }), {
      name: "answer",
      description: "Answers",
      inputSchema: { type: "object" },
      outputSchema: own,
      sideEffects: [],
    });
    const host = testHost({ tools: [answer] });
    const [listing] = host.registry.list({ name: "answer" });
    expect([listing?.inputSchema, listing?.outputSchema, listing?.tags]).toEqual([{ type: "object" }, own, ["source:function"]]);
    expect(await host.call("answer", { at: "x" })).toMatchObject({ error: { code: "invalid_output" } });
    expect(await host.call("answer", { at: 3 })).toMatchObject({ error: { code: "invalid_output" } });
    expect(await host.call("answer", { at: 4 })).toMatchObject({ ok: true, output: { at: 4 } });
  });

  it.each([
    ["an unknown keyword", { type: "object", propertys: {}, anyOf: [] }, '"propertys" is unknown'],
    ["an unknown type", { type: "object", properties: { a: { type: "text" } }, not: {} }, '"type" is neither'],
    ["something other than an object", { type: "string", pattern: "x" }, "does not describe an object"],
  ])("refuses %s, beside any other keywords [K1.whole, R2]", (_what, inputSchema, message) => {
    expect(() => testHost({ tools: [functionTool(() => 1, { name: "f", description: "F", inputSchema, sideEffects: [] })] })).toThrow(
      message,
    );
  });

  it("adds no tag if all of a schema is checked [K1.whole] [AX5.function]", () => {
    const tools = [{ type: "object" }, { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { pattern: "^a" } } }].map(
      (inputSchema) => functionTool(() => 1, { name: "f", description: "F", inputSchema, sideEffects: [] })(),
    );
    expect(tools.map(({ definition: { tags }, published }) => [tags, published !== undefined])).toEqual([
      [undefined, false],
      [undefined, false],
    ]);
  });

  it("uses the function's own name [K1]", async () => {
    function triple(): number {
      return 3;
    }
    expect(await testHost({ tools: [functionTool(triple, { description: "Three", sideEffects: [] })] }).call("triple")).toMatchObject({
      ok: true,
      output: 3,
    });
  });

  it("fails every call of a tool without a function [K1]", async () => {
    const host = testHost({ tools: [functionTool(undefined, { name: "later", description: "Not yet", sideEffects: [] })] });
    expect(await host.call("later")).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "Tool later has no bound callable" },
    });
  });
});

describe("the tool suite", () => {
  it("detects a factory that returns the same object twice [R1]", () => {
    const shared: Tool = double();
    const factory = (): Tool => shared;
    expect(sharesInstance(factory(), factory())).toBe(true);
  });
});
