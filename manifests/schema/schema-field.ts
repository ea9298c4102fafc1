/** Reads a schema as a field of a document. */

import type { DocumentReader, Fields } from "../text/document.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkDefaults } from "./schema-defaults.ts";
import { checkSchema } from "./schema-check.ts";

/** Returns the schema under `key`; undefined if absent or refused. */
export function readSchema(reader: DocumentReader, fields: Fields, key: string): JsonSchema | undefined {
  const value = fields.get(key);
  if (value === undefined) return undefined;
  const problems = checkSchema(value, fields.at(key));
  reader.adopt(problems);
  // `checkSchema` found no problem.
  return problems.length === 0 ? (value as JsonSchema) : undefined;
}

/** Reads a schema of objects, as required for arguments and settings. A missing `type` is filled in. */
export function readObjectSchema(reader: DocumentReader, fields: Fields, key: string): JsonSchema | undefined {
  const schema = readSchema(reader, fields, key);
  if (schema === undefined) return undefined;
  const wrongDefaults = checkDefaults(schema, fields.at(key));
  reader.adopt(wrongDefaults);
  if (wrongDefaults.length > 0) return undefined;
  if (schema.type === undefined) return { type: "object", ...schema };
  if (schema.type === "object") return schema;
  reader.refuse(
    `${fields.at(key)}/type`,
    `"${key}" does not describe an object`,
    'write "type": "object", and describe each value in "properties"',
  );
  return undefined;
}
