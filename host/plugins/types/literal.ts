/** Formats strings and JSON values as TypeScript source. */

import { isJsonArray, isJsonObject, type JsonValue, showHidden } from "../../../manifests/mod.ts";

const MAX_TEXT = 200;

/** Formats a string literal; invisible characters are escaped, so that the source shows all of it. */
function quoted(text: string): string {
  // JSON escapes quotes, backslashes and control characters; the escapes of `showHidden` are valid in literals too.
  return showHidden(JSON.stringify(text));
}

/** Formats a member's name, quoted unless it is an identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/u.test(name) ? name : quoted(name);
}

/** Formats the literal type of a value; very long strings become `string`. */
export function literalType(value: JsonValue): string {
  if (typeof value === "string") return value.length > MAX_TEXT ? "string" : quoted(value);
  if (isJsonArray(value)) return `readonly [${value.map(literalType).join(", ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => `readonly ${memberName(name)}: ${literalType(member)}`);
  return members.length === 0 ? "Record<string, never>" : `{ ${members.join("; ")} }`;
}
