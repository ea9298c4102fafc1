import { describe, expect, it } from "vitest";
import { withImports } from "../../../../host/plugins/vendoring/manifest-imports.ts";

const ADDED = { b: "npm:b@1", c: "jsr:@x/c" };

describe("withImports()", () => {
  it.each([
    [
      "before the tools, with the file's indentation",
      `{\n\t"name": "a",\n\t"tools": [{ "name": "x" }]\n}\n`,
      `{\n\t"name": "a",\n\t"imports": {\n\t\t"b": "npm:b@1",\n\t\t"c": "jsr:@x/c"\n\t},\n\t"tools": [{ "name": "x" }]\n}\n`,
    ],
    [
      "at the end without tools",
      `{\r\n  "name": "a"\r\n}`,
      `{\r\n  "name": "a",\r\n  "imports": {\r\n    "b": "npm:b@1",\r\n    "c": "jsr:@x/c"\r\n  }\r\n}`,
    ],
    [
      "after the imports that are there, on one line",
      `{ "imports": { "a": "npm:a" }, "tools": [ ] }`,
      `{ "imports": { "a": "npm:a", "b": "npm:b@1", "c": "jsr:@x/c" }, "tools": [ ] }`,
    ],
    [
      "in place of the version that is there",
      `{\n  "imports": {\n    "b": "npm:b@0",\n    "a": "npm:a"\n  }\n}`,
      `{\n  "imports": {\n    "b": "npm:b@1",\n    "a": "npm:a",\n    "c": "jsr:@x/c"\n  }\n}`,
    ],
    ["into an empty list", `{ "imports": {}, "x": {} }`, `{ "imports": { "b": "npm:b@1", "c": "jsr:@x/c" }, "x": {} }`],
  ])("adds imports %s [AX2.manifest]", (_where, before, after) => {
    expect(withImports(before, ADDED)).toBe(after);
    expect(JSON.parse(after)).toMatchObject({ imports: ADDED });
  });
});
