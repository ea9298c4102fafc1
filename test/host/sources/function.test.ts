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
  it("makes a tool of a function with a TypeBox schema [K1]", async () => {
    const host = testHost({ tools: [double] });
    expect(await host.call("double", { n: 21 })).toMatchObject({ ok: true, output: 42, route: "host" });
    expect(await host.call("double", { n: "x" })).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(JSON.parse(JSON.stringify(host.registry.get("double").definition.inputSchema))).toEqual({
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    });
  });

  it("takes the function's own name [K1]", async () => {
    function triple(): number {
      return 3;
    }
    expect(await testHost({ tools: [functionTool(triple, { description: "Three", sideEffects: [] })] }).call("triple")).toMatchObject({
      ok: true,
      output: 3,
    });
  });

  it("fails every call of a tool that has no function [K1]", async () => {
    const host = testHost({ tools: [functionTool(undefined, { name: "later", description: "Not yet", sideEffects: [] })] });
    expect(await host.call("later")).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "Tool later has no bound callable" },
    });
  });
});

describe("the tool suite", () => {
  it("notices a factory that returns the same object twice [R1]", () => {
    const shared: Tool = double();
    const factory = (): Tool => shared;
    expect(sharesInstance(factory(), factory())).toBe(true);
  });
});
