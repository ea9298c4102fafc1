import { readFileSync } from "node:fs";

import { Type } from "@sinclair/typebox";
import { describe, expect, it } from "vitest";

import { MANIFEST_FIELDS } from "../../../manifests/plugin/parse.ts";
import { PROJECT_FIELDS } from "../../../manifests/project/parse-project.ts";
import { SKILL_FIELDS, TOOL_FIELDS } from "../../../manifests/plugin/parse-tool.ts";
import {
  manifestJsonSchema,
  ManifestSchema,
  ProjectSchema,
  schemaOf,
  SkillSchema,
  ToolSchema,
  type SchemaOf,
} from "../../../manifests/project/document-schema.ts";

describe("manifest.schema.json", () => {
  it("equals the output of its generator [M2.schema]", () => {
    const file = readFileSync(new URL("../../../manifests/manifest.schema.json", import.meta.url), "utf8");
    expect(file).toBe(`${JSON.stringify(manifestJsonSchema(), undefined, 2)}\n`);
  });
});

describe("the TypeBox schemas", () => {
  it.each<[string, SchemaOf<unknown>, readonly string[]]>([
    ["manifest", ManifestSchema, MANIFEST_FIELDS],
    ["tool", ToolSchema, TOOL_FIELDS],
    ["skill", SkillSchema, SKILL_FIELDS],
    ["project", ProjectSchema, PROJECT_FIELDS],
  ])("have the fields that the reader of a %s knows [M2.schema]", (_, schema, fields) => {
    expect(Object.keys(schema["properties"] as object).toSorted()).toEqual([...fields].toSorted());
  });

  it("do not compile if they differ from their interface [S4.typebox]", () => {
    const schema = Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) });
    expect(schemaOf<{ readonly a: string; readonly b?: number }>()(schema)).toBe(schema);
    // @ts-expect-error A member is missing in the schema.
    schemaOf<{ a: string; b?: number; c: string }>()(schema);
    // @ts-expect-error A member is missing in the interface.
    schemaOf<{ a: string }>()(Type.Object({ a: Type.String(), b: Type.String() }));
    // @ts-expect-error A member has another type.
    schemaOf<{ a: string; b?: string }>()(schema);
  });
});
