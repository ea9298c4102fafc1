import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { checkSchema, checkValue, isJsonObject, type JsonSchema, type JsonValue } from "../../manifests/mod.ts";

// The public JSON Schema Test Suite lies beside the repository and is not committed here.
const SUITE = fileURLToPath(new URL("../../../shared/vectors/json-schema/draft7/", import.meta.url));
const isThere = existsSync(SUITE);

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

const S1_KEYWORDS = new Set(
  (
    "type enum const required properties items title description default examples format minimum maximum exclusiveMinimum exclusiveMaximum " +
    "minLength maxLength minItems maxItems additionalProperties $schema $id"
  ).split(" "),
);

const groups = isThere
  ? readdirSync(SUITE)
      .filter((file) => file.endsWith(".json"))
      .toSorted()
      .flatMap(readGroups)
  : [];
const covered = groups.filter(({ group }) => outside(group.schema).length === 0);
const skipped = groups.filter(({ group }) => outside(group.schema).length > 0);

describe("the JSON Schema Test Suite", () => {
  it("exists beside the repository", (context) => {
    context.skip(!isThere, `"${SUITE}" is absent, so no case of the suite has run`);
  });
});

describe.runIf(isThere)("the JSON Schema Test Suite, Draft 7", () => {
  it.each(covered)("agrees with $name [S4] [S1]", ({ group }) => {
    // Hidden characters and `__proto__` are refused to protect models and readers (M5); otherwise they have the meaning of Draft 7.
    expect(checkSchema(group.schema).filter((problem) => !/ contains U\+|"__proto__"/.test(problem.message))).toEqual([]);
    // `checkSchema` found no other problem.
    const schema = group.schema as JsonSchema;
    const verdicts = group.tests.map((test) => ({ test: test.description, valid: checkValue(schema, test.data).length === 0 }));
    expect(verdicts).toEqual(group.tests.map((test) => ({ test: test.description, valid: test.valid })));
  });

  it("refuses every schema that it does not cover [S2]", () => {
    expect(skipped.filter(({ group }) => checkSchema(group.schema).length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("lists what it does not cover, by name and reason [S4.listed]", async () => {
    expect(covered.length).toBeGreaterThan(60);
    const list = skipped.map(({ name, group }) => ({ name, reason: outside(group.schema).join(", ") }));
    await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot("json-schema-suite.skipped.json");
  });
});

function readGroups(file: string): { name: string; group: Group }[] {
  // A file of the suite is a list of groups.
  const list = JSON.parse(readFileSync(SUITE + file, "utf8")) as Group[];
  return list.map((group) => ({ name: `${file}: ${group.description}`, group }));
}

/** Returns the keywords of a schema outside S1. Independent of `checkSchema`, which is under test. */
function outside(schema: JsonValue): string[] {
  if (!isJsonObject(schema)) return ["schema that is true or false"];
  const found = Object.entries(schema).flatMap(([keyword, value]) => {
    if (!S1_KEYWORDS.has(keyword)) return [keyword];
    if (keyword === "properties" && isJsonObject(value)) return Object.values(value).flatMap(outside);
    if (keyword === "items") return Array.isArray(value) ? ["list of schemas in items"] : outside(value);
    if (keyword === "additionalProperties" && typeof value !== "boolean") return ["schema in additionalProperties"];
    if (["minLength", "maxLength", "minItems", "maxItems"].includes(keyword) && !Number.isInteger(value)) return [`fraction in ${keyword}`];
    return [];
  });
  return [...new Set(found)];
}
