import { describe, expect, it } from "vitest";

import { applyDefaults, checkSchema, checkValue, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";

const SHAPES: JsonSchema = {
  anyOf: [
    {
      title: "Circle",
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number" } },
      required: ["kind", "radius"],
    },
    {
      title: "Square",
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number" } },
      required: ["kind", "side"],
      additionalProperties: false,
    },
    { type: "string" },
  ],
};

/** Parsed, because a literal with a member named `then` looks like a promise. */
function parsed(text: string): JsonSchema {
  return JSON.parse(text) as JsonSchema;
}

function errors(schema: JsonSchema, value: JsonValue): readonly string[] {
  expect(checkSchema(schema)).toEqual([]);
  return checkValue(schema, value).map(({ pointer, message, keyword }) => `${pointer} ${keyword}: ${message}`);
}

describe("checkValue()", () => {
  it("names the branch that came closest, with its errors [AX5.closest]", () => {
    expect(errors({ properties: { shape: SHAPES } }, { shape: { kind: "square", side: "2", color: "red" } })).toEqual([
      '/shape anyOf: Fits none of the 3 schemas of "anyOf"; number 2 ("Square") is closest',
      "/shape/side type: Is string, not number",
      "/shape/color additionalProperties: Is not expected",
    ]);
    expect(
      errors({ oneOf: [{ type: "string" }, { $ref: "#/$defs/pair" }], $defs: { pair: { type: "array", maxItems: 2 } } }, [1, 2, 3]),
    ).toEqual([' oneOf: Fits none of the 2 schemas of "oneOf"; number 2 ("pair") is closest', " maxItems: Has 3 items, more than 2"]);
  });

  it("reports branches that only name types or values as one list [AX5.closest]", () => {
    expect(errors({ anyOf: [{ type: "string" }, { type: ["number", "null"] }] }, true)).toEqual([
      " anyOf: Is boolean, not string or number or null",
    ]);
    expect(errors({ oneOf: [{ const: "a" }, { const: "b" }] }, "c")).toEqual([' oneOf: Is not "a" or "b"']);
  });

  it.each<[string, JsonSchema, JsonValue, readonly string[]]>([
    [
      "several fitting branches",
      { oneOf: [{ title: "Small", maximum: 5 }, { type: "string" }, { minimum: 3 }] },
      4,
      [' oneOf: Fits 2 schemas of "oneOf" (1 ("Small"), 3), but only one may fit'],
    ],
    ["a value that must not fit", { not: { title: "Root", const: "/" } }, "/", [' not: Fits the schema in "not" ("Root"), and must not']],
    [
      "a condition",
      parsed('{ "if": { "properties": { "way": { "const": "phone" } } }, "then": { "required": ["number"] } }'),
      { way: "phone" },
      ["/number required: Is missing"],
    ],
    ["a pattern", { properties: { id: { pattern: "^[a-z]+$" } } }, { id: "A1" }, ['/id pattern: Does not match the pattern "^[a-z]+$"']],
    [
      "a property name",
      { propertyNames: { maxLength: 3 } },
      { long_name: 1 },
      ["/long_name propertyNames: Has a name that has 9 characters, more than 3"],
    ],
    [
      "properties that belong together",
      { dependentRequired: { card: ["address"] } },
      { card: 1 },
      ['/address dependentRequired: Is missing, but needed beside "card"'],
    ],
    [
      "properties that no branch describes",
      { allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false },
      { a: 1, b: 2, c: 3 },
      ["/c unevaluatedProperties: Is not expected"],
    ],
    [
      "a tuple",
      { prefixItems: [{ type: "string" }], items: false },
      [1, 2],
      ["/0 type: Is number, not string", "/1 false: Is not allowed"],
    ],
    ["a missing item", { contains: { type: "string" } }, [1], [' contains: Has 0 items that fit "contains", fewer than 1']],
    ["equal items", { uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }], ["/2 uniqueItems: Is equal to item 0"]],
    ["a step", { multipleOf: 0.1 }, 0.35, [" multipleOf: Is 0.35, not a multiple of 0.1"]],
    [
      "a map",
      { patternProperties: { "^x-": { type: "string" } }, additionalProperties: { type: "number" } },
      { "x-a": 1, b: "2" },
      ["/x-a type: Is number, not string", "/b type: Is string, not number"],
    ],
    ["too many properties", { maxProperties: 1 }, { a: 1, b: 2 }, [" maxProperties: Has 2 properties, more than 1"]],
    [
      "a part of a tree",
      {
        $defs: { tree: { properties: { children: { items: { $ref: "#/$defs/tree" } }, size: { type: "number" } } } },
        $ref: "#/$defs/tree",
      },
      { children: [{ children: [{ size: "1" }] }] },
      ["/children/0/children/0/size type: Is string, not number"],
    ],
  ])("reports %s where it is [AX5.errors]", (_what, schema, value, expected) => {
    expect(errors(schema, value)).toEqual(expected);
  });

  it("multiplies exactly [AX5.errors]", () => {
    expect([0.3, 19.99, 1e21, 0, -4.5e-7].map((value) => errors({ multipleOf: value === 19.99 ? 0.01 : 1e-8 }, value).length)).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });
});

describe("applyDefaults()", () => {
  it("fills in what references and allOf describe, in trees too [AX5.defaults]", () => {
    const schema: JsonSchema = {
      $defs: { tree: { properties: { on: { default: true }, below: { $ref: "#/$defs/tree" } } } },
      allOf: [{ properties: { mode: { default: "a" } } }],
      properties: { tree: { $ref: "#/$defs/tree" }, pair: { prefixItems: [{ properties: { x: { default: 1 } } }] } },
    };
    expect(checkSchema(schema)).toEqual([]);
    expect(applyDefaults(schema, { tree: { below: {} }, pair: [{}, {}] })).toEqual({
      mode: "a",
      tree: { on: true, below: { on: true } },
      pair: [{ x: 1 }, {}],
    });
  });
});
