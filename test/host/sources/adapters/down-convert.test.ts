import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { downConvert } from "../../../../host/sources/adapters/down-convert.ts";
import { checkSchema, checkValue, isJsonObject, type JsonObject, type JsonValue } from "../../../../manifests/mod.ts";

const SUITE = new URL("../../../../../shared/vectors/json-schema/draft7/", import.meta.url);

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

function groups(): readonly Group[] {
  const files = readdirSync(SUITE).filter((name) => name.endsWith(".json"));
  return files.flatMap((name) => JSON.parse(readFileSync(new URL(name, SUITE), "utf8")) as readonly Group[]);
}

describe("downConvert()", () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    ["a nullable text", { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] }, { type: ["string", "null"], minLength: 1 }],
    ["constants", { oneOf: [{ const: "a" }, { const: "b" }], title: "T" }, { enum: ["a", "b"], title: "T" }],
    ["a reference", { $ref: "#/$defs/a~1b", $defs: { "a/b": { $ref: "#/$defs/c" }, c: { type: "string" } } }, { type: "string" }],
    ["a lone allOf", { allOf: [{ type: "string" }], description: "D" }, { type: "string", description: "D" }],
    ["a default that is not valid", { type: "string", default: null, title: "T" }, { type: "string", title: "T" }],
    ["a default that is valid", { type: ["string", "null"], default: null }, { type: ["string", "null"], default: null }],
    ["an open object", { type: "object", additionalProperties: {} }, { type: "object", additionalProperties: true }],
  ])("converts %s exactly [S5.exact]", (_what, foreign, expected) => {
    expect(downConvert(foreign)).toEqual({ schema: expected, lost: [] });
  });

  it.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
    ["pattern", { type: "string", pattern: "a+" }, { type: "string" }, ["/pattern"]],
    ["types that overlap", { anyOf: [{ type: "integer" }, { type: "number" }] }, {}, ["/anyOf"]],
    [
      "objects closed beside patterns",
      { patternProperties: { a: {} }, additionalProperties: false },
      {},
      ["/patternProperties", "/additionalProperties"],
    ],
    ["items after a tuple", { prefixItems: [{}], items: false }, {}, ["/prefixItems", "/items"]],
    ["a reference out of the schema", { $ref: "https://a.example/x.json" }, {}, ["/$ref"]],
  ])("drops %s, so that more values pass, and reports where [S5.opaque]", (_what, foreign, expected, lost) => {
    expect(downConvert(foreign)).toEqual({ schema: expected, lost });
  });

  it("stops at references that are circular or multiply [S5.bounded]", () => {
    const circle = downConvert({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } });
    expect(circle.lost).toEqual(["/$ref"]);
    const tree = downConvert({
      $ref: "#/$defs/n",
      $defs: { n: { type: "object", properties: { l: { $ref: "#/$defs/n" }, r: { $ref: "#/$defs/n" } } } },
    });
    // So large that the schema becomes empty.
    expect(tree).toEqual({ schema: {}, lost: [""] });
    const words = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x-${index}`, 1]));
    expect(downConvert({ type: "object", ...words }).lost).toHaveLength(50);
    expect(checkSchema(tree.schema)).toEqual([]);
  });

  it.runIf(existsSync(SUITE))("accepts everything that Draft 7 accepts, and refuses the same if nothing is lost [S5.suite]", () => {
    let exact = 0;
    for (const { description, schema, tests } of groups()) {
      if (!isJsonObject(schema)) continue;
      const { schema: converted, lost } = downConvert(schema);
      // Texts that a tool's schema may not contain (hidden characters, a property "__proto__") refuse the tool.
      if (checkSchema(converted).length > 0) continue;
      if (lost.length === 0) exact++;
      for (const { data, valid, description: test } of tests) {
        if (valid) expect(checkValue(converted, data), `${description}: ${test}`).toEqual([]);
        else if (lost.length === 0) expect(checkValue(converted, data), `${description}: ${test}`).not.toEqual([]);
      }
    }
    expect(exact).toBeGreaterThan(50);
  });
});
