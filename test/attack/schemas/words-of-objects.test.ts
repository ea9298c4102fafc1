import { expect, it } from "vitest";
import { applyDefaults, checkValue, type JsonSchema } from "../../../manifests/mod.ts";

// Parsed as a document, because a literal of TypeScript would have the types of inherited members.
const OWN = JSON.parse(
  '{"type": "object", "properties": {"toString": {"type": "string"}, "constructor": {"type": "number"}}, "additionalProperties": false}',
) as JsonSchema;

it("attack: inherited members are mistaken for present or allowed properties [S4.own]", () => {
  expect(checkValue({ required: ["toString"] }, {})).toMatchObject([{ keyword: "required" }]);
  expect(checkValue(OWN, { hasOwnProperty: 1 })).toMatchObject([{ keyword: "additionalProperties" }]);
  expect(checkValue(OWN, {})).toEqual([]);
  expect(checkValue(OWN, { toString: 1 })).toMatchObject([{ keyword: "type" }]);
  expect(checkValue({ enum: [{ a: 1 }] }, JSON.parse('{"__proto__": {"a": 1}}'))).toMatchObject([{ keyword: "enum" }]);
});

it("attack: defaults set a prototype [S4.proto]", () => {
  const schema = JSON.parse(
    '{"type": "object", "properties": {"a": {"default": {"__proto__": {"polluted": 1}}}, "__proto__": {"default": {"polluted": 2}}}}',
  ) as JsonSchema;
  const filled = applyDefaults(schema, {});
  expect(Reflect.get(filled as object, "polluted")).toBeUndefined();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
