import { expect, it } from "vitest";
import { CHECKED_FORMATS, checkSchema, checkSlices, checkValue } from "../../../manifests/mod.ts";

const BOMBS = ["(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "^(a|a)*$", "^(a|a?)+$", "(?:a{1,30}){1,30}b", "\\w*\\w*\\w*\\w*!"];
/** A backtracking matcher needs more than 2^30 steps for it. */
const TEXT = `${"a".repeat(64)}${"x".repeat(64)}\u0000`;

it.each(BOMBS)(
  "attack: a pattern with catastrophic backtracking is matched in steps that grow with the text: %s [AX5.pattern]",
  (pattern) => {
    for (const schema of [
      { pattern },
      { patternProperties: { [pattern]: {} }, additionalProperties: false },
      { propertyNames: { pattern } },
    ]) {
      expect(checkSchema(schema)).toEqual([]);
      expect(checkValue(schema, "pattern" in schema ? TEXT : { [TEXT]: 1 })).toHaveLength(1);
    }
  },
);

it("attack: a pattern on a long text ends as too large, and is checked in slices [AX5.pattern]", () => {
  const schema = { pattern: "(?:[a-z]{1,30}){1,30}!" };
  const text = "a".repeat(200_000);
  expect(checkSchema(schema)).toEqual([]);
  expect(checkValue(schema, text)).toEqual([{ pointer: "", message: "Is too large to be checked", keyword: "limit" }]);
  expect(checkValue({ patternProperties: { [schema.pattern]: {} } }, { [text]: 1 })).toMatchObject([{ keyword: "limit" }]);
  const slices = [...checkSlices({ pattern: "^a*$" }, text)];
  expect(slices.length).toBeGreaterThan(20);
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
