import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exampleCall } from "../../../../host/doors/cli/example-call.ts";
import { wordsToArguments } from "../../../../host/doors/cli/call-arguments.ts";
import type { ToolView } from "../../../../host/doors/operations.ts";
import { checkValue, type JsonObject, type JsonSchema } from "../../../../manifests/mod.ts";
import { REPOSITORY } from "../../../support/source-files.ts";
import { shellWords } from "../../../support/readme.ts";

function view(inputSchema: JsonObject, changes: Partial<ToolView> = {}): ToolView {
  return {
    ...{ name: "use", qualifiedName: "demo.use", source: "plugin", description: "Uses", class: "none" },
    ...{ sideEffects: [], destructive: false, route: "wasm", inputSchema },
    ...changes,
  };
}

/** Builds a schema in which every property is required. */
function schema(properties: JsonObject): JsonObject {
  return { type: "object", properties, required: Object.keys(properties) };
}

describe("exampleCall()", () => {
  it.each<readonly [words: string, properties: JsonObject]>([
    ["text=text", { text: { type: "string" } }],
    ["code=codexxxx", { code: { type: "string", minLength: 8 } }],
    ["day=2026-01-31 url=https://example.com", { day: { type: "string", format: "date" }, url: { type: "string" } }],
    [
      "n=1 big=10 small=-5 odd=0",
      {
        n: { type: "integer" },
        big: { type: "number", minimum: 10 },
        small: { type: "integer", maximum: -5 },
        odd: { type: "number", exclusiveMaximum: 1 },
      },
    ],
    ["on=false", { on: { type: "boolean" } }],
    [`'rows:=[[1]]'`, { rows: { type: "array", items: { type: "array", items: { type: "number" } } } }],
    [`'pair:=["pair","pair"]'`, { pair: { type: "array", minItems: 2, items: { type: "string" } } }],
    [`'point:={"x":1}'`, { point: schema({ x: { type: "number" } }) }],
    ["mode=fast level:=2", { mode: { enum: ["fast", "slow"] }, level: { enum: [2, 3] } }],
    ["any=any", { any: {} }],
    ["none:=null", { none: { type: "null" } }],
    ["'it is=it is'", { "it is": { type: "string" } }],
    // No generated value satisfies these schemas.
    ["--args=arguments.json", { "a=b": { type: "string" } }],
    ["--args=arguments.json", { "--allow-run": { type: "string", default: "sh" } }],
    ["--args=arguments.json", { "-y": { type: "string" } }],
    ["--args=arguments.json", { many: { type: "array", minItems: 9, items: { type: "string" } } }],
  ])("shows %s, which satisfies the schema [I2.example]", (words, properties) => {
    expect(exampleCall(view(schema(properties)), "bascule")).toBe(`bascule call use ${words}`);
  });

  it("names an existing file for a tool that reads, and a new file for one that writes [I2.example]", () => {
    const path = schema({ path: { type: "string" } });
    const shown = (changes: Partial<ToolView>): string => exampleCall(view(path, changes), "bascule");
    expect(shown({ class: "read" })).toBe("bascule call use path=README.md");
    expect(shown({ class: "read", name: "list_dir" })).toBe("bascule call list_dir path=.");
    for (const kind of ["write", "execute", "network"]) expect(shown({ class: kind })).toBe("bascule call use path=new-file.txt");
  });

  it("uses the qualified name for an MCP server's tool, and for one whose bare name belongs to another plugin [I2.example]", () => {
    const empty = schema({});
    expect(exampleCall(view(empty, { source: "mcp", qualifiedName: "mcp__demo.use" }), "bascule")).toBe("bascule call mcp__demo.use");
    expect(exampleCall(view(empty, { yieldsTo: "other.use" }), "bascule")).toBe("bascule call demo.use");
  });

  const shipped = readdirSync(`${REPOSITORY}plugins`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const { tools = [] } = JSON.parse(readFileSync(`${REPOSITORY}plugins/${name}/manifest.json`, "utf8")) as {
        readonly tools?: readonly { readonly name: string; readonly inputSchema: JsonObject; readonly sideEffects: readonly string[] }[];
      };
      return tools.map((tool) => [tool.name, tool] as const);
    });

  it.each(shipped)("is valid for the bundled tool %s [I2.example]", (_name, { inputSchema, sideEffects, name }) => {
    const kind = sideEffects.some((effect) => effect !== "read") ? "write" : "read";
    const shown = exampleCall(view(inputSchema, { name, class: kind }), "bascule");
    const words = shellWords(shown).slice(3);
    expect(checkValue(inputSchema as JsonSchema, wordsToArguments(words, inputSchema, name))).toEqual([]);
    if (kind === "write") expect(shown).not.toContain("README.md");
  });
});
