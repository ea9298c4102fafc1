import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { checkSchema, checkValue, isJsonObject, type JsonSchema, type JsonValue } from "../../manifests/mod.ts";

// The public JSON Schema Test Suite lies beside the repository and is not committed here. `npm run external -- json-schema` runs all of it.
const SUITE = fileURLToPath(new URL("../../../shared/vectors/json-schema/draft7/", import.meta.url));
const isThere = existsSync(SUITE);
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

const groups = isThere
  ? readdirSync(SUITE)
      .filter((file) => file.endsWith(".json"))
      .toSorted()
      .flatMap(readGroups)
  : [];
const covered = groups.filter(({ schema }) => problemsOf(schema).length === 0);
const refused = groups.filter(({ schema }) => problemsOf(schema).length > 0);

describe("the JSON Schema Test Suite", () => {
  it("exists beside the repository", (context) => {
    context.skip(!isThere, `"${SUITE}" is absent, so no case of the suite has run`);
  });
});

describe.runIf(isThere)("the JSON Schema Test Suite, Draft 7", () => {
  it.each(covered)("agrees with $name [S4] [S1] [AX5.suite]", ({ schema, tests }) => {
    const verdicts = tests.map((test) => ({ test: test.description, valid: checkValue(schema, test.data).length === 0 }));
    expect(verdicts).toEqual(tests.map((test) => ({ test: test.description, valid: test.valid })));
  });

  it("lists what it refuses, by name and reason [S4.listed] [AX5.suite]", async () => {
    expect(covered.length).toBeGreaterThan(230);
    const list = refused.map(({ name, schema }) => ({ name, reason: problemsOf(schema)[0]?.message }));
    await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot("json-schema-suite.skipped.json");
  });
});

function readGroups(file: string): { readonly name: string; readonly schema: JsonSchema; readonly tests: Group["tests"] }[] {
  // A file of the suite is a list of groups.
  const list = JSON.parse(readFileSync(SUITE + file, "utf8")) as Group[];
  return list.map(({ description, schema, tests }) => ({
    name: `${file}: ${description}`,
    // A tool's schema is an object, and this folder's draft is not written in its schemas.
    schema: { $schema: DRAFT_7, ...(isJsonObject(schema) ? schema : { allOf: [schema] }) } as JsonSchema,
    tests,
  }));
}

/** Hidden characters and `__proto__` are refused to protect models and readers (M5); otherwise they have the meaning of Draft 7. */
function problemsOf(schema: JsonSchema): ReturnType<typeof checkSchema> {
  return checkSchema(schema).filter((problem) => !/ contains U\+|"__proto__"/.test(problem.message));
}
