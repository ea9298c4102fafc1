import { expect, it } from "vitest";
import { checkSchema } from "../../../manifests/mod.ts";

it.each([
  ["itself", { $ref: "#" }],
  ["circular definitions", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }],
  ["another file", { $ref: "file:///etc/passwd" }],
  ["another host", { $ref: "http://169.254.169.254/latest" }],
  ["a dynamic anchor", { $dynamicRef: "#node", $dynamicAnchor: "node" }],
  ["a recursive anchor", { $recursiveRef: "#", $recursiveAnchor: true }],
  ["itself below a property", { type: "object", properties: { a: { items: { $ref: "#" } } } }],
  [
    "doubling definitions",
    {
      $defs: Object.fromEntries(
        Array.from({ length: 24 }, (_, i) => [
          `d${i}`,
          { properties: { l: { $ref: `#/$defs/d${i + 1}` }, r: { $ref: `#/$defs/d${i + 1}` } } },
        ]),
      ),
    },
  ],
])("attack: a schema refers to %s [S2.ref]", (_what, schema) => {
  const problems = checkSchema(schema);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.every(({ message }) => message !== "")).toBe(true);
});
