import { expect, it } from "vitest";
import { applyDefaults, checkSchema, checkValue, type JsonSchema, type JsonValue, SCHEMA_BOUNDS } from "../../../manifests/mod.ts";

const wide: JsonValue = Array.from({ length: 3_000 }, (_, index) => ({ [`k${index % 7}`]: index }));
const again = structuredClone(wide);

it.each<readonly [string, JsonSchema, JsonValue, string]>([
  [
    "every item compared with every value",
    { items: { enum: Array.from({ length: 9_999 }, (_, index) => `v${index}`) } },
    Array.from({ length: 20_000 }, () => "v9998"),
    "limit",
  ],
  ["deep comparisons of equal values", { items: { const: wide } }, Array.from({ length: 500 }, () => again), "limit"],
  ["an error in every item", { items: { type: "string" } }, Array.from({ length: 100_000 }, () => 1), "type"],
  [
    "many unknown names",
    { additionalProperties: false, properties: {} },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1])),
    "additionalProperties",
  ],
  ["long text, counted by code points", { items: { maxLength: 1 } }, Array.from({ length: 100 }, () => "👋".repeat(5_000)), "maxLength"],
])("attack: a schema and arguments that are expensive to validate: %s [S2.cost]", (_what, schema, value, keyword) => {
  expect(checkSchema(schema)).toEqual([]);
  const errors = checkValue(schema, value);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThanOrEqual(100);
  expect(errors.at(-1)?.keyword).toBe(keyword);
});

it("attack: nested lists whose defaults multiply [S2.defaults]", () => {
  const filler: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d${index}`, { default: "x".repeat(100) }])),
  };
  const schema: JsonSchema = { type: "array", items: { type: "array", items: filler } };
  const value = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({})));
  expect(JSON.stringify(applyDefaults(schema, value)).length).toBeLessThan(2_000_000);
});

it("attack: a schema with an excessive number of values and parts [S2.size]", () => {
  const many = Array.from({ length: SCHEMA_BOUNDS.values + 1 }, (_, index) => index);
  expect(checkSchema({ enum: many })).toHaveLength(1);
  const parts = Object.fromEntries(Array.from({ length: SCHEMA_BOUNDS.nodes + 1 }, (_, index) => [`p${index}`, {}]));
  expect(checkSchema({ type: "object", properties: parts }).length).toBeGreaterThan(0);
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 5_000; level++) deep = { items: deep };
  expect(checkSchema(deep).length).toBeGreaterThan(0);
});
