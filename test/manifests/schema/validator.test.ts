import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applyDefaults, checkValue, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";
import "../../support/seed.ts";

describe("checkValue()", () => {
  it("reports every error, each with its pointer and keyword [S3.all]", () => {
    const schema: JsonSchema = {
      type: "object",
      required: ["path", "a/b"],
      additionalProperties: false,
      properties: {
        path: { type: "string" },
        depth: { type: "integer", minimum: 1 },
        tags: { type: "array", minItems: 3, items: { enum: ["x", "y"] } },
        mode: { const: { a: [1] } },
      },
    };
    expect(checkValue(schema, { depth: 0.5, tags: ["x", "z"], mode: { a: [2] }, extra: 1 })).toEqual([
      { pointer: "/path", message: "Is missing", keyword: "required" },
      { pointer: "/a~1b", message: "Is missing", keyword: "required" },
      { pointer: "/depth", message: "Is number, not integer", keyword: "type" },
      { pointer: "/depth", message: "Is 0.5, below 1", keyword: "minimum" },
      { pointer: "/tags", message: "Has 2 items, fewer than 3", keyword: "minItems" },
      { pointer: "/tags/1", message: 'Is not one of "x", "y"', keyword: "enum" },
      { pointer: "/mode", message: "Is not the given object", keyword: "const" },
      { pointer: "/extra", message: "Is not expected", keyword: "additionalProperties" },
    ]);
  });

  it.each<[string, JsonSchema, JsonValue, boolean]>([
    ["code points, not UTF-16 units", { minLength: 2 }, "👍", false],
    ["code points at the upper end", { maxLength: 1 }, "👍", true],
    ["a lone surrogate as one", { minLength: 2, maxLength: 2 }, "\ud800a", true],
    ["own properties only: required", { required: ["toString"] }, {}, false],
    ["own properties only: properties", JSON.parse('{ "properties": { "constructor": { "type": "number" } } }') as JsonSchema, {}, true],
    ["own properties only: expected ones", { properties: {}, additionalProperties: false }, { toString: 1 }, false],
    ["1.0 as an integer", { type: "integer" }, 1.0, true],
    ["keywords of other types", { minLength: 5, minimum: 5, minItems: 5, required: ["a"] }, true, true],
    ["true and 1 apart", { enum: [1] }, true, false],
    ["objects whatever the order of their keys", { const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    ["0 and -0 as one", { const: 0 }, -0, true],
    ["null and a missing member apart", { const: { a: null } }, { b: null }, false],
  ])("counts %s [S4.meaning]", (_, schema, value, isValid) => {
    expect(checkValue(schema, value).length === 0).toBe(isValid);
  });

  it("treats a __proto__ member like any other [S4.meaning]", () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}') as JsonValue;
    expect(checkValue({ type: "object", properties: {}, additionalProperties: false }, value)).toEqual([
      { pointer: "/__proto__", message: "Is not expected", keyword: "additionalProperties" },
    ]);
  });

  it("stops at 100 errors [S4.bounded]", () => {
    const errors = checkValue(
      { items: { type: "string" } },
      Array.from({ length: 10_000 }, () => 1),
    );
    expect([errors.length, errors[99]?.pointer]).toEqual([100, "/99"]);
  });

  it("gives up on a value that takes too many comparisons, and reports it [S4.bounded]", () => {
    const choice = Array.from({ length: 1_000 }, () => 1);
    const schema: JsonSchema = { items: { enum: Array.from({ length: 1_000 }, (_, index) => [...choice, index]) } };
    const value = Array.from({ length: 1_000 }, () => [...choice, -1]);
    const limit = { pointer: "", message: "Is too large to be checked", keyword: "limit" };
    expect(checkValue(schema, value).at(-1)).toEqual(limit);

    const required = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
    const demanding: JsonSchema = { items: { required } };
    const whole = Object.fromEntries(required.map((name) => [name, 1]));
    expect(
      checkValue(
        demanding,
        Array.from({ length: 1_000 }, () => whole),
      ),
    ).toEqual([limit]);
  });

  it("accepts any value of its own description", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        (value) => checkValue({ const: value as JsonValue }, structuredClone(value) as JsonValue).length === 0,
      ),
    );
  });
});

describe("applyDefaults()", () => {
  it("fills in absent members, at every existing level", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        depth: { type: "integer", default: 3 },
        nested: { type: "object", default: {}, properties: { on: { type: "boolean", default: true } } },
        list: { type: "array", items: { type: "object", properties: { kind: { default: "a" } } } },
        none: { type: "string" },
      },
    };
    const value: JsonValue = { depth: 0, list: [{}, { kind: "b" }], other: null };
    expect(applyDefaults(schema, value)).toEqual({ depth: 0, nested: { on: true }, list: [{ kind: "a" }, { kind: "b" }], other: null });
    expect(value).toEqual({ depth: 0, list: [{}, { kind: "b" }], other: null });
  });

  it("does not let a small value grow without bound [S4.bounded]", () => {
    const schema: JsonSchema = {
      items: { properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { default: "x" }])) },
    };
    const filled = applyDefaults(
      schema,
      Array.from({ length: 100_000 }, () => ({})),
    );
    const counts = Array.isArray(filled) ? filled.map((item) => Object.keys(item as object).length) : [];
    expect([counts.length, counts.reduce((sum, count) => sum + count, 0)]).toEqual([100_000, 10_000]);
  });

  it("reads own properties only", () => {
    expect(applyDefaults({ properties: { constructor: { default: 1 } } }, {})).toEqual({ constructor: 1 });
  });
});
