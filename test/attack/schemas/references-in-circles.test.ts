import { expect, it } from "vitest";
import { checkSchema, checkValue, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";

it.each([
  ["itself", { $ref: "#" }],
  ["circular definitions", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }],
  ["another file", { $ref: "file:///etc/passwd" }],
  ["another host", { $ref: "http://169.254.169.254/latest" }],
  ["itself by another name", { $anchor: "node", allOf: [{ $ref: "#node" }] }],
  ["a recursive anchor", { $recursiveRef: "#", $recursiveAnchor: true }],
])("attack: a schema refers to %s [S2.ref] [AX5.hostile]", (_what, schema) => {
  const problems = checkSchema(schema);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.every(({ message }) => message !== "")).toBe(true);
});

const doubling = (make: (next: object) => object): JsonSchema => ({
  $defs: Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`d${i}`, i === 23 ? {} : make({ $ref: `#/$defs/d${i + 1}` })])),
  $ref: "#/$defs/d0",
});
const nested = (depth: number): JsonValue => (depth === 0 ? 1 : { l: nested(depth - 1), r: nested(depth - 1) });

it.each<[string, JsonSchema, JsonValue]>([
  ["definitions that double with each branch", doubling((next) => ({ anyOf: [{ allOf: [next, next] }, next] })), 1],
  [
    "definitions that double at each property, and a value of that shape",
    doubling((next) => ({ allOf: [{ properties: { l: next, r: next } }, next] })),
    nested(9),
  ],
  ["a dynamic reference to itself", { $dynamicRef: "#node", $dynamicAnchor: "node" }, 1],
])("attack: %s end as too large, within the budget [AX5.hostile]", (_what, schema, value) => {
  expect(checkSchema(schema)).toEqual([]);
  expect(checkValue(schema, value).at(-1)).toEqual({ pointer: "", message: "Is too large to be checked", keyword: "limit" });
});

it("checks a deep value with a schema that refers to itself, without the stack [AX5.hostile]", () => {
  let value: JsonValue = [];
  for (let depth = 0; depth < 20_000; depth++) value = [value];
  expect(checkValue({ items: { $ref: "#" }, type: "array" }, value)).toEqual([]);
});
