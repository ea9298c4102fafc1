/** Reads a permission set as a field of a document. */

import type { DocumentReader, Fields } from "../text/document.ts";
import { parsePermissions } from "./permission-parse.ts";
import type { Permissions } from "./permissions.ts";

/** Returns the permissions under `key`; undefined if absent or refused. */
export function readPermissions(reader: DocumentReader, fields: Fields, key: string): Permissions | undefined {
  const value = fields.get(key);
  if (value === undefined) return undefined;
  const parsed = parsePermissions(value, fields.at(key));
  if (parsed.ok) return parsed.value;
  reader.adopt(parsed.problems);
  return undefined;
}
