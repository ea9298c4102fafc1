import { describe, expect, it } from "vitest";
import { GENERATED_MARK, GLOBALS_FILE, pluginTypes, TYPES_FILE } from "../../../../host/plugins/types/plugin-types.ts";
import { SCHEMA_BOUNDS } from "../../../../manifests/mod.ts";
import { declaredNames } from "./declared-names.ts";
import { manifestWith } from "./manifest-with.ts";

function moduleOf(more: Readonly<Record<string, unknown>>): string {
  return pluginTypes(manifestWith(more)).get(TYPES_FILE) ?? "";
}

function tool(name: string, inputSchema: object = { type: "object" }, more: object = {}): object {
  return { name, description: `Does ${name}`, inputSchema, sideEffects: [], ...more };
}

/** Returns the declaration of arguments with one property named `a`. */
function typeOfProperty(schema: object): string {
  const text = moduleOf({ tools: [tool("run", { type: "object", properties: { a: schema } })] });
  return /export interface RunArgs \{\n([^]*?)\n\}/u.exec(text)?.[1] ?? "";
}

describe("pluginTypes()", () => {
  it("begins with arguments, outputs and settings as the schemas describe them [M8.args] [M8.settings]", () => {
    const inputSchema = {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "A file" },
        lines: { type: "integer", minimum: 1, maximum: 100, default: 5 },
        "not-a-name": { type: ["boolean", "null"] },
      },
      required: ["path"],
      additionalProperties: false,
    };
    const outputSchema = { type: "object", properties: { first: { type: "array", items: { type: "string" } } }, required: ["first"] };
    const settingsSchema = { type: "object", properties: { wide: { type: "boolean", default: false } } };
    const text = moduleOf({ tools: [tool("peek_at", inputSchema, { outputSchema })], settingsSchema });
    expect(text.slice(0, text.indexOf("/** The second argument"))).toBe(`${GENERATED_MARK}

/** Arguments of \`peek_at\`: Does peek_at */
export interface PeekAtArgs {
  /** A file (at least 1 character) */
  readonly path: string;
  /** Whole number, 1 to 100, default 5 */
  readonly lines: number;
  readonly "not-a-name"?: boolean | null;
}

/** Output of \`peek_at\` */
export interface PeekAtOutput {
  readonly first: ReadonlyArray<string>;
}

/** Settings of the plugin, with defaults filled in */
export interface Settings {
  /** Default false */
  readonly wide: boolean;
}

`);
  });

  it.each([
    [{}, "unknown"],
    [{ type: "number" }, "number"],
    [{ type: ["integer", "number", "null"] }, "number | null"],
    [{ const: "x" }, '"x"'],
    [{ const: null }, "null"],
    [{ enum: ["a", 1, true, null, -0.5] }, '"a" | 1 | true | null | -0.5'],
    [{ type: "integer", enum: [1, 1.5, "1", 2] }, "1 | 2"],
    [{ type: "string", enum: [1] }, "never"],
    [{ enum: [{ k: [1] }, {}] }, "{ readonly k: readonly [1] } | Record<string, never>"],
    [{ enum: Array.from({ length: 101 }, (_, index) => (index % 2 === 0 ? index : `s${index}`)) }, "number | string"],
    [{ type: "array" }, "ReadonlyArray<unknown>"],
    [{ type: "array", items: { type: ["string", "number"] } }, "ReadonlyArray<string | number>"],
    [{ type: "object" }, "Readonly<Record<string, unknown>>"],
    [{ type: "object", additionalProperties: false }, "Readonly<Record<string, never>>"],
    [{ type: "object", required: ["b"] }, "{\n    readonly b: unknown;\n  }"],
    [
      { type: "object", properties: { b: { const: 1 } }, additionalProperties: true },
      "{\n    readonly b?: 1;\n    readonly [name: string]: unknown;\n  }",
    ],
  ])("converts a schema to a type: %j [M8.args]", (schema, type) => {
    expect(typeOfProperty(schema)).toBe(`  readonly a?: ${type};`);
  });

  it.each([
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ oneOf: [{ const: "a" }, { enum: ["b", "c"] }] }, '"a" | "b" | "c"'],
    [{ type: "object", additionalProperties: { type: "number" } }, "Readonly<Record<string, number>>"],
    [{ type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false }, "Readonly<Record<string, string>>"],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: ["number", "null"] }], items: false },
      "readonly [string?, (number | null)?]",
    ],
    [{ type: "array", prefixItems: [true], items: { type: "string" } }, "readonly [unknown?, ...ReadonlyArray<string>]"],
    [false, "never"],
    [true, "unknown"],
    [{ not: { type: "string" } }, "unknown"],
    [
      { type: "object", properties: { k: { const: 1 } }, anyOf: [{ required: ["k"] }, { properties: { m: { type: "string" } } }] },
      "{\n    readonly k?: 1;\n  } & ({\n    readonly k: unknown;\n  } | {\n    readonly m?: string;\n  })",
    ],
  ])("converts branches, maps and tuples: %j [AX5.types]", (schema, type) => {
    expect(typeOfProperty(schema as object)).toBe(`  readonly a?: ${type};`);
  });

  it("gives each schema that is referred to a type of its own, also one that contains itself [AX5.types]", () => {
    const inputSchema = {
      type: "object",
      properties: { root: { $ref: "#/$defs/tree-node" } },
      required: ["root"],
      $defs: {
        "tree-node": {
          type: "object",
          properties: { size: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/tree-node" } } },
          required: ["size"],
        },
      },
    };
    const text = moduleOf({ tools: [tool("grow", inputSchema)] });
    expect(/export interface GrowArgs [^]*?(?=\/\*\* Settings)/u.exec(text)?.[0]).toBe(`export interface GrowArgs {
  readonly root: GrowArgsTreeNode;
}

export type GrowArgsTreeNode = {
  readonly size: number;
  readonly children?: ReadonlyArray<GrowArgsTreeNode>;
};

`);
  });

  it("describes facts that a type cannot express [M8.args]", () => {
    const facts = (schema: object): string => /\/\*\* (.*) \*\//u.exec(typeOfProperty(schema))?.[1] ?? "";
    expect(facts({ type: "string", minLength: 2, maxLength: 2, format: "date" })).toBe("Exactly 2 characters, format date");
    expect(facts({ description: "Sizes", type: "array", minItems: 1, maxItems: 3 })).toBe("Sizes (1 to 3 items)");
    expect(facts({ title: "Share", type: "number", exclusiveMinimum: 0, maximum: 1 })).toBe("Share (at most 1, more than 0)");
  });

  it("gives the types of every tool and skill unique names [M8.names]", () => {
    const names = ["tool", "context", "a-b", "aB", "Settings", "log"];
    const schema = { outputSchema: { type: "object" } };
    const { types } = declaredNames(moduleOf({ tools: names.map((name) => tool(name, undefined, schema)) }));
    const own = ["Tool2", "Context", "AB", "AB2", "Settings", "Log"].flatMap((name) => [`${name}Args`, `${name}Output`]);
    const shared = ["BlockNotes", "ContentBlock", "Context", "Log", "OutputParts", "Settings", "ToolOutput"];
    expect(types).toEqual([...own, ...shared].toSorted());
  });

  it("is bounded for the largest possible schemas [M8.bounded]", () => {
    const wide = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`property_${index}`, { type: "string" }]));
    let deep: object = { type: "object", properties: wide };
    for (let level = 2; level < SCHEMA_BOUNDS.depth - 8; level++) deep = { type: "object", properties: { d: deep } };
    const tools = Array.from({ length: 55 }, (_, index) => tool(`t${index}x`, deep as Record<string, unknown>));
    const text = moduleOf({ tools });
    expect(text.length).toBeLessThan(1_000_000);
    expect(declaredNames(text).types).toContain("T54xArgs");
    // Properties beyond the bound are declared as unknown.
    expect(text.includes("readonly [name: string]: unknown;")).toBe(true);
  });

  it("depends only on the manifest, not on the order of its members [M8.stable]", () => {
    expect([...pluginTypes(manifestWith({ permissions: { write: true, read: true } }))]).toEqual([
      ...pluginTypes(manifestWith({ permissions: { read: true, write: true } })),
    ]);
    expect([...pluginTypes(manifestWith({})).keys()]).toEqual([TYPES_FILE, GLOBALS_FILE]);
  });
});
