import { describe, expect, it } from "vitest";

import { checkSchema, REFUSED_KEYWORDS, SCHEMA_BOUNDS } from "../../../manifests/mod.ts";

describe("checkSchema()", () => {
  it("accepts every keyword of the subset [S1]", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/x",
      type: ["object", "null"],
      title: "T",
      description: "D",
      required: ["a"],
      additionalProperties: false,
      properties: {
        a: { type: "string", minLength: 1, maxLength: 2, format: "date", enum: ["x"], const: "x", default: "x", examples: ["x"] },
        b: { type: "number", minimum: 0, maximum: 1, exclusiveMinimum: 0, exclusiveMaximum: 1 },
        c: { type: "array", items: { type: "integer" }, minItems: 0, maxItems: 5 },
        d: { type: "boolean" },
      },
    };
    expect(checkSchema(schema)).toEqual([]);
  });

  it.each([...REFUSED_KEYWORDS])("refuses %s with its path and advice [S2]", (keyword, advice) => {
    const schema = { type: "object", properties: { a: { items: { [keyword]: {} } } } };
    expect(checkSchema(schema, "/inputSchema")).toEqual([
      {
        severity: "error",
        pointer: `/inputSchema/properties/a/items/${keyword.replaceAll("/", "~1")}`,
        message: `Keyword "${keyword}" is not supported in tool schemas`,
        fix: advice,
      },
    ]);
  });

  it("lists the keywords of the specification in its constant [S2]", () => {
    const named = ["$ref", "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "patternProperties", "pattern"];
    expect(named.filter((keyword) => !REFUSED_KEYWORDS.has(keyword))).toEqual([]);
  });

  it.each([
    ["a schema as additionalProperties", { additionalProperties: { type: "string" } }, "/additionalProperties"],
    ["an unknown keyword", { typ: "string" }, "/typ"],
    ["a boolean schema", { properties: { a: true } }, "/properties/a"],
    ["a list of schemas as items", { items: [{}] }, "/items"],
    ["an unknown type", { type: "strin" }, "/type"],
    ["a duplicate type", { type: ["string", "string"] }, "/type"],
    ["a missing type", { type: [] }, "/type"],
    ["an empty enum", { enum: [] }, "/enum"],
    ["a bound that is not a number", { minimum: "1" }, "/minimum"],
    ["a negative length", { minLength: -1 }, "/minLength"],
    ["required that is not a list", { required: true }, "/required"],
    ["a description that is not a string", { description: 1 }, "/description"],
    ["a property that would set a prototype", JSON.parse('{"properties":{"__proto__":{}}}'), "/properties/__proto__"],
    ["something that is not JSON", { default: () => 1 }, "/default"],
    ["a value that is not an object", null, ""],
  ])("refuses %s [S2]", (_, schema, pointer) => {
    expect(checkSchema(schema).map((problem) => problem.pointer)).toEqual([pointer]);
  });

  it.each([
    ["title", { title: "a\u202e" }, "/title"],
    ["description", { properties: { a: { description: "a\u200b" } } }, "/properties/a/description"],
    ["enum", { enum: ["ok", "\x1b[2J"] }, "/enum/1"],
    ["default", { default: { a: ["\u{e0041}"] } }, "/default/a/0"],
    ["property name", { properties: { "a\u200b": {} } }, "/properties/a\u200b"],
  ])("refuses hidden characters in a %s [M5.hidden] [S2]", (_, schema, pointer) => {
    expect(checkSchema(schema)).toMatchObject([{ pointer }]);
  });

  it("reports all problems at once [S2]", () => {
    expect(checkSchema({ $ref: "#", properties: { a: { pattern: "x" }, b: { typ: 1 } } }).map((problem) => problem.pointer)).toEqual([
      "/$ref",
      "/properties/a/pattern",
      "/properties/b/typ",
    ]);
  });

  it("bounds depth, parts and values [S4.bounded]", () => {
    let deep: object = {};
    for (let i = 0; i < 100_000; i++) deep = { items: deep };
    expect(checkSchema(deep)).toMatchObject([{ message: `Schema is nested deeper than ${SCHEMA_BOUNDS.depth} levels` }]);

    const wide = { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, {}])) };
    expect(checkSchema(wide)).toMatchObject([{ message: `Schema has more than ${SCHEMA_BOUNDS.nodes} parts` }]);
    expect(checkSchema({ enum: Array.from({ length: 100_000 }, () => 1) })).toMatchObject([
      { message: `Schema lists more than ${SCHEMA_BOUNDS.values} values` },
    ]);

    const cyclic: { items?: object } = {};
    cyclic.items = cyclic;
    expect(checkSchema(cyclic)).toHaveLength(1);
  });
});
