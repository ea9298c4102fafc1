/** The JSON schema of files in `cases/`, for editors and for other tools that write them. Not part of `mod.ts`: it needs TypeBox. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../manifests/mod.ts";
import type { ANSWER_FIELDS } from "./case-answers.ts";
import type { CASE_FIELDS, EXPECT_FIELDS } from "./cases.ts";

const TEXT = Type.String();
const ANY = Type.Unknown();
const files = (text: TSchema, description: string): TSchema => Type.Record(TEXT, text, { description });

type FieldSchemas<K extends string> = Readonly<Record<K, TSchema>>;

const ERROR = Type.Object({ name: TEXT, message: TEXT, code: Type.Optional(TEXT) }, { additionalProperties: false });

const ANSWER: FieldSchemas<(typeof ANSWER_FIELDS)[number]> = {
  operation: Type.String({ description: "What the tool asks the host for: fs.readFile, net.fetch, …" }),
  args: { ...ANY, description: "With which arguments; $workspace stands for the workspace. Default {}" },
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "Of the bytes that the tool sends with it" }),
  value: { ...ANY, description: "The answer. Default null" },
  text: Type.String({ description: "Bytes that come with the answer, as text" }),
  base64: Type.String({ description: "Bytes that come with the answer" }),
  error: { ...ERROR, description: "It is refused or fails" },
};

const EXPECT: FieldSchemas<(typeof EXPECT_FIELDS)[number]> = {
  ok: Type.Boolean({ description: "Whether the call succeeds" }),
  output: { ...ANY, description: "Exactly what it answers; anything if absent" },
  error: Type.Object(
    { code: TEXT, message: Type.Optional(Type.String({ description: "How the message begins" })) },
    { additionalProperties: false },
  ),
  files: files(Type.Union([TEXT, Type.Null()]), "Text of files afterwards; null for one that must not exist"),
};

const CASE: FieldSchemas<(typeof CASE_FIELDS)[number]> = {
  name: Type.String({ description: "What is shown" }),
  tool: Type.String({ description: "Which tool is called" }),
  args: { ...ANY, description: "With which arguments. Default {}" },
  files: files(TEXT, "Files to write into the workspace first, text by relative path"),
  grants: Type.Object({}, { description: "What the plugin is granted, as in a manifest's permissions" }),
  confirm: Type.Boolean({ description: "What the person answers when asked. Default true" }),
  timeoutMs: Type.Number({ exclusiveMinimum: 0, description: "A deadline for the call" }),
  seed: Type.String({ maxLength: 1_000, description: "Randomness is computed from it" }),
  time: Type.String({ description: "What the tool sees as the time when it begins", examples: ["2026-01-31T12:00:00Z"] }),
  answers: Type.Array(closedWith(ANSWER, ["operation"]), {
    description: "What the tool's operations are answered: nothing outside is touched, and what has no answer fails the case",
  }),
  expect: closedWith(EXPECT, ["ok"]),
};

function closedWith(properties: FieldSchemas<string>, required: readonly string[]): TSchema {
  const schema = Object.entries(properties).map(([name, field]) => [name, required.includes(name) ? field : Type.Optional(field)] as const);
  return Type.Object(Object.fromEntries(schema), { additionalProperties: false });
}

/** A file of cases. */
export const CasesSchema: TSchema = Type.Array(closedWith(CASE, ["name", "tool", "expect"]));

/** What `plugins/cases.schema.json` holds, in Draft 7. */
export function casesJsonSchema(): JsonObject {
  const document = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "bascule plugin cases",
    ...CasesSchema,
  };
  // Through text, so that TypeBox's symbols stay behind and only JSON is left.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}
