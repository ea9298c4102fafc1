import { expect, it } from "vitest";
import { CHECKED_FORMATS, checkSchema, checkValue } from "../../../manifests/mod.ts";

it.each([
  { pattern: "(a+)+$" },
  { type: "object", properties: { a: { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } } },
  { patternProperties: { "(x+x+)+y": {} } },
  { propertyNames: { pattern: "(a|a)*$" } },
  { items: { additionalProperties: { pattern: "x" } } },
])("attack: a pattern with catastrophic backtracking is refused in a schema: %j [S2.pattern]", (schema) => {
  expect(checkSchema(schema).length).toBeGreaterThan(0);
});

it.each(CHECKED_FORMATS)("attack: text that causes catastrophic backtracking in the format %s [S2.format]", (format) => {
  const size = 60_000;
  for (const text of [
    "a".repeat(size),
    "1".repeat(size),
    "a.".repeat(size / 2),
    "a@".repeat(size / 2),
    `${"a-".repeat(size / 2)}!`,
    ":".repeat(size),
    `http://${"a%".repeat(size / 2)}`,
    `${"0.".repeat(size / 2)}x`,
    `[${":".repeat(size)}]`,
  ])
    expect(checkValue({ format }, text).length, text.slice(0, 8)).toBeLessThanOrEqual(1);
});
