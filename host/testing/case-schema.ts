/** The JSON Schema of files in `cases/`, for editors and tools that write them. Not part of `mod.ts`, because it needs TypeBox. */

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
  operation: Type.String({ description: "Operation of the host: fs.readFile, net.fetch, …" }),
  args: { ...ANY, description: "Arguments; $workspace stands for the workspace. Default {}" },
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "Hash of the bytes that the tool sends" }),
  value: { ...ANY, description: "Result. Default null" },
  text: Type.String({ description: "Bytes of the answer, as text" }),
  base64: Type.String({ description: "Bytes of the answer, in base64" }),
  error: { ...ERROR, description: "Error of a refused or failed operation" },
};

const EXPECT: FieldSchemas<(typeof EXPECT_FIELDS)[number]> = {
  ok: Type.Boolean({ description: "Whether the call succeeds" }),
  output: { ...ANY, description: "Exact output; any output if absent" },
  error: Type.Object(
    { code: TEXT, message: Type.Optional(Type.String({ description: "Beginning of the message" })) },
    { additionalProperties: false },
  ),
  files: files(Type.Union([TEXT, Type.Null()]), "Text of files after the call; null for a file that must not exist"),
};

const CASE: FieldSchemas<(typeof CASE_FIELDS)[number]> = {
  name: Type.String({ description: "Shown name" }),
  tool: Type.String({ description: "Tool to call" }),
  args: { ...ANY, description: "Arguments. Default {}" },
  files: files(TEXT, "Files to write into the workspace first, text by relative path"),
  grants: Type.Object({}, { description: "Permissions granted to the plugin, as in a manifest" }),
  confirm: Type.Boolean({ description: "Answer to a confirmation. Default true" }),
  timeoutMs: Type.Number({ exclusiveMinimum: 0, description: "Deadline of the call" }),
  seed: Type.String({ maxLength: 1_000, description: "Seed of the randomness" }),
  time: Type.String({ description: "The tool's clock at the start", examples: ["2026-01-31T12:00:00Z"] }),
  answers: Type.Array(closedWith(ANSWER, ["operation"]), {
    description: "Answers to the tool's operations: nothing outside is touched, and an operation without an answer fails the case",
  }),
  expect: closedWith(EXPECT, ["ok"]),
};

function closedWith(properties: FieldSchemas<string>, required: readonly string[]): TSchema {
  const schema = Object.entries(properties).map(([name, field]) => [name, required.includes(name) ? field : Type.Optional(field)] as const);
  return Type.Object(Object.fromEntries(schema), { additionalProperties: false });
}

/** Schema of a file of cases. */
export const CasesSchema: TSchema = Type.Array(closedWith(CASE, ["name", "tool", "expect"]));

/** Returns the contents of `plugins/cases.schema.json`, in Draft 7. */
export function casesJsonSchema(): JsonObject {
  const document = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "bascule plugin cases",
    ...CasesSchema,
  };
  // Serialized and parsed to remove TypeBox's symbols.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}
