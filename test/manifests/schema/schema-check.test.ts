import { describe, expect, it } from "vitest";

import { checkSchema, REFUSED_KEYWORDS, SCHEMA_BOUNDS } from "../../../manifests/mod.ts";

describe("checkSchema()", () => {
  it("accepts the keywords of tools in draft 7 [S1]", () => {
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

  it("accepts every keyword of draft 2020-12 that describes a value [AX5.keywords]", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/tree",
      $dynamicAnchor: "node",
      $comment: "A tree",
      $ref: "#/$defs/named",
      $defs: { named: { $anchor: "named", required: ["name"] }, flag: true },
      type: "object",
      properties: {
        name: { type: "string", pattern: "^[a-z]+$", deprecated: false, readOnly: true, writeOnly: false },
        size: { multipleOf: 0.5, examples: [1] },
        children: { type: "array", items: { $dynamicRef: "#node" }, uniqueItems: true, contains: {}, minContains: 0, maxContains: 5 },
        pair: { prefixItems: [{ type: "string" }, true], unevaluatedItems: false },
        data: { contentEncoding: "base64", contentMediaType: "application/json", contentSchema: { type: "object" } },
      },
      patternProperties: { "^x-": { type: "string" } },
      propertyNames: { maxLength: 20 },
      minProperties: 1,
      maxProperties: 9,
      dependentRequired: { size: ["name"] },
      dependentSchemas: { pair: { required: ["size"] } },
      allOf: [{ $ref: "#named" }],
      anyOf: [{ $ref: "https://example.com/tree#/$defs/flag" }],
      oneOf: [true, { not: {} }],
      if: { required: ["size"] },
      ...(JSON.parse('{ "then": true, "else": false }') as object),
      unevaluatedProperties: { type: "number" },
    };
    expect(checkSchema(schema)).toEqual([]);
  });

  it.each([
    [
      "lookahead",
      { pattern: "^(?=a)" },
      "/pattern",
      'Pattern uses "(?=" (lookahead) at character 2, which cannot be matched in linear time',
    ],
    [
      "a back-reference",
      { pattern: "(a)\\1" },
      "/pattern",
      "Pattern uses a back-reference at character 4, which cannot be matched in linear time",
    ],
    ["a broken pattern", { pattern: "(" }, "/pattern", "Pattern is not a regular expression: Unterminated group"],
    ["an endless pattern", { pattern: "a{9999}" }, "/pattern", 'Pattern has more than 2000 parts, with "{n}" written out'],
    [
      "a pattern of property names",
      { patternProperties: { "(?!x)": {} } },
      "/patternProperties/(?!x)",
      'Pattern uses "(?!" (lookahead) at character 1, which cannot be matched in linear time',
    ],
    [
      "a reference to another document",
      { properties: { a: { $ref: "https://example.com/a.json" } } },
      "/properties/a/$ref",
      '"$ref" to "https://example.com/a.json" leads out of this schema, and no schema is fetched',
    ],
    ["a reference to nothing", { $ref: "#/$defs/tre", $defs: { tree: {} } }, "/$ref", '"$ref" to "#/$defs/tre" leads to no schema'],
    ["a missing anchor", { $ref: "#tree" }, "/$ref", '"$ref" to "#tree" leads to no "$anchor"'],
    [
      "a schema that refers to itself",
      { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } },
      "/$defs/a/anyOf/0/$ref",
      "Reference leads back to its own schema without going into the value",
    ],
    [
      "a keyword of the other draft",
      { additionalItems: false },
      "/additionalItems",
      'Keyword "additionalItems" is not part of draft 2020-12',
    ],
    [
      "a keyword that draft 7 lacks",
      { $schema: "http://json-schema.org/draft-07/schema#", prefixItems: [{}] },
      "/prefixItems",
      'Keyword "prefixItems" is not part of draft 7',
    ],
    [
      "an unknown draft",
      { $schema: "https://example.com/own" },
      "/$schema",
      '"$schema" names no supported draft: "https://example.com/own"',
    ],
    [
      "a name for two schemas",
      { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
      "/$defs/b/$anchor",
      '"$anchor" "x" names two schemas',
    ],
    ["an empty list of schemas", { anyOf: [] }, "/anyOf", '"anyOf" is not a list of schemas'],
    ["a step of zero", { multipleOf: 0 }, "/multipleOf", '"multipleOf" is not a number above 0'],
    [
      "names that are not a list",
      { dependentRequired: { a: "b" } },
      "/dependentRequired/a",
      '"dependentRequired" is not a list of different property names',
    ],
  ])("refuses %s by name and place [AX5.refused]", (_, schema, pointer, message) => {
    expect(checkSchema(schema, "/inputSchema").map((problem) => [problem.pointer, problem.message])).toEqual([
      [`/inputSchema${pointer}`, message],
    ]);
  });

  it("advises on a misspelt reference [AX5.refused]", () => {
    expect(checkSchema({ $ref: "#/$defs/tre", $defs: { tree: {} } })).toMatchObject([{ fix: 'did you mean "#/$defs/tree"?' }]);
    expect(checkSchema({ $ref: "#/x" })).toMatchObject([{ fix: 'define it in "$defs"' }]);
  });

  it.each([
    ["an unknown keyword", { typ: "string" }, "/typ"],
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
    expect(checkSchema({ $vocabulary: {}, properties: { a: { pattern: "(" }, b: { typ: 1 } } }).map((problem) => problem.pointer)).toEqual([
      "/$vocabulary",
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
